#include "cairn/store/result/known_objects.hpp"

namespace cairn {

template <class T>
void describe_data(const Data<T>& data, ResultDescription& description) {
  description.object_kind = data.kind->name;
  description.data_digest = data.digest;
  description.scaling = data.scaling.kind;
  description.scaling_shift = data.scaling.shift;
  description.scaling_factor = data.scaling.factor;
  description.columns = data.columns;
  description.tokenization = data.tokenization;
  description.dimension = data.points() != nullptr ? data.dimension() : data.objects->dimension();
}

KnownObjects known_objects(const ResultDescription& description, const std::string& path) {
  return {.points = {.scaling = {description.scaling, description.scaling_shift, description.scaling_factor},
                     .dimension = description.dimension,
                     .columns = description.columns,
                     .path = path,
                     .digest = description.data_digest}};
}

template <class T>
KnownObjects known_for_new_objects(const ResultDescription& description, const std::string& path,
                                   const Approximation<T>& approximation) {
  KnownObjects known = known_objects(description, path);
  known.new_objects = true;
  known.tokenization = description.tokenization;
  if (approximation.left_origin) known.landmarks = approximation.left_origin->objects;
  return known;
}

template <class T>
void match_landmarks(const ObjectSet& objects, Approximation<T>& approximation) {
  for (auto* origin : {&approximation.left_origin, &approximation.right_origin}) {
    if (!*origin || (*origin)->objects == nullptr) continue;
    if (auto matched = (*origin)->objects->matched_to(objects)) (*origin)->objects = std::move(matched);
  }
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template KnownObjects known_for_new_objects(const ResultDescription&, const std::string&, const Approximation<T>&); \
  template void describe_data(const Data<T>&, ResultDescription&);                                                    \
  template void match_landmarks(const ObjectSet&, Approximation<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

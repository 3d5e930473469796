#include "cairn/store/result/known_objects.hpp"

namespace cairn {

namespace {

const DocumentBlock* documents_of(const std::optional<FactorOrigin>& origin) {
  return origin ? dynamic_cast<const DocumentBlock*>(origin->objects.get()) : nullptr;
}

}  // namespace

template <class T>
void describe_data(const Data<T>& data, ResultDescription& description) {
  description.object_kind = data.kind->name;
  description.data_digest = data.digest;
  description.scaling = data.scaling.kind;
  description.scaling_shift = data.scaling.shift;
  description.scaling_factor = data.scaling.factor;
  description.columns = data.columns;
  description.tokenization = data.tokenization;
  description.dimension = data.dimension();
  const auto* documents = data.template as<DocumentSet>();
  if (documents != nullptr && documents->vectors() != nullptr) {
    description.dimension = documents->vectors()->dimension();
  }
}

KnownObjects known_objects(const ResultDescription& description, const std::string& path) {
  return {.points = {.scaling = {description.scaling, description.scaling_shift, description.scaling_factor},
                     .dimension = description.dimension,
                     .columns = description.columns,
                     .path = path}};
}

template <class T>
KnownObjects known_for_new_objects(const ResultDescription& description, const std::string& path,
                                   const Approximation<T>& approximation) {
  KnownObjects known = known_objects(description, path);
  known.new_objects = true;
  if (const DocumentBlock* landmarks = documents_of(approximation.left_origin)) {
    known.documents = {description.tokenization.value_or(Tokenization()), landmarks->vectors,
                       !landmarks->texts.empty()};
  }
  return known;
}

template <class T>
void renumber_landmarks(const ObjectSet& objects, Approximation<T>& approximation) {
  const auto* documents = dynamic_cast<const DocumentSet*>(&objects);
  if (documents == nullptr) return;
  for (auto* origin : {&approximation.left_origin, &approximation.right_origin}) {
    const DocumentBlock* landmarks = documents_of(*origin);
    if (landmarks != nullptr) (*origin)->objects = renumbered(*landmarks, documents->shared_vectors());
  }
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template KnownObjects known_for_new_objects(const ResultDescription&, const std::string&, const Approximation<T>&); \
  template void describe_data(const Data<T>&, ResultDescription&);                                                    \
  template void renumber_landmarks(const ObjectSet&, Approximation<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

#include "cairn/similarity/points/point_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cairn/similarity/numbered_similarities.hpp"
#include "cairn/similarity/points/bandwidth.hpp"

namespace cairn {

bool depends_on_differences(const SimilarityChoice& choice) {
  const SimilarityTraits traits = choice.traits();
  if (traits.composite) return std::ranges::all_of(choice.parts, depends_on_differences);
  const bool of_distance = traits.base == "squared-euclidean" || traits.base == "manhattan";
  return of_distance || (traits.stored && !traits.runs_program) || choice.name() == noise_similarity().name;
}

template <class T>
SimilarityChoice for_moved_points(const Execution& execution, const Data<T>& data, const SimilarityChoice& choice) {
  SimilarityChoice result = choice;
  if (data.scaling.kind != "none" || data.scaling.shift.empty() || data.points() == nullptr) return result;
  for (SimilarityChoice& part : result.parts) part = for_moved_points(execution, data, part);
  const bool has = std::ranges::any_of(choice.descriptor->parameters,
                                       [](const Parameter& parameter) { return parameter.name == "gamma"; });
  if (!has || choice.values.text("gamma") != "scale") return result;
  result.set("gamma", fmt::format("{:.17g}", scale_gamma(execution, *data.points(), data.scaling.shift)));
  return result;
}

template SimilarityChoice for_moved_points(const Execution&, const Data<float>&, const SimilarityChoice&);
template SimilarityChoice for_moved_points(const Execution&, const Data<double>&, const SimilarityChoice&);

}  // namespace cairn

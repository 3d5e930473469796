#include "cairn/run/computation/extension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cairn/approximation/extend.hpp"
#include "cairn/base/error.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn {

namespace {

template <class T>
Index pairs_of(const ExtensionInput<T>& input, bool rectangular, Index evaluations) {
  if (input.pairs) return *input.pairs;
  return rectangular ? 0 : default_extension_pairs(evaluations);
}

template <class T>
std::optional<ErrorEstimate> measured(const Execution& execution, const ExtensionInput<T>& input, Index population,
                                      Extension<T>& made) {
  const Approximation<T>& extended = made.approximation;
  const Index pairs = pairs_of(input, extended.rectangular, made.evaluations);
  if (!extended.rectangular || pairs == 0) {
    return measure_extension(execution, extended, input.similarity, input.objects, population, pairs, made);
  }
  if (input.others == nullptr) {
    throw Error(ErrorKind::usage, "the error of one factor's rows needs the objects of the other factor");
  }
  const bool columns = input.side == FactorSide::columns;
  return measure_extension(execution, extended, input.similarity, columns ? *input.others : input.objects,
                           columns ? input.objects : *input.others, pairs, made);
}

}  // namespace

void require_extension_pairs(Index pairs, const std::string& name) {
  if (pairs == 0 || pairs > 1) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} {}: an error with a standard error needs at least 2 pairs; 0 measures none", name, pairs));
}

// Rows of a sparse factor are interpolated between the landmarks, whatever the objects are.
template <class T>
void require_extendable(const Approximation<T>& approximation, const ResultDescription& description,
                        const std::string& path) {
  const auto& origin = approximation.left_origin;
  const bool known = origin && (origin->objects || origin->features);
  if (known && !approximation.left.is_sparse() && (!approximation.right || approximation.right_origin)) return;
  const std::string base = extendable_file(approximation, description, path);
  throw Error(ErrorKind::usage,
              fmt::format("the factors{} do not come from similarities with landmarks (method {}); they cannot be "
                          "extended{}{}",
                          path.empty() ? "" : " in " + path, approximation.report.method,
                          base.empty() ? "" : "; extend the result that they extend: ", base));
}

template <class T>
Extension<T> extend_by_similarities(const Execution& execution, Approximation<T> base, Index population,
                                    const ExtensionInput<T>& input) {
  const EntryTraits& traits = input.similarity.traits();
  if (!traits.defined_for_unseen) {
    throw Error(ErrorKind::usage,
                fmt::format("the similarity {} is not defined for objects that were not in the data", traits.name));
  }
  Extension<T> made;
  made.approximation = std::move(base);
  Approximation<T>& extended = made.approximation;
  match_landmarks(input.objects, extended);  // renumbers the words of documents as in the new ones
  extended.report.warnings.clear();          // they concern the old objects
  const Index before = input.similarity.evaluations();
  extend_factors(execution, input.similarity, input.objects, extended, input.side == FactorSide::columns);
  made.evaluations = execution.communicator.sum(input.similarity.evaluations() - before);
  std::ranges::move(extended.report.warnings, std::back_inserter(made.warnings));
  extended.report.warnings.clear();
  made.error = measured(execution, input, population, made);
  return made;
}

ResultDescription describe_rows(const ResultDescription& made, const std::string& path, std::uint64_t digest,
                                std::optional<std::uint64_t> basis, const std::optional<ErrorEstimate>& error) {
  ResultDescription description = made;
  description.data_digest = digest;
  description.provenance["kind"] = "extension";
  description.provenance["extended_from"] = path;
  description.provenance.erase("error_promise");  // which is about the old rows
  for (const char* name : {"error_goal", "error_limit", "error_confidence"}) description.metrics.erase(name);
  description.growth.clear();
  if (basis) describe_base(description, *basis);
  describe_extension(description, {error, is_extension(made) ? extension_error(made).base : made.error});
  return description;
}

#define CAIRN_INSTANTIATE(T)                                                                               \
  template void require_extendable(const Approximation<T>&, const ResultDescription&, const std::string&); \
  template Extension<T> extend_by_similarities(const Execution&, Approximation<T>, Index, const ExtensionInput<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

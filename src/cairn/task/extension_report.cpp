#include "cairn/task/extension_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

std::string with_error(const ErrorEstimate& error) {
  return fmt::format("{:.4g} +- {:.2g}", error.relative_error, error.relative_error_standard_error);
}

// Returns nothing if no pairs are requested, or, with a warning, if the error cannot be measured.
template <class Measure>
std::optional<ErrorEstimate> measured(Index pairs, std::vector<std::string>& warnings, const Measure& measure) {
  if (pairs == 0) return std::nullopt;
  try {
    return measure();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    warnings.push_back(fmt::format("the error of the rows could not be measured: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace

Index default_extension_pairs(Index evaluations) { return std::clamp<Index>(evaluations / 10, 100, 1000); }

template <class T>
std::optional<ErrorEstimate> measure_extension(const Execution& execution, const Approximation<T>& extended,
                                               const Similarity<T>& similarity, const ObjectSet& objects, Index old,
                                               Index pairs, Remarks& remarks) {
  if (pairs > 0 && objects.size() < fewest_unseen) {
    remarks.notes.push_back(
        fmt::format("the error of the rows was not measured: {} new object{} too few pairs that tell what an error is "
                    "like, {} or more do",
                    objects.size(), objects.size() == 1 ? " makes" : "s make", fewest_unseen));
    return std::nullopt;
  }
  return measured(pairs, remarks.warnings,
                  [&] { return unseen_error(execution, extended, similarity, objects, old, pairs); });
}

template <class T>
std::optional<ErrorEstimate> measure_extension(const Execution& execution, const Approximation<T>& extended,
                                               const Similarity<T>& similarity, const ObjectSet& rows,
                                               const ObjectSet& columns, Index pairs, Remarks& remarks) {
  return measured(pairs, remarks.warnings,
                  [&] { return probe_error(execution, extended, similarity, rows, columns, {.count = pairs}); });
}

#define CAIRN_INSTANTIATE(T)                                                                                        \
  template std::optional<ErrorEstimate> measure_extension(                                                          \
      const Execution&, const Approximation<T>&, const Similarity<T>&, const ObjectSet&, Index, Index, Remarks&);   \
  template std::optional<ErrorEstimate> measure_extension(const Execution&, const Approximation<T>&,                \
                                                          const Similarity<T>&, const ObjectSet&, const ObjectSet&, \
                                                          Index, Remarks&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

void add_extension(TaskReport& report, const std::optional<ExtensionError>& error, const std::string& base) {
  if (!error) return;
  if (!error->rows) {
    report.text.metric("error of the rows", "not measured");
  } else {
    report.text.metric("error of the rows", with_error(*error->rows) + "   (relative, against K)");
    if (error->base) report.text.metric(fmt::format("error of {:<17}", base), with_error(*error->base));
  }
  const auto add = [&](const std::string& prefix, const std::optional<ErrorEstimate>& estimate) {
    report.metrics.emplace_back(prefix + "relative_error", estimate ? Metric(estimate->relative_error) : Metric());
    report.metrics.emplace_back(prefix + "relative_error_standard_error",
                                estimate ? Metric(estimate->relative_error_standard_error) : Metric());
  };
  add("", error->rows);
  add("base_", error->base);
}

}  // namespace cairn

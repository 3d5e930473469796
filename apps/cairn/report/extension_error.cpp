#include "report/extension_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cairn/approximation/methods.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn::app {

namespace {

// Errors among new objects are a little larger than among old ones, of which some are landmarks; three times as large
// is a sign of other data, or of wrong rows. Below `rounding` both are exact.
constexpr double much_larger = 3.0;
constexpr double rounding = 1e-6;

bool is_much_larger(const ErrorEstimate& rows, const ErrorEstimate& base) {
  const double low = rows.relative_error - 2 * rows.relative_error_standard_error;
  const double high = base.relative_error + 2 * base.relative_error_standard_error;
  return low > rounding && low > much_larger * high;
}

std::string with_error(const ErrorEstimate& error) {
  return fmt::format("{:.4g} +- {:.2g}", error.relative_error, error.relative_error_standard_error);
}

// Similarities whose extend took new objects for landmarks with the same number, until version 0.2.0.
bool could_be_wrong(const ResultDescription& description) {
  const auto affected = [](const std::string& kind) {
    const SimilarityTraits& traits = similarity_named(kind).traits;
    return !traits.base.empty() && !traits.word_vectors;
  };
  if (affected(description.similarity)) return true;
  return std::ranges::any_of(description.similarity_parameters, [&](const auto& parameter) {
    return parameter.first.ends_with(".kind") && affected(parameter.second);
  });
}

}  // namespace

Index default_extension_pairs(Index evaluations) { return std::clamp<Index>(evaluations / 10, 100, 1000); }

template <class T>
std::optional<ErrorEstimate> measure_extension(const Execution& execution, const Approximation<T>& extended,
                                               const Similarity<T>& similarity, const ObjectSet& objects, Index pairs,
                                               std::vector<std::string>& warnings) {
  if (pairs == 0) return std::nullopt;
  try {
    return validation_error(execution, extended, similarity, objects, pairs);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    warnings.push_back(fmt::format("the error of the rows could not be measured: {}", error.what()));
    return std::nullopt;
  }
}

template std::optional<ErrorEstimate> measure_extension(const Execution&, const Approximation<float>&,
                                                        const Similarity<float>&, const ObjectSet&, Index,
                                                        std::vector<std::string>&);
template std::optional<ErrorEstimate> measure_extension(const Execution&, const Approximation<double>&,
                                                        const Similarity<double>&, const ObjectSet&, Index,
                                                        std::vector<std::string>&);

std::string extension_report(const ExtensionError& error, const std::string& base) {
  if (!error.rows) return "  error of the rows           not measured\n";
  std::string text =
      fmt::format("  error of the rows           {}   (relative, against K among them)\n", with_error(*error.rows));
  if (error.base) text += fmt::format("  error of {:<18} {}\n", base, with_error(*error.base));
  return text;
}

nlohmann::ordered_json extension_json(const ExtensionError& error) {
  nlohmann::ordered_json json;
  const auto add = [&](const std::string& prefix, const std::optional<ErrorEstimate>& estimate) {
    json[prefix + "relative_error"] = estimate ? nlohmann::ordered_json(estimate->relative_error) : nullptr;
    json[prefix + "relative_error_standard_error"] =
        estimate ? nlohmann::ordered_json(estimate->relative_error_standard_error) : nullptr;
  };
  add("", error.rows);
  add("base_", error.base);
  return json;
}

std::vector<std::string> extension_warnings(const ResultDescription& description, const std::string& path) {
  if (!is_extension(description)) return {};
  std::vector<std::string> warnings;
  const auto version = description.provenance.find("version");
  if (version != description.provenance.end() && version->second == "0.1.0" && could_be_wrong(description)) {
    warnings.push_back(
        fmt::format("{} was made by cairn extend of version 0.1.0, which could compute wrong rows for this similarity "
                    "(CHANGELOG.md): make it again, and what was computed from it",
                    path));
  }
  const ExtensionError error = extension_error(description);
  if (error.rows && error.base && is_much_larger(*error.rows, *error.base)) {
    warnings.push_back(fmt::format(
        "the rows of {} have a relative error of {:.3g}, those of the result that it extends {:.3g}: the new objects "
        "are unlike the old ones, or are scaled otherwise; do not trust what is computed from them",
        path, error.rows->relative_error, error.base->relative_error));
  }
  return warnings;
}

}  // namespace cairn::app

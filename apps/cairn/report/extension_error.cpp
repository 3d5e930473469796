#include "report/extension_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/approximation/methods.hpp"
#include "cairn/base/error.hpp"

namespace cairn::app {

namespace {

std::string with_error(const ErrorEstimate& error) {
  return fmt::format("{:.4g} +- {:.2g}", error.relative_error, error.relative_error_standard_error);
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

}  // namespace cairn::app

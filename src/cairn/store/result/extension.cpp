#include "cairn/store/result/extension.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr const char* base_error = "base_relative_error";
constexpr const char* base_standard_error = "base_relative_error_standard_error";

}  // namespace

void describe_extension(ResultDescription& description, const ExtensionError& error) {
  description.error = error.rows;
  description.figures.erase(base_error);
  description.figures.erase(base_standard_error);
  if (!error.base) return;
  description.figures[base_error] = error.base->relative_error;
  description.figures[base_standard_error] = error.base->relative_error_standard_error;
}

ExtensionError extension_error(const ResultDescription& description) {
  ExtensionError error;
  error.rows = description.error;
  const auto base = description.figures.find(base_error), doubt = description.figures.find(base_standard_error);
  if (base == description.figures.end() || doubt == description.figures.end()) return error;
  error.base.emplace();
  error.base->relative_error = base->second;
  error.base->relative_error_standard_error = doubt->second;
  return error;
}

bool is_extension(const ResultDescription& description) {
  const auto kind = description.provenance.find("kind");
  return kind != description.provenance.end() && kind->second == "extension";
}

}  // namespace cairn

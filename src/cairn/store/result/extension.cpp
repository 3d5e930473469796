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

std::optional<std::string> check_landmark_file(const Communicator& communicator, const std::string& where,
                                               const std::string& path, Index objects, std::uint64_t digest) {
  if (!is_result(communicator, path)) return std::nullopt;
  const ResultDescription description = read_result_description(communicator, path);
  const Index rows = read_result_shape(communicator, path).rows;
  const Index population = description.landmark_population > 0 ? description.landmark_population : rows;
  if (is_extension(description)) {
    throw Error(ErrorKind::input, fmt::format("{}: the landmarks in {} are objects of the data that it "
                                              "extends, not of its own; name the result that it was made from",
                                              where, path));
  }
  if (population != objects) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the landmarks in {} are numbers of rows in a data set of {} objects, and "
                            "there are {} here",
                            where, path, grouped(population), grouped(objects)));
  }
  if (description.data_digest == digest) return std::nullopt;
  return fmt::format(
      "{}: {} was made from other data, or from these in another scaling or precision; its landmarks are "
      "taken by row number",
      where, path);
}

}  // namespace cairn

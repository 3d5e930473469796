// Results whose rows are objects that were not in the data of another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// ||K~ - K|| / ||K|| among new objects, and among the objects of the result that was extended.
struct ExtensionError {
  std::optional<ErrorEstimate> rows;  ///< nothing if it was not measured
  std::optional<ErrorEstimate> base;  ///< its relative error and standard error only; nothing if it is unknown
};

/// Keeps the error of the base in an extension's description, and finds both there again. Local.
void describe_extension(ResultDescription& description, const ExtensionError& error);
[[nodiscard]] ExtensionError extension_error(const ResultDescription& description);
[[nodiscard]] bool is_extension(const ResultDescription& description);

/// What the file at `path` says of landmarks that are to be taken from it for other data: nothing where it is a list of
/// row numbers, or a result of the same data; else a sentence that warns.
/// @param where  what messages call the path: "landmarks.path" @param objects, digest  of the data
/// @throws Error(input) if its landmarks count in a data set of another size, or not in its own rows (an extension).
/// Collective.
[[nodiscard]] std::optional<std::string> check_landmark_file(const Communicator& communicator, const std::string& where,
                                                             const std::string& path, Index objects,
                                                             std::uint64_t digest);

}  // namespace cairn

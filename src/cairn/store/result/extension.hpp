// Results whose rows are objects that were not in the data of another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// Keeps basis_digest of the result that is extended in an extension's description, and finds it there again: nothing
/// if an earlier version wrote it. Local.
void describe_base(ResultDescription& description, std::uint64_t digest);
[[nodiscard]] std::optional<std::uint64_t> base_digest(const ResultDescription& description);

/// What a user must know before working with the rows of the result at `path`: that they fit K much worse than those of
/// the result they extend, or that they were made by a version whose extend could be wrong. Local.
[[nodiscard]] std::vector<std::string> extension_warnings(const ResultDescription& description,
                                                          const std::string& path);

}  // namespace cairn

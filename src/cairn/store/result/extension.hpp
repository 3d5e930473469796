// Results whose rows are objects that were not in the data of another result, which they extend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// ||K~ - K|| / ||K|| among new objects, and among the objects of the extended result.
struct ExtensionError {
  std::optional<ErrorEstimate> rows;  ///< nothing if it was not measured
  std::optional<ErrorEstimate> base;  ///< its relative error and standard error only; nothing if unknown
};

/// Stores the error of the base in an extension's description, and reads both errors from there. Local.
void describe_extension(ResultDescription& description, const ExtensionError& error);
[[nodiscard]] ExtensionError extension_error(const ResultDescription& description);
[[nodiscard]] bool is_extension(const ResultDescription& description);

/// Stores basis_digest of the extended result in an extension's description, and reads it from there: nothing if an
/// earlier version wrote it. Local.
void describe_base(ResultDescription& description, std::uint64_t digest);
[[nodiscard]] std::optional<std::uint64_t> base_digest(const ResultDescription& description);

/// Digest that identifies the columns of the left factor of a result: basis_digest, which extensions by similarities
/// with landmarks keep; for other extensions (means of the rows of words) that of the extended result. Collective.
template <class T>
[[nodiscard]] std::uint64_t columns_digest(const Communicator& communicator, const Approximation<T>& approximation,
                                           const ResultDescription& description);
/// Digests that coefficients may have to be applicable to rows of the result: its own basis_digest, which models of
/// earlier versions store, and for an extension also that of the extended result. Collective.
template <class T>
[[nodiscard]] std::vector<std::uint64_t> digests_of_columns(const Communicator& communicator,
                                                            const Approximation<T>& approximation,
                                                            const ResultDescription& description);

/// The file whose extensions have rows of the same columns as the result at `path`: `path` itself, or, if it cannot be
/// extended, the result that it extends; empty if neither can be extended. Local.
template <class T>
[[nodiscard]] std::string extendable_file(const Approximation<T>& approximation, const ResultDescription& description,
                                          const std::string& path);

/// Warnings for users of the rows of the result at `path`: they fit K much worse than those of the extended result, or
/// were computed by a version whose extend could be wrong. Local.
[[nodiscard]] std::vector<std::string> extension_warnings(const ResultDescription& description,
                                                          const std::string& path);

}  // namespace cairn

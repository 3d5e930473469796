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

/// What the columns of the left factor of a result stand for: basis_digest, which extensions by similarities with
/// landmarks keep; of other extensions (means of the rows of words) that of the result which they extend. Collective.
template <class T>
[[nodiscard]] std::uint64_t columns_digest(const Communicator& communicator, const Approximation<T>& approximation,
                                           const ResultDescription& description);
/// Digests of the columns that rows of the result have, so that coefficients of any of these go with them: of an
/// extension that of the result which it extends, and its own basis_digest, which models of earlier versions keep.
/// Collective.
template <class T>
[[nodiscard]] std::vector<std::uint64_t> digests_of_columns(const Communicator& communicator,
                                                            const Approximation<T>& approximation,
                                                            const ResultDescription& description);

/// The file whose extensions have rows of the same columns as the result at `path`: its own, or, if it cannot be
/// extended itself, that of the result which it extends; empty if neither can. Local.
template <class T>
[[nodiscard]] std::string extendable_file(const Approximation<T>& approximation, const ResultDescription& description,
                                          const std::string& path);

/// What a user must know before working with the rows of the result at `path`: that they fit K much worse than those of
/// the result they extend, or that they were made by a version whose extend could be wrong. Local.
[[nodiscard]] std::vector<std::string> extension_warnings(const ResultDescription& description,
                                                          const std::string& path);

}  // namespace cairn

// Factor rows of new objects and their error, for results held by a program and for files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/extension_report.hpp"

namespace cairn {

/// Factor that gets rows of new objects.
enum class FactorSide { rows, columns };

/// New objects, and settings for the error of their rows.
template <class T>
struct ExtensionInput {
  const Similarity<T>& similarity;  ///< the one that the result approximates, between the new objects
  const ObjectSet& objects;         ///< the new objects
  FactorSide side = FactorSide::rows;
  /// Pairs on which the error is measured; 0: none. Nothing: default_extension_pairs(), or none for a result whose
  /// columns represent other objects.
  std::optional<Index> pairs{};
  const ObjectSet* others = nullptr;  ///< objects of the unchanged factor, if its error is measured
};

/// The factors of new objects.
template <class T>
struct Extension : Remarks {
  Approximation<T> approximation;
  std::optional<ErrorEstimate> error;
  Index evaluations = 0;  ///< over all ranks, without those for the error
};

/// Checks the number of pairs on which an error is measured. @throws Error(usage) for 1 and for negative numbers.
/// Local.
void require_extension_pairs(Index pairs, const std::string& name);

/// @param path  path of the result, for the message; may be empty
/// @throws Error(usage) unless its factors follow from similarities with landmarks. Local.
template <class T>
void require_extendable(const Approximation<T>& approximation, const ResultDescription& description,
                        const std::string& path);

/// Replaces the factors by those of the new objects under the same J, or one of them if the columns represent other
/// objects.
/// @param population  number of objects from which the landmarks were chosen
/// @throws Error(usage) if the similarity is not defined for new objects. Collective.
template <class T>
[[nodiscard]] Extension<T> extend_by_similarities(const Execution& execution, Approximation<T> base, Index population,
                                                  const ExtensionInput<T>& input);

/// Description of an extension for its file. @param made, path  description and path of the extended result
/// @param digest  of the new objects @param basis  basis_digest of that result; nothing: rows of other columns
/// @param error  of the new rows, if it was measured. Local.
[[nodiscard]] ResultDescription describe_rows(const ResultDescription& made, const std::string& path,
                                              std::uint64_t digest, std::optional<std::uint64_t> basis,
                                              const std::optional<ErrorEstimate>& error);

}  // namespace cairn

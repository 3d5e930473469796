// Factor rows of new objects and their error, of results that a program holds and of files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/extension_report.hpp"

namespace cairn {

/// The factor whose rows new objects get.
enum class FactorSide { rows, columns };

/// New objects, and how the error of their rows is measured.
template <class T>
struct ExtensionInput {
  const Similarity<T>& similarity;  ///< that the result approximates, of the new objects
  const ObjectSet& objects;         ///< the new ones
  FactorSide side = FactorSide::rows;
  /// Pairs on which the error is measured; 0: it is not. Nothing: default_extension_pairs(), and none of a result whose
  /// columns stand for other objects.
  std::optional<Index> pairs{};
  const ObjectSet* others = nullptr;  ///< objects of the factor that stays as it is, if its error is measured
};

/// The factors of new objects.
template <class T>
struct Extension : Remarks {
  Approximation<T> approximation;
  std::optional<ErrorEstimate> error;
  Index evaluations = 0;  ///< over all ranks, without those for the error
};

/// Checks a number of pairs on which an error is measured. @throws Error(usage) for 1 and for negative numbers. Local.
void require_extension_pairs(Index pairs, const std::string& name);

/// @param path  of the result, for the message; empty: it has none
/// @throws Error(usage) unless its factors follow from similarities with landmarks. Local.
template <class T>
void require_extendable(const Approximation<T>& approximation, const ResultDescription& description,
                        const std::string& path);

/// The factors become those of the new objects under the same J, or one of them if the columns stand for other objects.
/// @param population  number of the objects that the landmarks were chosen from
/// @throws Error(usage) if the similarity is not defined for new objects. Collective.
template <class T>
[[nodiscard]] Extension<T> extend_by_similarities(const Execution& execution, Approximation<T> base, Index population,
                                                  const ExtensionInput<T>& input);

/// The description of an extension in its file. @param made, path  of the result that is extended
/// @param digest  of the new objects @param basis  basis_digest of that result; nothing: rows of other columns
/// @param error  of the new rows, if it was measured Local.
[[nodiscard]] ResultDescription describe_rows(const ResultDescription& made, const std::string& path,
                                              std::uint64_t digest, std::optional<std::uint64_t> basis,
                                              const std::optional<ErrorEstimate>& error);

}  // namespace cairn

// Step of a run that keeps exact entries of near objects.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/parameters/parameter.hpp"
#include "cairn/run/computation/exact_matrix.hpp"

namespace cairn {

/// Number of nearest objects that a run keeps per object, and its options.
struct NearChoice {
  Index near = 0;      ///< 0: none
  bool check = false;  ///< measure their benefit on a few whole rows
  bool exact = false;  ///< look for them by K itself, so that none is missed
};

/// The parameters for this number, 0 by default, and for the exact search. Local.
[[nodiscard]] std::vector<Parameter> near_parameters();

/// @param name  of the similarity @throws Error(usage) unless its nearest objects can be found exactly, if that is
/// requested. Local.
void check_near_exact(const NearChoice& choice, const std::string& name, const KeyNames& keys);

/// @param objects  n; 0 if not yet known @param keys  names of the output keys (near)
/// @throws Error(usage) if a K with these traits has no near entries to keep: it is single-source (path lengths keep
/// their hierarchy, the two directions of a geodesic differ), or its columns represent other objects; and unless near <
/// objects. Local.
void check_near(Index near, Index objects, const SimilarityTraits& traits, bool rectangular, const KeyNames& keys);

/// Benefit of near entries, as sentences and metrics: near_found, near_found_by_factors, near_relative_error and
/// near_factor_error, each error with its _standard_error.
struct NearFindings {
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> metrics;
};

/// Benefit of S, on a few whole rows of K that the seed draws. @throws as check_near_entries(). Collective.
template <class T>
[[nodiscard]] NearFindings near_findings(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                         const Approximation<T>& approximation, const NearEntries<T>& near);

/// S, and evaluations over all ranks.
template <class T>
struct NearStep {
  std::shared_ptr<const NearEntries<T>> entries;  ///< null if none are kept
  Index evaluations = 0;                          ///< for S, including those of earlier runs
  Index restored = 0;                             ///< made by earlier runs
};

/// Finds S for an approximation of K and adds the findings and metrics to its report: near, near_entries,
/// near_evaluations (over all ranks) and, with a check, near_findings().
/// @throws as check_near() and find_near_entries(). Collective.
template <class T>
[[nodiscard]] NearStep<T> take_near_entries(const Execution& execution, const Data<T>& data,
                                            const ExactMatrix<T>& exact, const NearChoice& choice, const KeyNames& keys,
                                            Approximation<T>& approximation);

}  // namespace cairn

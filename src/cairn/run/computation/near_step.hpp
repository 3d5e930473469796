// The step of a run that keeps exact entries of near objects.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/parameters/parameter.hpp"
#include "cairn/run/computation/exact_matrix.hpp"

namespace cairn {

/// How many nearest objects of each a run keeps, and what else it does about them.
struct NearChoice {
  Index near = 0;      ///< 0: none
  bool check = false;  ///< a few whole rows say what they are worth
};

/// The parameter that says how many, 0 by default. Local.
[[nodiscard]] Parameter near_parameter();

/// @param objects  n; 0 if it is not known yet @param keys  of the output (near)
/// @throws Error(usage) if a K of these traits has no near entries to keep: it comes from one object to all others
/// (path lengths keep their hierarchy, the directions of a geodesic differ), or its columns stand for other objects;
/// and unless near < objects. Local.
void check_near(Index near, Index objects, const SimilarityTraits& traits, bool rectangular, const KeyNames& keys);

/// What near entries are worth, in sentences and figures: near_found, near_found_by_factors, near_relative_error and
/// near_factor_error, each error with its _standard_error.
struct NearFindings {
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> figures;
};

/// Those of S, on a few whole rows of K that the seed draws. @throws as check_near_entries(). Collective.
template <class T>
[[nodiscard]] NearFindings near_findings(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                         const Approximation<T>& approximation, const NearEntries<T>& near);

/// S, and evaluations over all ranks.
template <class T>
struct NearStep {
  std::shared_ptr<const NearEntries<T>> entries;  ///< null if none are kept
  Index evaluations = 0;                          ///< for S, those that earlier runs made among them
  Index restored = 0;                             ///< that earlier runs made
};

/// S of an approximation of K, whose report and figures get what was found out about it: near, near_entries,
/// near_evaluations (over all ranks) and, with a check, near_findings().
/// @throws as check_near() and find_near_entries(). Collective.
template <class T>
[[nodiscard]] NearStep<T> take_near_entries(const Execution& execution, const Data<T>& data,
                                            const ExactMatrix<T>& exact, const NearChoice& choice, const KeyNames& keys,
                                            Approximation<T>& approximation);

}  // namespace cairn

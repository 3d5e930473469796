// Checks on a few complete rows of K how much the exact near entries improve K~.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Number of rows that check_near_entries evaluates.
inline constexpr Index near_check_rows = 16;

/// Results for `rows` rows of K. An object is one of the true `near` nearest of another if at most near - 1 others are
/// nearer.
struct NearCheck {
  Index rows = 0;
  double found = 0.0;             ///< share of the true nearest whose entries are in S
  double found_by_factors = 0.0;  ///< share of the nearest by K~ alone that are true
  ErrorEstimate error;            ///< error of K~ + S
  ErrorEstimate factor_error;     ///< error of K~ alone
};

/// Evaluates near_check_rows rows of K (or all if there are fewer), drawn as in error_over_rows, and compares them with
/// K~ and K~ + S. Evaluations and seconds are attributed to the phase "near check". Memory: three times these rows.
/// @throws Error(numeric) if the rows of K are 0. Collective.
template <class T>
[[nodiscard]] NearCheck check_near_entries(const Execution& execution, const Approximation<T>& approximation,
                                           const NearEntries<T>& near, const Similarity<T>& similarity,
                                           const ObjectSet& objects);

}  // namespace cairn

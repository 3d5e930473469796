// What the exact entries of near objects are worth, on a few whole rows of K.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Rows that check_near_entries evaluates.
inline constexpr Index near_check_rows = 16;

/// Of `rows` rows of K. An object is one of the true `near` nearest of another if no more than near - 1 others are
/// nearer.
struct NearCheck {
  Index rows = 0;
  double found = 0.0;             ///< share of the true nearest of which S holds the entry
  double found_by_factors = 0.0;  ///< share of the nearest by K~ alone that are true
  ErrorEstimate error;            ///< of K~ + S
  ErrorEstimate factor_error;     ///< of K~ alone
};

/// Evaluates near_check_rows rows of K (or all of fewer), drawn as error_over_rows draws them, and compares them with
/// K~ and K~ + S. Evaluations and seconds go to the phase "near check". Memory: these rows three times.
/// @throws Error(numeric) if the rows of K are 0. Collective.
template <class T>
[[nodiscard]] NearCheck check_near_entries(const Execution& execution, const Approximation<T>& approximation,
                                           const NearEntries<T>& near, const Similarity<T>& similarity,
                                           const ObjectSet& objects);

}  // namespace cairn

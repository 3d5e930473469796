// Findings of biharmonic interpolation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Findings besides P.
struct InterpolationReport {
  std::string solver;  ///< the solver that auto chose
  std::string reason;  ///< why: one sentence
  /// max |sum of a row of P - 1| before entries were dropped; unknown for sparse P if a ledger had some columns
  std::optional<double> largest_row_sum_error;
  double condition_estimate = 0;  ///< of V - A without landmarks (direct, petsc), or the largest of M over patches
                                  ///< (local), 1-norm; 0: not computed
  Index iterations = 0;           ///< petsc: of one solve at most
  double preconditioned_condition = 0;  ///< petsc: largest over smallest Ritz value of the preconditioned operator
  double edge_bound = 0;                ///< local: largest magnitude at the edge of a patch
  double dropped_norm = 0;   ///< sparsity columns: root mean square over columns of (dropped / all) in 2-norm (local:
                             ///< of the computed entries)
  Index factor_entries = 0;  ///< of the largest factor held
  Index patches = 0;         ///< local: number of patches
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< information for the user, no warnings
};

}  // namespace cairn

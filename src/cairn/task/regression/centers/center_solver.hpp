// The two ways to solve the system of a regression on centers. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/task/regression/centers/center_regression.hpp"
#include "cairn/task/regression/centers/center_tiles.hpp"

namespace cairn {

/// Training rows of this rank for a regression on centers.
struct CenterRows {
  std::vector<Index> rows;    ///< global numbers, ascending
  std::vector<double> sides;  ///< targets, and a column of ones: rows x (targets + 1), row-major
  std::vector<char> folds;    ///< of each row: 0, or 1 if it is of the tenth that chooses among lambdas
  Index targets = 0;
  int fold_count = 1;

  [[nodiscard]] MatrixView<const double> view() const { return {sides.data(), std::ssize(rows), targets + 1}; }
};

/// Coefficients for one lambda.
struct CenterSolution {
  CenterCandidate candidate;
  std::vector<double> coefficients;  ///< m x targets, row-major; empty if the system is singular
  std::vector<double> root;          ///< as CenterVariances::root, of a single lambda if variances are asked for
};

/// A system that can be solved for rows of fold 0 or all rows.
class CenterSystem {
 public:
  virtual ~CenterSystem() = default;
  /// @param means  of the targets, which are subtracted @return one solution for each lambda. Collective.
  [[nodiscard]] virtual std::vector<CenterSolution> solve(bool all_rows, const std::vector<double>& means,
                                                          const std::vector<double>& lambdas) = 0;
  /// Completes what the model says of the solver. Local.
  virtual void describe(CenterModel& model) const = 0;
};

/// Passes over the rows once. @param least  smallest lambda that is asked for @param variances  whether solutions have
/// likelihoods and roots. References must outlive the system. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<CenterSystem> make_direct_system(const Execution& execution, const CenterTiles<T>& tiles,
                                                               const CenterRows& rows, double least, bool variances);

/// @param together  most lambdas whose preconditioners are held at a time
template <class T>
[[nodiscard]] std::unique_ptr<CenterSystem> make_iterative_system(const Execution& execution,
                                                                  const CenterTiles<T>& tiles, const CenterRows& rows,
                                                                  const CenterOptions& options, Index together);

/// Cᵀ (Y - 1 meansᵀ) from Cᵀ [Y 1], m x (targets + 1). Local.
[[nodiscard]] std::vector<double> centered_sides(const std::vector<double>& right, const std::vector<double>& means);

}  // namespace cairn

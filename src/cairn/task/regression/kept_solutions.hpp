// Solutions of iterations in the checkpoint of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/schedule/kept_iterations.hpp"
#include "cairn/task/regression/chosen_rows.hpp"
#include "cairn/task/regression/conjugate_gradients.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Keeps the columns of x of an iteration, and restores them on any number of ranks.
class KeptSolutions {
 public:
  /// @param name  of the iteration, unique in a run @param partition  of rows over ranks
  /// @param rows  of this rank that x has, ascending. References must outlive this.
  KeptSolutions(const Execution& execution, std::string name, const RowPartition& partition,
                const std::vector<Index>& rows, std::size_t columns);

  /// The newest state of an earlier run; iteration 0: none. Collective.
  [[nodiscard]] GradientPoint restore();
  /// True if x is to be kept now. Collective.
  [[nodiscard]] bool due() { return kept_.due(); }
  /// Writes x, to be settled then. @param x  rows x columns @param iterations  of each column
  /// @throws Error(resource) if the disk fails. Collective.
  void keep(Index iteration, const std::vector<double>& x, const std::vector<Index>& iterations);
  /// Makes what was kept permanent. @throws Error(interrupted) if the run must stop, Error(resource) if the disk
  /// fails; the same on every rank. Collective.
  void settle() const { kept_.settle(); }

 private:
  // Places of a unit's rows in x.
  [[nodiscard]] Range places(Range unit) const;

  const std::vector<Index>& rows_;
  Index columns_;
  KeptIterations kept_;
};

/// A line for the report of a run that goes on from such a state. Local.
[[nodiscard]] ReportText restored_text(Index iteration);

/// Digest of what a regression learns from: the columns of a result, its data, rows and their targets. The same on any
/// number of ranks. Collective.
[[nodiscard]] std::uint64_t training_digest(const Communicator& communicator, std::uint64_t columns, std::uint64_t data,
                                            const ChosenRows& chosen);

}  // namespace cairn

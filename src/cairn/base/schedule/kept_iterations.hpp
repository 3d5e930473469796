// The states of an iteration in a checkpoint.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/schedule/execution.hpp"

namespace cairn {

/// What an iteration goes on from.
struct IterationState {
  Index iterations = 0;                      ///< that led to it; 0: there is none
  std::vector<double> head{};                ///< the same on every rank
  std::vector<std::vector<double>> units{};  ///< numbers of each unit of rows of this rank, in their order
};

/// Keeps the state of an iteration in execution.ledger, where that asks for it, and restores the newest one that is
/// whole, of the last two. Units of rows do not depend on the number of ranks; a state is restored on any.
class KeptIterations {
 public:
  /// @param name  of the iteration, unique in a run @param rows  whose units the numbers belong to
  /// @param head  how many numbers all ranks know. References must outlive this.
  KeptIterations(const Execution& execution, std::string name, const RowPartition& rows, std::size_t head);

  /// The units of rows of this rank, ascending. Local.
  [[nodiscard]] const std::vector<Range>& own_units() const { return own_; }
  /// @param numbers  how many a unit has. Collective.
  [[nodiscard]] IterationState restore(const std::function<std::size_t(Range unit)>& numbers);
  /// True if the state is to be kept now. Asks the ledger at most five times a second. Collective.
  [[nodiscard]] bool due();
  /// To be settled then. @throws Error(resource) if the disk fails. Collective.
  void keep(const IterationState& state);
  /// Makes what was kept permanent. @throws Error(interrupted) if the run must stop, the same on every rank;
  /// Error(resource) if the disk fails. Collective.
  void settle() const;

 private:
  using Clock = std::chrono::steady_clock;
  void begin_heads() const;
  void begin_state(Index iterations) const;
  [[nodiscard]] bool restore_units(const std::function<std::size_t(Range unit)>& numbers, IterationState& state) const;

  const Execution& execution_;
  std::string name_;
  Index rows_;
  std::size_t head_;
  std::vector<Range> own_;
  Index place_ = 0;  // of the next head, of two
  Clock::time_point begun_ = Clock::now();
  Clock::time_point asked_{};
};

}  // namespace cairn

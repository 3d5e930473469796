// The iteration and its state in checkpoints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/task/transport/coupling.hpp"

namespace cairn {

namespace {

// Position of the iteration in its annealing.
struct Stage {
  Index number = 0;  // index of the epsilon; equal to their number: the epsilon of the plan
  Index begun = 0;   // number of iterations before this stage
};

// Number of larger epsilons; the stage of this number is that of the plan.
Index stages_of(const SinkhornOptions& options) { return std::ssize(options.annealing.epsilons); }

void enter(const SinkhornOptions& options, Index stage) {
  if (stages_of(options) == 0) return;
  options.annealing.take(stage < stages_of(options) ? options.annealing.epsilons[stage] : options.epsilon);
}

// True if an epsilon of the annealing has used its share of half of all iterations, or if its plan is accurate enough.
bool ends_stage(const SinkhornOptions& options, const Stage& stage, const SinkhornOutcome& outcome) {
  const Index spent = outcome.iterations - stage.begun, half = options.iterations / 2;
  const Index share = std::max<Index>(1, (half - stage.begun) / (stages_of(options) - stage.number));
  return spent >= share || (spent > 1 && outcome.violation <= Annealing::violation);
}

// Saved scalings of all points, by unit of the interleaved list. Their names contain the iteration; the newest complete
// state is used.
template <class T>
class KeptScalings {
 public:
  KeptScalings(const Execution& execution, const InterleavedRows& rows, Coupling<T>& coupling,
               const SinkhornOptions& options)
      : execution_(execution), rows_(rows), coupling_(coupling), options_(options), before_(evaluations()) {}

  // Restores the newest state, if there is one, and its stage.
  SinkhornOutcome restore(Stage& stage);
  // Saves the state after `iterations` iterations, if that is due. Collective.
  void keep_where_due(Index iterations, const Stage& stage);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] Index units() const {
    const Index unit = RowPartition::unit(rows_.partition().rows());
    return (rows_.partition().rows() + unit - 1) / unit;
  }
  [[nodiscard]] std::string heads() const {
    return fmt::format("Sinkhorn, {}, kept iterations and their epsilons", options_.name);
  }
  [[nodiscard]] std::string state(Index iterations) const {
    return fmt::format("Sinkhorn, {}, iteration {}", options_.name, iterations);
  }
  [[nodiscard]] Index evaluations() const { return options_.evaluations ? options_.evaluations() : 0; }
  // Number of values stored for a unit.
  [[nodiscard]] std::size_t numbers_in(Range unit) const {
    Index count = 0;
    for (const Side side : options_.sides) count += rows_.range(side, unit).size();
    return static_cast<std::size_t>(count);
  }
  // Calls use(side, position among own points) for the points of a unit in their order.
  template <class Use>
  void for_each_point(Range unit, Use&& use) const;
  template <class Use>
  void for_each_own_unit(Use&& use) const;
  [[nodiscard]] bool restore_state(Index iterations);

  const Execution& execution_;
  const InterleavedRows& rows_;
  Coupling<T>& coupling_;
  const SinkhornOptions& options_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point asked_{};
  // Head of a state: evaluations of its iterations over all ranks, and its position in the annealing.
  struct Head {
    Index evaluations = 0;
    Stage stage{};
  };
  Index before_;       // evaluations of this rank before the iteration
  Index earlier_ = 0;  // evaluations of these iterations in earlier runs, of all ranks
};

template <class T>
template <class Use>
void KeptScalings<T>::for_each_own_unit(Use&& use) const {
  const Range own = rows_.partition().range(execution_.communicator.rank());
  const Index unit = RowPartition::unit(rows_.partition().rows());
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    use(begin / unit, Range{begin, std::min(begin + unit, own.end)});
  }
}

template <class T>
template <class Use>
void KeptScalings<T>::for_each_point(Range unit, Use&& use) const {
  const int rank = execution_.communicator.rank();
  for (const Side side : {Side::source, Side::target}) {
    const Side of_rows = options_.sides[index_of(side)];
    const Range own = rows_.range(of_rows, rank), points = rows_.range(of_rows, unit);
    for (Index number = points.begin; number < points.end; ++number) {
      use(side, static_cast<std::size_t>(number - own.begin));
    }
  }
}

template <class T>
bool KeptScalings<T>::restore_state(Index iterations) {
  std::array<std::vector<double>, 2> logs;
  const bool whole = collectively(execution_.communicator, [&] {
    logs = {coupling_.logs(Side::source), coupling_.logs(Side::target)};
    bool found = true;
    execution_.ledger.begin(state(iterations).c_str(), units());
    for_each_own_unit([&](Index number, Range unit) {
      std::vector<double> values(numbers_in(unit));
      found = found && execution_.ledger.get(number, std::as_writable_bytes(std::span(values)));
      std::size_t next = 0;
      for_each_point(unit, [&](Side side, std::size_t place) { logs[index_of(side)][place] = values[next++]; });
    });
    return found;
  });
  if (execution_.communicator.maximum(whole ? 0 : 1) > 0) return false;
  for (const Side side : {Side::source, Side::target}) {
    coupling_.set_logs(side, std::move(logs[index_of(side)]));
  }
  return true;
}

template <class T>
SinkhornOutcome KeptScalings<T>::restore(Stage& stage) {
  const Communicator& communicator = execution_.communicator;
  Head head;
  for (Index done = options_.iterations; done > 0; --done) {
    collectively(communicator, [&] {
      execution_.ledger.begin(heads().c_str(), options_.iterations + 1);
      const auto bytes = std::as_writable_bytes(std::span(&head, 1));
      while (communicator.is_root() && done > 0 && !execution_.ledger.get(done, bytes)) --done;
    });
    communicator.broadcast(std::span(&done, 1), 0);
    if (done == 0) break;
    communicator.broadcast(std::span(&head, 1), 0);
    enter(options_, head.stage.number);
    if (restore_state(done)) {
      stage = head.stage;
      earlier_ = head.evaluations;
      return {.iterations = done, .earlier = done, .earlier_evaluations = earlier_};
    }
  }
  earlier_ = 0;
  return {};
}

template <class T>
void KeptScalings<T>::keep_where_due(Index iterations, const Stage& stage) {
  // Checking takes a message; an iteration may take less time.
  constexpr std::chrono::milliseconds pause{200};
  const Communicator& communicator = execution_.communicator;
  const auto now = Clock::now();
  int ask = now - asked_ > pause ? 1 : 0;
  if (communicator.size() > 1) communicator.broadcast(std::span(&ask, 1), 0);
  if (ask == 0) return;
  asked_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  if (communicator.maximum(execution_.ledger.due(seconds) ? 1 : 0) == 0) return;
  const Head head{earlier_ + communicator.sum(evaluations() - before_), stage};
  collectively(communicator, [&] {
    const std::array logs{coupling_.logs(Side::source), coupling_.logs(Side::target)};
    execution_.ledger.begin(state(iterations).c_str(), units());
    for_each_own_unit([&](Index number, Range unit) {
      std::vector<double> values;
      for_each_point(unit, [&](Side side, std::size_t place) { values.push_back(logs[index_of(side)][place]); });
      execution_.ledger.keep(number, std::as_bytes(std::span(values)));
    });
  });
  collectively(communicator, [&] {
    execution_.ledger.begin(heads().c_str(), options_.iterations + 1);
    if (communicator.is_root()) execution_.ledger.keep(iterations, std::as_bytes(std::span(&head, 1)));
    execution_.ledger.begin(state(iterations).c_str(), units());  // a stop message then refers to the iteration
  });
  collectively(communicator, [&] { execution_.ledger.settle(); });
}

// u <- sqrt(u w / (K u)), and v = u.
template <class T>
double scale_symmetric(const Communicator& communicator, Coupling<T>& coupling, Index iteration) {
  std::vector<double> mean = collectively(communicator, [&] { return coupling.logs(Side::source); });
  const double violation = coupling.scale(Side::source, iteration);
  collectively(communicator, [&] {
    const std::vector<double> after = coupling.logs(Side::source);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + after[i]) / 2;
    coupling.set_logs(Side::target, mean);
    coupling.set_logs(Side::source, std::move(mean));
  });
  return violation;
}

}  // namespace

template <class T>
SinkhornOutcome sinkhorn(const Execution& execution, const InterleavedRows& rows, Coupling<T>& coupling,
                         const SinkhornOptions& options) {
  const auto phase = execution.phases.enter("sinkhorn");
  KeptScalings<T> kept(execution, rows, coupling, options);
  const Index stages = stages_of(options);
  Stage stage;
  SinkhornOutcome outcome = kept.restore(stage);
  enter(options, stage.number);
  outcome.epsilons = std::min(stages, stage.number + (outcome.iterations > stage.begun ? 1 : 0));
  Progress progress("sinkhorn", options.iterations, execution.communicator.is_root(), "iterations/s");
  while (outcome.iterations < options.iterations) {
    const Index iteration = ++outcome.iterations;
    if (stage.number < stages && iteration == stage.begun + 1) ++outcome.epsilons;
    outcome.violation = options.symmetric ? scale_symmetric(execution.communicator, coupling, iteration)
                                          : coupling.scale(Side::source, iteration);
    // Before the first iteration of an epsilon the sums do not belong to its P.
    outcome.converged = stage.number == stages && iteration > stage.begun + 1 && outcome.violation <= options.tolerance;
    if (!options.symmetric) coupling.scale(Side::target, iteration);
    Watchdog::beat();
    progress.advance(1);
    if (outcome.converged) break;
    if (stage.number < stages && ends_stage(options, stage, outcome)) {
      // If there are too few iterations for all epsilons, the remaining ones are made at that of the plan.
      stage = {2 * iteration < options.iterations ? stage.number + 1 : stages, iteration};
      enter(options, stage.number);
    }
    if (iteration < options.iterations) kept.keep_where_due(iteration, stage);
  }
  enter(options, stages);
  outcome.annealed = stage.number == stages ? stage.begun : outcome.iterations;
  return outcome;
}

template SinkhornOutcome sinkhorn(const Execution&, const InterleavedRows&, Coupling<float>&, const SinkhornOptions&);
template SinkhornOutcome sinkhorn(const Execution&, const InterleavedRows&, Coupling<double>&, const SinkhornOptions&);

}  // namespace cairn

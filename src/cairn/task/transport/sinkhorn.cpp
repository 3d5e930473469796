// The iteration and its state in checkpoints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/kept_iterations.hpp"
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

// Saved scalings of all points, by unit of the interleaved list.
template <class T>
class KeptScalings {
 public:
  KeptScalings(const Execution& execution, const InterleavedRows& rows, Coupling<T>& coupling,
               const SinkhornOptions& options)
      : communicator_(execution.communicator),
        rows_(rows),
        coupling_(coupling),
        options_(options),
        kept_(execution, fmt::format("Sinkhorn, {}", options.name), rows.partition(), head_numbers),
        before_(evaluations()) {}

  // Restores the newest state, if there is one, and its stage. Collective.
  SinkhornOutcome restore(Stage& stage);
  // Saves the state after `iterations` iterations, if that is due. Collective.
  void keep_where_due(Index iterations, const Stage& stage);

 private:
  // Evaluations of its iterations over all ranks, and its position in the annealing.
  static constexpr std::size_t head_numbers = 3;
  [[nodiscard]] Index evaluations() const { return options_.evaluations ? options_.evaluations() : 0; }
  // Calls use(side, position among own points) for the points of a unit in their order.
  template <class Use>
  void for_each_point(Range unit, Use&& use) const;

  const Communicator& communicator_;
  const InterleavedRows& rows_;
  Coupling<T>& coupling_;
  const SinkhornOptions& options_;
  KeptIterations kept_;
  Index before_;       // evaluations of this rank before the iteration
  Index earlier_ = 0;  // evaluations of these iterations in earlier runs, of all ranks
};

template <class T>
template <class Use>
void KeptScalings<T>::for_each_point(Range unit, Use&& use) const {
  const int rank = communicator_.rank();
  for (const Side side : {Side::source, Side::target}) {
    const Side of_rows = options_.sides[index_of(side)];
    const Range own = rows_.range(of_rows, rank), points = rows_.range(of_rows, unit);
    for (Index number = points.begin; number < points.end; ++number) {
      use(side, static_cast<std::size_t>(number - own.begin));
    }
  }
}

template <class T>
SinkhornOutcome KeptScalings<T>::restore(Stage& stage) {
  const IterationState state = kept_.restore([&](Range unit) {
    Index count = 0;
    for (const Side side : options_.sides) count += rows_.range(side, unit).size();
    return static_cast<std::size_t>(count);
  });
  if (state.iterations == 0) return {};
  earlier_ = static_cast<Index>(state.head[0]);
  stage = {static_cast<Index>(state.head[1]), static_cast<Index>(state.head[2])};
  enter(options_, stage.number);
  collectively(communicator_, [&] {
    std::array logs{coupling_.logs(Side::source), coupling_.logs(Side::target)};
    for (std::size_t k = 0; k < state.units.size(); ++k) {
      auto next = state.units[k].begin();
      for_each_point(kept_.own_units()[k],
                     [&](Side side, std::size_t place) { logs[index_of(side)][place] = *next++; });
    }
    for (const Side side : {Side::source, Side::target}) {
      coupling_.set_logs(side, std::move(logs[index_of(side)]));
    }
  });
  return {.iterations = state.iterations, .earlier = state.iterations, .earlier_evaluations = earlier_};
}

template <class T>
void KeptScalings<T>::keep_where_due(Index iterations, const Stage& stage) {
  if (!kept_.due()) return;
  const Index all = earlier_ + communicator_.sum(evaluations() - before_);
  IterationState state{
      .iterations = iterations,
      .head = {static_cast<double>(all), static_cast<double>(stage.number), static_cast<double>(stage.begun)}};
  collectively(communicator_, [&] {
    const std::array logs{coupling_.logs(Side::source), coupling_.logs(Side::target)};
    for (const Range unit : kept_.own_units()) {
      std::vector<double>& values = state.units.emplace_back();
      for_each_point(unit, [&](Side side, std::size_t place) { values.push_back(logs[index_of(side)][place]); });
    }
  });
  kept_.keep(state);
  kept_.settle();
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

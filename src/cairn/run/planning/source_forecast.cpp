#include "cairn/run/planning/source_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/planning/measured_seconds.hpp"
#include "cairn/similarity/source_columns.hpp"

namespace cairn {

namespace {

constexpr Index most_bytes = Index{512} << 20;  // of columns that are evaluated, over all ranks
constexpr Index first_rows = 64;                // that an estimate of the error compares at least

std::vector<Index> evenly_spread(Index objects, Index count) {
  std::vector<Index> ids(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) ids[static_cast<std::size_t>(k)] = (2 * k + 1) * objects / (2 * count);
  return ids;
}

// Of a column, while all ranks evaluate theirs and send them to the owners of rows.
template <class T>
double seconds_of_column(const Execution& execution, const SourceSimilarity& similarity, const PlanInput& input) {
  const Communicator& communicator = execution.communicator;
  const Index n = similarity.size(), workers = static_cast<Index>(communicator.size()) * execution.threads;
  const Index bands = std::max<Index>(1, most_bytes / (n * static_cast<Index>(sizeof(T)) * similarity.traits().batch));
  const Index count =
      std::min({n, std::max<Index>(1, input.landmarks), similarity.traits().batch * std::min(workers, bands)});
  RowBlock<T> columns(RowPartition(n, communicator.size()), communicator.rank(), count);
  const std::vector<Index> sources = evenly_spread(n, count);
  const double seconds = seconds_of(
      communicator,
      [&] {
        Phases::Scope phase = execution.phases.enter("similarities");
        evaluate_source_columns(execution, similarity, sources, columns, 0, phase, "similarities");
      },
      1);
  return seconds / static_cast<double>(count) * communicator.size() / input.ranks;
}

double seconds_of_row(const Execution& execution, const SourceSimilarity& similarity, const PlanInput& input) {
  const Index n = similarity.size();
  const Index count = std::min({n, similarity.traits().batch, std::max<Index>(1, most_bytes / (8 * n * 8))});
  Buffer<double> rows(count * n);
  const std::vector<Index> sources = evenly_spread(n, count);
  const double seconds = seconds_of(
      execution.communicator,
      [&] {
        collectively(execution.communicator,
                     [&] { similarity.to_all(sources, MatrixView<double>(rows.data(), count, n)); });
      },
      1);
  return seconds / static_cast<double>(count) / (input.ranks * execution.threads);
}

}  // namespace

template <class T>
std::vector<PlanPhase> forecast_sources(const Execution& execution, const Data<T>& data, const RunChoices& run,
                                        const PlanInput& input, const Plan& plan, const PlanRates& rates,
                                        const MachineRates* known) {
  const MethodCost cost = method_cost(input);
  std::unique_ptr<const ExactMatrix<T>> exact;
  const double slower = known != nullptr ? measure_evaluations(execution) / known->evaluations : 1.0;
  const double setup =
      slower *
      seconds_of(
          execution.communicator,
          [&] { exact = std::make_unique<const ExactMatrix<T>>(make_exact_matrix(execution, data, run.similarity)); },
          1);
  const double column = slower * seconds_of_column<T>(execution, *exact->sources, input);
  const double row = slower * seconds_of_row(execution, *exact->sources, input);
  std::vector<PlanPhase> phases;
  for (const PlanPhase& phase : plan_seconds(input, plan, rates)) {
    if (phase.name == "similarities") {
      phases.push_back({"similarity setup", setup});
      phases.push_back({phase.name, column * static_cast<double>(cost.columns)});
    } else if (phase.name == "probe") {
      if (!input.estimate.measured) continue;
      const double products = 2.0 * static_cast<double>(own_rows(input)) * static_cast<double>(cost.left) / rates.flops;
      const double compared = row + products;
      phases.push_back({"evaluation", compared * static_cast<double>(input.estimate.rows)});
      limit_estimate(phases, input.estimate, compared * static_cast<double>(std::min(first_rows, input.estimate.rows)));
    } else {
      phases.push_back(phase);
    }
  }
  return phases;
}

template std::vector<PlanPhase> forecast_sources(const Execution&, const Data<float>&, const RunChoices&,
                                                 const PlanInput&, const Plan&, const PlanRates&, const MachineRates*);
template std::vector<PlanPhase> forecast_sources(const Execution&, const Data<double>&, const RunChoices&,
                                                 const PlanInput&, const Plan&, const PlanRates&, const MachineRates*);

}  // namespace cairn

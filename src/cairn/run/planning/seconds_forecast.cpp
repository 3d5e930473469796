#include "cairn/run/planning/seconds_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/corpus/corpus_generator.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/planning/machine_rates.hpp"
#include "cairn/run/planning/measured_seconds.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/source_columns.hpp"

namespace cairn {

namespace {

constexpr Index most_bytes = Index{512} << 20;  // of evaluated columns, over all ranks
constexpr Index first_rows = 64;                // least number that an estimate of the error compares

std::vector<Index> evenly_spread(Index objects, Index count) {
  std::vector<Index> ids(count);
  for (Index k = 0; k < count; ++k) ids[k] = (2 * k + 1) * objects / (2 * count);
  return ids;
}

// Seconds of one column on one rank, while all ranks evaluate theirs and send them to the owners of rows.
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
  return seconds / static_cast<double>(count) * communicator.size();
}

double seconds_of_row(const Execution& execution, const SourceSimilarity& similarity) {
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
  return seconds / static_cast<double>(count) / execution.threads;
}

struct SourceSeconds {
  double setup = 0;            // of K, on each rank
  double column = 0, row = 0;  // of one rank that evaluates one
};

// K is set up as in the run, and a band of columns per rank and a few rows are evaluated. @param known  machine to
// which the measurements are scaled; null: none. Memory: that of K, and 512 MiB over all ranks. @throws as setting up
// K. Collective.
template <class T>
SourceSeconds measure_sources(const Execution& execution, const Data<T>& data, const RunChoices& run,
                              const PlanInput& input, const MachineRates* known) {
  std::unique_ptr<const ExactMatrix<T>> exact;
  const double slower = known != nullptr ? measure_evaluations(execution) / known->evaluations : 1.0;
  const double setup = seconds_of(
      execution.communicator,
      [&] { exact = std::make_unique<const ExactMatrix<T>>(make_exact_matrix(execution, data, run.similarity)); }, 1);
  return {slower * setup, slower * seconds_of_column<T>(execution, *exact->sources, input),
          slower * seconds_of_row(execution, *exact->sources)};
}

// The phases of plan_seconds(), those of columns and rows as they were measured.
std::vector<PlanPhase> phases_of_sources(const SourceSeconds& measured, const PlanInput& input, const Plan& plan,
                                         const PlanRates& rates) {
  const MethodCost cost = method_cost(input);
  std::vector<PlanPhase> phases;
  for (const PlanPhase& phase : plan_seconds(input, plan, rates)) {
    if (phase.name == "similarities") {
      phases.push_back({"similarity setup", measured.setup});
      phases.push_back({phase.name, measured.column * static_cast<double>(cost.columns) / input.ranks});
    } else if (phase.name == "probe") {
      if (!input.estimate.measured) continue;
      const double products = 2.0 * static_cast<double>(own_rows(input)) * static_cast<double>(cost.left) / rates.flops;
      const double compared = measured.row / input.ranks + products;
      phases.push_back({"evaluation", compared * static_cast<double>(input.estimate.rows)});
      limit_estimate(phases, input.estimate, compared * static_cast<double>(std::min(first_rows, input.estimate.rows)));
    } else {
      phases.push_back(phase);
    }
  }
  return phases;
}

// Speed of the computations of a run, measured in a second or two.

constexpr Index tile_rows = 512;
constexpr Index most_columns = 1024;
constexpr Index document_rows = 32;  // documents and trees take longer
constexpr Index document_columns = 128;
constexpr Index most_rows = 8192;
constexpr double least_seconds = 0.1;

struct TileShape {
  Index rows = 0;
  Index columns = 0;
  int calls = 1;  // the fastest one counts: a second one has the similarities of objects with themselves
};

template <class T>
PointSet<T> points_like(const Execution& execution, const PlanInput& input) {
  PointSource source;
  source.generator = "uniform";
  source.points = tile_rows * execution.communicator.size();
  source.dimension = std::max<Index>(input.data.dimension, 1);
  return read_points<T>(execution.communicator, source);
}

// Replaces a similarity from a file or from counts, whose entries cost no more, by a kernel of points.
SimilarityChoice priced(SimilarityChoice choice) {
  const SimilarityTraits own = choice.descriptor->traits;
  if ((own.stored && !own.runs_program) || own.counts) return {rbf_similarity(), Values(rbf_similarity().parameters)};
  for (SimilarityChoice& part : choice.parts) part = priced(std::move(part));
  return choice;
}

// `count` objects at equal distances, or all if there are no more; another `start` gives another choice.
std::vector<Index> spread_from(Index objects, Index count, Index start) {
  const Index chosen = std::min(objects, count);
  std::vector<Index> ids(chosen);
  for (Index k = 0; k < chosen; ++k) ids[k] = (2 * k + start) * objects / (2 * chosen);
  return ids;
}

// Measures the similarity, with plain numbers for words, on `objects`, which are the data or replace them; a matrix on
// disk is priced by rbf. @param shape  of the measured tile
template <class T>
void measure_similarity(const Execution& execution, const SimilarityChoice& own, const ObjectSet& objects,
                        TileShape shape, PlanRates& rates) {
  const SimilarityChoice choice = priced(own);
  const auto similarity = make_similarity<T>(execution, choice, objects);
  const Communicator& communicator = execution.communicator;
  const auto columns = objects.gather(communicator, spread_from(objects.size(), shape.columns, 0));
  struct Grown {
    Index count = 0;
    double seconds = 0;
    [[nodiscard]] double of_one() const { return seconds / static_cast<double>(count); }
  };
  const auto grown = [&](Index count, const auto& measure) {  // over enough objects
    while (true) {
      const Index chosen = std::min(count, objects.size());
      const double seconds = measure(chosen);
      if (seconds > least_seconds || chosen < count || chosen >= most_rows) return Grown{chosen, seconds};
      count *= 2;
    }
  };
  const Grown rows = grown(shape.rows, [&](Index count) {
    const auto block = objects.gather(communicator, spread_from(objects.size(), count, 1));
    Buffer<T> out(block->size() * columns->size());
    return seconds_of(
        communicator,
        [&] { similarity->tile(*block, *columns, MatrixView<T>(out.data(), block->size(), columns->size())); },
        shape.calls);
  });
  rates.evaluations = static_cast<double>(columns->size()) / rows.of_one() * execution.threads;
  const auto seconds_of_pairs = [&](Index count) {  // their objects come from their owners each time
    const auto ids = spread_from(objects.size(), count, 1), others = spread_from(objects.size(), count, 0);
    return seconds_of(
        communicator,
        [&] {
          const auto first = objects.gather(communicator, ids);
          const auto second = objects.gather(communicator, others);
          Buffer<T> out(first->size());
          similarity->pairs(*first, *second, std::span(out.data(), static_cast<std::size_t>(first->size())));
        },
        shape.calls);
  };
  // The latency of messages, which does not depend on the number of pairs, is counted with the messages.
  constexpr double least_share = 0.2;
  const Grown all = grown(shape.rows, seconds_of_pairs);
  const Index half = all.count / 2;
  const double more = half > 0 ? (all.seconds - seconds_of_pairs(half)) / static_cast<double>(all.count - half) : 0.0;
  rates.pairs = 1 / std::max(more, least_share * all.of_one());
}

// Uses a corpus like the planned one, with a limited number of tokens per rank.
void measure_counting(const Execution& execution, const PlanInput& input, PlanRates& rates) {
  constexpr Index most_tokens = 2'000'000;
  const Communicator& communicator = execution.communicator;
  const Index tokens = std::min(most_tokens * communicator.size(), input.data.tokens);
  const ZipfCorpus like{input.data.objects, tokens, std::clamp<Index>(input.data.text_tokens, 1, 1000), 1};
  const auto own = static_cast<double>(tokens) / communicator.size();
  CorpusText text;
  CorpusWords words;
  rates.generated_tokens = own / seconds_of(
                                     communicator,
                                     [&] {
                                       CorpusCounts counts;
                                       words = generate_corpus(communicator, like, {}, text, counts);
                                     },
                                     2);
  rates.counted_tokens =
      own / seconds_of(
                communicator,
                [&] { [[maybe_unused]] const auto counts = count_cooccurrences(execution, text, words, Counting{}); },
                2);
}

// What the method needs of the machine, by `known` if it is given. Collective.
MachineRates machine_of(const Execution& execution, const PlanInput& input, const MachineRates* known) {
  if (known != nullptr) return *known;
  const MethodCost cost = method_cost(input);
  return measure_machine(execution, orders_for(cost.core_matrix, cost.cholesky_flops > 0, cost.eigen_flops > 0));
}

// Rates of core matrices depend on the number of ranks. Local.
PlanRates for_ranks(PlanRates rates, const MachineRates& machine, const PlanInput& input) {
  const MethodCost cost = method_cost(input);
  if (cost.cholesky_flops > 0) rates.cholesky_flops = cholesky_flops(machine, cost.core_matrix, input.ranks);
  if (cost.eigen_flops > 0) rates.eigen_flops = eigen_flops(machine, cost.core_matrix, input.ranks);
  return rates;
}

// The rates that do not depend on the similarity: the only ones known for a single-source similarity. Local.
PlanRates machine_rates(const MachineRates& machine, const PlanInput& input) {
  PlanRates rates;
  rates.evaluations = rates.pairs = machine.evaluations;
  rates.flops = machine.products;
  rates.fresh_bytes = machine.fresh_bytes;
  rates.read_bytes = machine.read_bytes;
  rates.write_bytes = machine.written_bytes;
  rates.disk_measured = machine.disk_measured;
  return for_ranks(rates, machine, input);
}

// Measures the similarity between objects of the data, spread over them, or on generated points of their dimension if
// `objects` is null. @param known  rates of another machine, or measured before: rates measured here are scaled by the
// ratio of rbf evaluations. Collective.
template <class T>
void measure_evaluation(const Execution& execution, const SimilarityChoice& similarity, const PlanInput& input,
                        const ObjectSet* objects, const MachineRates* known, PlanRates& rates) {
  if (objects != nullptr) {
    const bool quick = dynamic_cast<const PointSet<T>*>(objects) != nullptr;
    const Index columns = std::clamp<Index>(input.landmarks, 1, quick ? most_columns : document_columns);
    measure_similarity<T>(execution, similarity, *objects,
                          quick ? TileShape{tile_rows, columns, 3} : TileShape{document_rows, columns, 2}, rates);
  } else {
    const PointSet<T> points = points_like<T>(execution, input);
    const Index columns = std::clamp<Index>(input.landmarks, 1, most_columns);
    measure_similarity<T>(execution, similarity, points, {tile_rows, columns, 3}, rates);
  }
  if (input.data.tokens > 0) measure_counting(execution, input, rates);
  if (known != nullptr) {
    const double ratio = known->evaluations / measure_evaluations(execution);
    for (double* rate : {&rates.evaluations, &rates.pairs, &rates.generated_tokens, &rates.counted_tokens})
      *rate *= ratio;
  }
}

// True if evaluations are measured between the objects themselves.
template <class T>
bool compares(const SimilarityTraits& traits, const Data<T>& data, const DataSize& size) {
  return size.document_bytes > 0 || (data.points() != nullptr && !data.right && !traits.stored && !traits.counts);
}

}  // namespace

bool is_quickly_read(const DataSize& size) {
  constexpr Index most_bytes = Index{512} << 20;
  const Index bytes = std::max<Index>(size.document_bytes, size.dimension * static_cast<Index>(sizeof(double)));
  return size.tokens == 0 && size.right_objects == 0 && bytes > 0 && size.objects <= most_bytes / bytes;
}

void scale_to(const Execution& execution, const MachineRates& known, std::span<PlanPhase> phases) {
  const double slower = measure_evaluations(execution) / known.evaluations;
  for (PlanPhase& phase : phases) phase.seconds *= slower;
}

template <class T>
SecondsForecast forecast_seconds(const Execution& execution, const Data<T>* data, const RunChoices& run,
                                 const PlanInput& input, const MachineRates* known, double read_seconds) {
  const MachineRates machine = machine_of(execution, input, known);
  PlanRates rates = machine_rates(machine, input);
  rates.read_seconds = read_seconds;
  if (input.by_source()) {
    const SourceSeconds measured = measure_sources(execution, *data, run, input, known);
    return {rates, machine.links, [measured, rates, machine](const PlanInput& of, const Plan& plan) {
              return phases_of_sources(measured, of, plan, for_ranks(rates, machine, of));
            }};
  }
  const bool own = data != nullptr && compares(run.similarity.traits(), *data, input.data);
  const ObjectSet* objects = own ? (data->positions ? data->positions.get() : data->objects.get()) : nullptr;
  measure_evaluation<T>(execution, run.similarity, input, objects, known, rates);
  return {rates, machine.links, [rates, machine](const PlanInput& of, const Plan& plan) {
            return plan_seconds(of, plan, for_ranks(rates, machine, of));
          }};
}

template SecondsForecast forecast_seconds(const Execution&, const Data<float>*, const RunChoices&, const PlanInput&,
                                          const MachineRates*, double);
template SecondsForecast forecast_seconds(const Execution&, const Data<double>*, const RunChoices&, const PlanInput&,
                                          const MachineRates*, double);

}  // namespace cairn

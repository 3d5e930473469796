#include "cairn/run/planning/calibration.hpp"

#include <algorithm>
#include <span>

#include "cairn/data/corpus/corpus_generator.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/run/planning/measured_seconds.hpp"
#include "cairn/similarity/points/point_similarities.hpp"

namespace cairn {

namespace {

constexpr Index tile_rows = 512;
constexpr Index most_columns = 1024;
constexpr Index document_rows = 32;  // those, and trees, take longer
constexpr Index document_columns = 128;
constexpr Index most_rows = 8192;
constexpr double least_seconds = 0.1;

struct TileShape {
  Index rows = 0;
  Index columns = 0;
  int calls = 1;  // of which the fastest counts: a second one knows similarities of objects with themselves
};

template <class T>
PointSet<T> points_like(const Execution& execution, const PlanInput& input) {
  PointSource source;
  source.generator = "uniform";
  source.points = tile_rows * execution.communicator.size();
  source.dimension = std::max<Index>(input.data.dimension, 1);
  return read_points<T>(execution.communicator, source);
}

// With a kernel of points in place of a file or of counts, whose entries cost no more.
SimilarityChoice priced(SimilarityChoice choice) {
  const SimilarityTraits own = choice.descriptor->traits;
  if ((own.stored && !own.runs_program) || own.counts) return {rbf_similarity(), Values(rbf_similarity().parameters)};
  for (SimilarityChoice& part : choice.parts) part = priced(std::move(part));
  return choice;
}

// `count` objects at equal distances, all if there are no more; another choice by another `start`.
std::vector<Index> spread_from(Index objects, Index count, Index start) {
  const Index chosen = std::min(objects, count);
  std::vector<Index> ids(static_cast<std::size_t>(chosen));
  for (Index k = 0; k < chosen; ++k) ids[static_cast<std::size_t>(k)] = (2 * k + start) * objects / (2 * chosen);
  return ids;
}

// The similarity with plain numbers for words, on `objects` that are the data or stand for them; a matrix on disk is
// priced by rbf. @param shape  of the tile that is measured
template <class T>
void measure_similarity(const Execution& execution, const SimilarityChoice& own, const ObjectSet& objects,
                        TileShape shape, PlanRates& rates) {
  const SimilarityChoice choice = priced(own);
  const auto similarity = make_similarity<T>(execution, choice, objects);
  const Communicator& communicator = execution.communicator;
  const auto columns = objects.gather(communicator, spread_from(objects.size(), shape.columns, 0));
  const auto grown = [&](Index count, const auto& measure) {  // seconds of one object, of enough of them
    while (true) {
      const Index chosen = std::min(count, objects.size());
      const double seconds = measure(spread_from(objects.size(), chosen, 1));
      if (seconds > least_seconds || chosen < count || chosen >= most_rows)
        return seconds / static_cast<double>(chosen);
      count *= 2;
    }
  };
  const double row = grown(shape.rows, [&](const std::vector<Index>& ids) {
    const auto rows = objects.gather(communicator, ids);
    Buffer<T> out(rows->size() * columns->size());
    return seconds_of(
        communicator,
        [&] { similarity->tile(*rows, *columns, MatrixView<T>(out.data(), rows->size(), columns->size())); },
        shape.calls);
  });
  rates.evaluations = static_cast<double>(columns->size()) / row * execution.threads;
  rates.pairs =
      1 / grown(shape.rows, [&](const std::vector<Index>& ids) {
        const auto first = objects.gather(communicator, ids);
        const auto second = objects.gather(communicator, spread_from(objects.size(), std::ssize(ids), 0));
        Buffer<T> out(first->size());
        return seconds_of(
            communicator,
            [&] { similarity->pairs(*first, *second, std::span(out.data(), static_cast<std::size_t>(first->size()))); },
            shape.calls);
      });
}

// A corpus like the one that is planned, of so many tokens a rank.
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

}  // namespace

PlanRates machine_rates(const Execution& execution, const PlanInput& input, const MachineRates* known) {
  const MethodCost cost = method_cost(input);
  const bool cholesky = cost.cholesky_flops > 0, eigen = cost.eigen_flops > 0;
  const MachineRates machine =
      known != nullptr ? *known : measure_machine(execution, orders_for(cost.joining, cholesky, eigen));
  PlanRates rates;
  rates.evaluations = rates.pairs = machine.evaluations;
  rates.flops = machine.products;
  if (cholesky) rates.cholesky_flops = cholesky_flops(machine, cost.joining, input.ranks);
  if (eigen) rates.eigen_flops = eigen_flops(machine, cost.joining, input.ranks);
  rates.read_bytes = machine.read_bytes;
  rates.write_bytes = machine.written_bytes;
  rates.disk_measured = machine.disk_measured;
  return rates;
}

template <class T>
PlanRates calibrate(const Execution& execution, const SimilarityChoice& similarity, const PlanInput& input,
                    const ObjectSet* objects, const MachineRates* known) {
  PlanRates rates = machine_rates(execution, input, known);
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
  return rates;
}

template PlanRates calibrate<float>(const Execution&, const SimilarityChoice&, const PlanInput&, const ObjectSet*,
                                    const MachineRates*);
template PlanRates calibrate<double>(const Execution&, const SimilarityChoice&, const PlanInput&, const ObjectSet*,
                                     const MachineRates*);

}  // namespace cairn

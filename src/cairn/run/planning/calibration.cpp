#include "cairn/run/planning/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "cairn/approximation/column_sampling/symmetric_joining.hpp"
#include "cairn/data/corpus/corpus_generator.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/process_grid.hpp"
#include "cairn/similarity/points/point_similarities.hpp"

namespace cairn {

namespace {

constexpr double disk_read_rate = 500e6;    // bytes per second of a binary file, all ranks: an ordinary NVMe disk
constexpr double disk_write_rate = 1000e6;  // with fsync
constexpr Index tile_rows = 512;
constexpr Index most_columns = 1024;
constexpr Index document_rows = 32;  // those, and trees, take longer
constexpr Index document_columns = 64;
constexpr Index eigen_order = 512;
constexpr Index cholesky_order = 1024;

// Seconds of one call, the slowest rank's; the second of two calls, which finds memory and caches warm.
double seconds_of(const Communicator& communicator, const std::function<void()>& work) {
  work();
  communicator.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return std::max(communicator.maximum(elapsed.count()), 1e-9);
}

struct TileShape {
  Index rows = 0;
  Index columns = 0;
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

// The similarity with plain numbers for words, on `objects` that are the data or stand for them; a matrix on disk is
// priced by rbf. @param shape  of the tile that is measured
template <class T>
void measure_similarity(const Execution& execution, const SimilarityChoice& own, const ObjectSet& objects,
                        TileShape shape, PlanRates& rates) {
  const SimilarityChoice choice = priced(own);
  const auto similarity = make_similarity<T>(execution, choice, objects);
  const Range range = objects.range();
  const Index step = std::max<Index>(1, objects.size() / shape.columns);
  std::vector<Index> ids;
  for (Index k = 0; k < std::min(shape.columns, objects.size()); ++k) ids.push_back(k * step);
  const auto columns = objects.gather(execution.communicator, ids);
  const auto rows = objects.block({range.begin, std::min(range.end, range.begin + shape.rows)});
  const Index entries = rows->size() * columns->size();
  Buffer<T> out(std::max<Index>(entries, 1));
  const double tile = seconds_of(execution.communicator, [&] {
    similarity->tile(*rows, *columns, MatrixView<T>(out.data(), rows->size(), columns->size()));
  });
  const auto most = execution.communicator.maximum(static_cast<double>(entries));
  rates.evaluations = most / tile * execution.threads;
  const Index count = std::min(rows->size(), columns->size());
  const auto first = objects.block({range.begin, range.begin + count});
  const auto second = objects.gather(execution.communicator, std::span(ids).first(static_cast<std::size_t>(count)));
  const double pairs = seconds_of(execution.communicator, [&] {
    similarity->pairs(*first, *second, std::span(out.data(), static_cast<std::size_t>(count)));
  });
  rates.pairs = std::max<double>(static_cast<double>(execution.communicator.maximum(count)), 1) / pairs;
}

BlockCyclicMatrix definite_matrix(const std::shared_ptr<const ProcessGrid>& grid, Index order) {
  BlockCyclicMatrix matrix(grid, order, order);
  matrix.fill([](Index i, Index j) { return std::exp(-0.5 * static_cast<double>(std::abs(i - j))); });
  return matrix;
}

// The joining step as it is if nothing is dropped: factor, its inverse, their product.
void measure_cholesky(const Execution& execution, const std::shared_ptr<const ProcessGrid>& grid, PlanRates& rates) {
  const BlockCyclicMatrix matrix = definite_matrix(grid, cholesky_order);
  const double seconds = seconds_of(execution.communicator, [&] {
    MethodReport report;
    [[maybe_unused]] const auto inverse =
        expand(pseudo_inverse_root(matrix.copy(), SpectrumRule{}, report, execution.threads));
  });
  const auto order = static_cast<double>(cholesky_order);
  rates.cholesky_flops = 10.0 / 3.0 * order * order * order / execution.communicator.size() / seconds;
}

template <class T>
void measure_algebra(const Execution& execution, PlanRates& rates) {
  const Communicator& communicator = execution.communicator;
  const auto grid = std::make_shared<const ProcessGrid>(communicator);
  const BlockCyclicMatrix matrix = definite_matrix(grid, eigen_order);
  const double eigen =
      seconds_of(communicator, [&] { [[maybe_unused]] const auto e = eigen_symmetric(matrix.copy()); });
  const auto order = static_cast<double>(eigen_order);
  rates.eigen_flops = 9 * order * order * order / communicator.size() / eigen;
  measure_cholesky(execution, grid, rates);
  const RowPartition partition(tile_rows * communicator.size(), communicator.size());
  RowBlock<T> tall(partition, communicator.rank(), eigen_order);
  std::fill_n(tall.local().data, tall.range().size() * tall.columns(), T(1));
  const double product = seconds_of(
      communicator, [&] { [[maybe_unused]] const auto result = multiply_tall(tall, matrix, execution.threads); });
  rates.flops = 2.0 * static_cast<double>(communicator.maximum(tall.range().size())) * order * order / product;
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
  rates.generated_tokens = own / seconds_of(communicator, [&] {
                             CorpusCounts counts;
                             words = generate_corpus(communicator, like, {}, text, counts);
                           });
  rates.counted_tokens = own / seconds_of(communicator, [&] {
                           [[maybe_unused]] const auto counts = count_cooccurrences(execution, text, words, Counting{});
                         });
}

}  // namespace

template <class T>
PlanRates calibrate(const Execution& execution, const SimilarityChoice& similarity, const PlanInput& input,
                    const ObjectSet* objects) {
  PlanRates rates;
  rates.read_bytes = disk_read_rate;
  rates.write_bytes = disk_write_rate;
  if (objects != nullptr) {
    const bool documents = dynamic_cast<const DocumentSet*>(objects) != nullptr;
    const Index columns = std::clamp<Index>(input.landmarks, 1, std::min(most_columns, objects->size()));
    measure_similarity<T>(execution, similarity, *objects, {document_rows, documents ? document_columns : columns},
                          rates);
  } else {
    const PointSet<T> points = points_like<T>(execution, input);
    const Index columns = std::clamp<Index>(input.landmarks, 1, std::min(most_columns, points.size()));
    measure_similarity<T>(execution, similarity, points, {points.range().size(), columns}, rates);
  }
  if (input.data.tokens > 0) measure_counting(execution, input, rates);
  measure_algebra<T>(execution, rates);
  return rates;
}

template PlanRates calibrate<float>(const Execution&, const SimilarityChoice&, const PlanInput&, const ObjectSet*);
template PlanRates calibrate<double>(const Execution&, const SimilarityChoice&, const PlanInput&, const ObjectSet*);

}  // namespace cairn

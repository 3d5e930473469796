#include "cairn/run/planning/interpolation_forecast.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/interpolation_rows.hpp"
#include "cairn/approximation/biharmonic/solver_choice.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/run/computation/core_landmarks.hpp"
#include "cairn/run/computation/operator_source.hpp"
#include "cairn/run/planning/measured_seconds.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/store/hdf5/hdf5_tiles.hpp"

namespace cairn {

namespace {

// Speed of creating and multiplying sparse factors like those of biharmonic interpolation.

// n rows of p-row entries, with l columns.
struct FactorShape {
  Index rows = 1, columns = 1, row_entries = 1;
};

// Rates measured while all ranks work.
struct SparseRates {
  double stored = 0;    ///< entries of P per second and rank, from columns to rows
  double products = 0;  ///< of entries of P with columns of W Pᵀ, per second and rank
};

constexpr Index most_entries = 4'000'000;
constexpr Index most_columns = 4096;
constexpr Index compared_columns = 64;

FactorShape smaller(const FactorShape& shape) {
  FactorShape small;
  small.columns = std::min(shape.columns, most_columns);
  small.row_entries = std::min(shape.row_entries, small.columns);
  small.rows = std::clamp(most_entries / small.row_entries, std::min(small.columns, shape.rows), shape.rows);
  return small;
}

Index landmark_of(const FactorShape& shape, Index column) { return column * shape.rows / shape.columns; }

// Uses a P of that shape with up to 4e6 entries and 4,096 columns, whose columns are intervals of rows, and a W with as
// many columns. Memory: 0.3 GB over all ranks. Collective.
SparseRates measure_sparse(const Execution& execution, const FactorShape& shape) {
  const Communicator& communicator = execution.communicator;
  const FactorShape small = smaller(shape);
  const Index kept = std::clamp<Index>(small.rows * small.row_entries / small.columns, 1, small.rows);
  std::vector<Index> landmarks(small.columns);
  for (Index k = 0; k < small.columns; ++k) landmarks[k] = landmark_of(small, k);
  std::vector<std::int32_t> vertices(small.rows);
  std::iota(vertices.begin(), vertices.end(), 0);
  const std::vector<double> values(vertices.size(), 0.5);
  std::vector<ColumnView> mine;
  const Range own = RowPartition(small.columns, communicator.size()).range(communicator.rank());
  for (Index k = own.begin; k < own.end; ++k) {
    const Index first = std::clamp<Index>(landmark_of(small, k) - kept / 2, 0, small.rows - kept);
    const auto begin = static_cast<std::size_t>(first), size = static_cast<std::size_t>(kept);
    mine.push_back({k, std::span(vertices).subspan(begin, size), std::span(values).subspan(begin, size)});
  }
  SparseRates rates;
  Approximation<double> like;
  const double ranks = communicator.size();
  const double stored = seconds_of(
      communicator, [&] { like.left = rows_of_columns(communicator, landmarks, false, small.rows, mine); }, 1);
  rates.stored = static_cast<double>(kept * small.columns) / ranks / stored;
  like.core_matrix = TiledCore{SymmetricTiles(small.columns, SymmetricTiles::default_order(small.columns),
                                              TileNumber::float64, communicator.size(), communicator.rank())};
  std::vector<Index> columns(std::min(compared_columns, small.rows));
  const auto compared = std::ssize(columns);
  for (Index k = 0; k < compared; ++k) columns[k] = k * small.rows / compared;
  const double multiplied = seconds_of(
      communicator, [&] { static_cast<void>(sparse_columns(execution, like, columns)); }, 1);
  const auto work = static_cast<double>(small.row_entries * (small.rows + small.columns) * compared);
  rates.products = work / ranks / multiplied;
  return rates;
}

constexpr Index first_rows = 64;         // least number that an estimate of the error compares
constexpr double share_of_slabs = 0.57;  // evaluated share of a symmetric W, in about eight slabs

// Seconds of `work` on the slowest rank. It must not communicate.
template <class Work>
double seconds_of(const Communicator& communicator, Work work) {
  communicator.barrier();
  const auto start = std::chrono::steady_clock::now();
  collectively(communicator, work);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return communicator.maximum(elapsed.count());
}

class Stopwatch {
 public:
  explicit Stopwatch(const Communicator& communicator) : communicator_(communicator) {}
  // Seconds since the last call, maximum over ranks. Collective.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> elapsed = now - start_;
    start_ = now;
    return communicator_.maximum(elapsed.count());
  }

 private:
  const Communicator& communicator_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Index row_of_p(const Values& method) { return interpolation_parameters(method).p_row; }

// Seconds of the columns of one tile per rank (for a joint solver, of some in total) and of one patch per rank, scaled
// to all of them.
double seconds_of_columns(const Execution& execution, const ChosenSolver& solver, Index kept, const PlanInput& input) {
  const Communicator& communicator = execution.communicator;
  const auto& tiles = solver.tiling().tiles();
  if (solver.joint) {
    Stopwatch clock(communicator);
    const auto columns = static_cast<double>(solver.joint->rehearse());
    return clock.lap() * static_cast<double>(input.landmarks) / columns * communicator.size() / input.ranks;
  }
  const auto count = static_cast<double>(tiles.size());
  const auto mine =
      static_cast<std::size_t>(communicator.rank()) * tiles.size() / static_cast<std::size_t>(communicator.size());
  const BlasThreads one(1);
  const auto solve = [&] {
    return seconds_of(communicator, [&] { static_cast<void>(solver.own->solve(static_cast<Index>(mine), kept)); });
  };
  const auto patches = static_cast<double>(solver.tiling().patches());
  const double first = solve();                        // with its patch, if there are patches
  const double again = patches > 0 ? solve() : first;  // the patch exists already
  const double average = static_cast<double>(input.landmarks) / count;
  const double largest =
      std::max(1.0, static_cast<double>(communicator.maximum(static_cast<Index>(tiles[mine].size()))));
  const double workers = static_cast<double>(input.ranks) * execution.threads;
  return again * average / largest * std::max(1.0, count / workers) +
         std::max(0.0, first - again) * std::max(1.0, patches / workers);
}

// Times the solver setup and the columns that it computes. Returns the solver's name.
std::string forecast_columns(const Execution& execution, const BiharmonicOperator& op,
                             const std::vector<Index>& landmarks, const PlanInput& input, const SparseRates& rates,
                             std::vector<PlanPhase>& phases) {
  const Index p_row = row_of_p(input.values);
  const auto l = static_cast<Index>(landmarks.size());
  if (l >= op.size()) return {};
  const InterpolationParameters parameters = interpolation_parameters(input.values);
  InterpolationReport report;
  Stopwatch clock(execution.communicator);
  const ChosenSolver solver = make_solver(execution, op, landmarks, parameters, report);
  phases.push_back({"interpolation solver", clock.lap()});
  const bool whole = p_row == 0 || p_row >= l;
  const Index kept = whole ? 0 : std::max<Index>(1, (op.size() - l) * p_row / l);
  phases.push_back({"interpolation", seconds_of_columns(execution, solver, kept, input)});
  const double nonzeros = static_cast<double>(whole ? l : p_row) * static_cast<double>(op.size());
  phases.push_back({"interpolation rows", nonzeros / input.ranks / rates.stored});
  return report.solver;
}

// Effect of deflating a band of W, divided into pieces of tiles, in the number type that W will have. Local.
DeflatedTiles deflated(MatrixView<const double> band, Index number_bytes) {
  const Index width = std::min(SymmetricTiles::default_order(band.columns), band.columns);
  const auto side = static_cast<Index>(std::sqrt(static_cast<double>(band.rows * width)));
  const Index pieces = std::min<Index>(8, band.columns / width);
  double bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  for (Index piece = 0; piece < pieces; ++piece) {
    const Index first = piece * (band.columns - width) / std::max<Index>(1, pieces - 1);
    std::vector<double> numbers;
    for (Index i = 0; i < band.rows; ++i)
      numbers.insert(numbers.end(), band.row(i) + first, band.row(i) + first + width);
    const auto chunk = [&](auto zero, hdf5::ElementType type) {
      const std::vector<decltype(zero)> values(numbers.begin(), numbers.end());
      return hdf5::deflated_tile(type, side, side, side, values.data()).size();
    };
    using Kind = hdf5::ElementType::Kind;
    bytes += static_cast<double>(number_bytes == 2   ? chunk(std::uint16_t{}, {Kind::uint16})
                                 : number_bytes == 4 ? chunk(float{}, {Kind::float32})
                                                     : chunk(double{}, {Kind::float64}));
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const auto whole = static_cast<double>(pieces * side * side * number_bytes);
  return {std::min(1.0, bytes / whole), elapsed.count() / whole};
}

// Times a band of W and rows of K per rank.
DeflatedTiles forecast_similarity(const Execution& execution, const SourceSimilarity& similarity,
                                  const std::vector<Index>& landmarks, const PlanInput& input, const SparseRates& rates,
                                  std::vector<PlanPhase>& phases) {
  const Index p_row = row_of_p(input.values);
  const Communicator& communicator = execution.communicator;
  const auto l = static_cast<Index>(landmarks.size());
  const Index n = similarity.size(), band = std::min(similarity.traits().batch, l);
  const auto targets = collectively(communicator, [&] { return similarity.prepare(landmarks); });
  Buffer<double> values(band * l);
  const MatrixView<double> view(values.data(), band, l);
  const double bands = static_cast<double>(l) / static_cast<double>(band) / (input.ranks * execution.threads);
  // At several places, since tiles differ; integers, which are cheap, differ most.
  const Index places = std::min(input.rows.value_bytes == 2 ? Index{8} : Index{1}, l / band);
  double seconds = 0.0;
  DeflatedTiles all{0.0, 0.0};
  for (Index place = 0; place < places; ++place) {
    const Index first = (2 * place + 1) * (l - band) / (2 * places);
    const auto sources = std::span(landmarks).subspan(first, band);
    seconds +=
        seconds_of(communicator, [&] { similarity.to_targets(sources, *targets, view); }) / static_cast<double>(places);
    const DeflatedTiles one = deflated({values.data(), band, l}, input.rows.value_bytes);
    all.share += one.share / static_cast<double>(places);
    all.seconds_a_byte += communicator.maximum(one.seconds_a_byte) / static_cast<double>(places);
  }
  phases.push_back(
      {"landmark matrix", seconds * bands * (similarity.traits().symmetric_by_construction ? share_of_slabs : 1.0)});

  const Index rows = std::min<Index>(band, std::max<Index>(1, (Index{64} << 20) / (8 * n)));
  Buffer<double> whole(rows * n);
  const double searches = seconds_of(communicator, [&] {
    similarity.to_all(std::span(landmarks).first(rows), {whole.data(), rows, n});
  });
  const auto probed = static_cast<double>(input.estimate.rows);
  const Index row = p_row == 0 ? l : std::min(p_row, l);
  const double products = probed * static_cast<double>(row) * static_cast<double>(n + l);
  phases.push_back({"evaluation", searches * probed / static_cast<double>(rows) / (input.ranks * execution.threads) +
                                      products / (rates.products * input.ranks)});
  const double first = static_cast<double>(std::min(first_rows, input.estimate.rows)) / probed;
  limit_estimate(phases, input.estimate, phases.back().seconds * first);
  return all;
}

// Landmarks as the run selects them, if it searches paths to do so. Other selections are replaced by uniform landmarks:
// they may take long, or come from a file that need not exist yet.
template <class T>
CoreLandmarks<T> forecast_landmarks(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                    const RunChoices& run, const PlanInput& input) {
  MethodChoice choice = run.method;
  const bool searched = exact.nearest && choice.selection().evaluates;
  if (!searched) choice.landmarks = choice.landmarks.with(landmark_names::selection, uniform_selection().name);
  if (!run.method.reuses_landmarks()) return select_core_landmarks(execution, data, exact, choice, input.landmarks);
  return {select_landmarks(execution, data, exact, choice, input.landmarks)};
}

// The landmarks as numbers in the 2-core.
std::vector<Index> on_core(const HangingTrees& trees, std::vector<Index> landmarks) {
  for (Index& landmark : landmarks) landmark = trees.roots[landmark];
  return landmarks;
}

}  // namespace

template <class T>
InterpolationForecast forecast_interpolation(const Execution& execution, const Data<T>& data, const RunChoices& run,
                                             const PlanInput& input) {
  const Communicator& communicator = execution.communicator;
  InterpolationForecast forecast;
  Stopwatch clock(communicator);
  const ExactMatrix<T> exact = make_exact_matrix(execution, data, run.similarity, run.method);
  forecast.phases.push_back({"similarity setup", clock.lap()});
  for (const std::string& warning : warnings_of(exact.sources.get())) log(LogLevel::warning, warning);
  const CoreLandmarks<T> selected = forecast_landmarks(execution, data, exact, run, input);
  const std::vector<Index>& landmarks = selected.landmarks.indices;
  forecast.phases.push_back({"landmarks", clock.lap()});
  const auto l = static_cast<Index>(landmarks.size());
  const Index p_row = row_of_p(input.values);
  const SparseRates rates = measure_sparse(execution, {data.objects->size(), l, p_row == 0 ? l : std::min(p_row, l)});
  static_cast<void>(clock.lap());
  if (input.known_entries == 0) {
    BiharmonicOperator op = make_operator(execution, data, run.method.values);
    if (selected.trees) {
      op = core_operator(communicator, op, *selected.trees);
      forecast.hanging = selected.trees->hanging();
    }
    forecast.phases.push_back({"operator", clock.lap()});
    forecast.solver = forecast_columns(execution, op, selected.trees ? on_core(*selected.trees, landmarks) : landmarks,
                                       input, rates, forecast.phases);
  }
  forecast.deflated = forecast_similarity(execution, *exact.sources, landmarks, input, rates, forecast.phases);
  return forecast;
}

double write_seconds(const PlanInput& input, const Plan& plan, double seconds_a_byte, double bytes_a_second) {
  const double core_matrix = static_cast<double>(input.landmarks) * static_cast<double>(input.landmarks) / 2 *
                             static_cast<double>(input.rows.value_bytes);
  return static_cast<double>(plan.result_bytes) / bytes_a_second +
         core_matrix * seconds_a_byte / (input.ranks * input.threads);
}

template InterpolationForecast forecast_interpolation(const Execution&, const Data<float>&, const RunChoices&,
                                                      const PlanInput&);
template InterpolationForecast forecast_interpolation(const Execution&, const Data<double>&, const RunChoices&,
                                                      const PlanInput&);

}  // namespace cairn

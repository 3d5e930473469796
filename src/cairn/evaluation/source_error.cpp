// Errors over rows of K that come by source.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "cairn/approximation/columns_in_turn.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/evaluation/kept_rows.hpp"
#include "cairn/evaluation/row_sample.hpp"

namespace cairn {

namespace {

constexpr Index batch_bytes = Index{256} << 20;               // of rows of K on one rank
constexpr Index most_rows = 256;                              // of K on one rank at once
constexpr Index first_look = 64, last_look = Index{1} << 14;  // rows without a fixed number
constexpr Index column_multiple = 32;
static_assert(travelling_rows * static_cast<Index>(sizeof(double)) == 64);  // a line of cache of K~

// rows(k, v) = K(sources[k], v) of all vertices v, the sources dealt to threads. Local.
void compute_rows(const SourceSimilarity& similarity, const std::vector<Index>& sources, int threads,
                  Buffer<double>& rows) {
  const Index n = similarity.size();
  const auto count = static_cast<Index>(sources.size());
  const Index piece = std::clamp<Index>((count + threads - 1) / threads, 1, similarity.traits().batch);
  std::optional<Error> failure;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index begin = 0; begin < count; begin += piece) {
    const Index size = std::min(piece, count - begin);
    try {
      similarity.to_all(std::span(sources).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)),
                        MatrixView<double>(rows.data() + begin * n, size, n));
    } catch (...) {
#pragma omp critical(cairn_source_rows)
      if (!failure) failure = current_error();
    }
    Watchdog::beat();
  }
  if (failure) throw *failure;
}

// K and K~ between the first rows of a sample, of which both K_ij and K_ji are computed.
class SampledBlock {
 public:
  SampledBlock(std::vector<Index> vertices, Range own)
      : vertices_(std::move(vertices)), exact_(vertices_.size() * vertices_.size(), 0.0), approximate_(exact_) {
    for (std::size_t b = 0; b < vertices_.size(); ++b) {
      if (own.contains(vertices_[b])) own_.push_back(b);
    }
  }

  // The row with number `a` of the sample. @param place  its column in `columns`
  void add(std::size_t a, std::span<const double> exact, const RowBlock<double>& columns, std::size_t place) {
    if (a >= vertices_.size()) return;
    for (const std::size_t b : own_) {
      exact_[a * vertices_.size() + b] = exact[static_cast<std::size_t>(vertices_[b] - columns.range().begin)];
      approximate_[a * vertices_.size() + b] = columns.row(vertices_[b])[place];
    }
  }

  // @param compared  rows of the sample. Collective.
  [[nodiscard]] SymmetricError finish(const Communicator& communicator, Index compared) {
    communicator.sum(std::span(exact_));
    communicator.sum(std::span(approximate_));
    const std::size_t stride = vertices_.size();
    const std::size_t size = std::min(stride, static_cast<std::size_t>(compared));
    double of_means = 0.0, means = 0.0, of_rows = 0.0, rows = 0.0, asymmetry = 0.0;
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        const double value = exact_[a * stride + b], transposed = exact_[b * stride + a];
        const double mean = 0.5 * (value + transposed), approximate = approximate_[a * stride + b];
        of_means += (approximate - mean) * (approximate - mean);
        means += mean * mean;
        of_rows += (approximate - value) * (approximate - value);
        rows += value * value;
        asymmetry += (value - transposed) * (value - transposed);
      }
    }
    return {static_cast<Index>(size), of_means / means, of_rows / rows, std::sqrt(asymmetry / rows)};
  }

 private:
  std::vector<Index> vertices_;
  std::vector<double> exact_, approximate_;
  std::vector<std::size_t> own_;  // numbers of own vertices in the sample
};

// Compares rows of K, in own vertices, with the columns of K~ from `first` on. Sums of a unit of the partition are
// added up first: rounding then grows with their number, not with n. Rows are the inner loop, since K~ stands by
// vertices.
void compare_rows(const std::vector<std::span<const double>>& exact, std::span<const Index> sources,
                  const RowBlock<double>& approximate, std::size_t first, RowSums& sums, VertexErrors* by_vertex) {
  const Index unit = RowPartition::unit(approximate.rows());
  const Range own = approximate.range();
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    std::vector<Unit> rows(exact.size());
    for (Index v = begin; v < std::min(begin + unit, own.end); ++v) {
      const auto at = static_cast<std::size_t>(v - own.begin);
      const auto values = approximate.row(v).subspan(first, exact.size());
      for (std::size_t k = 0; k < exact.size(); ++k) {
        const double value = exact[k][at];
        if (!std::isfinite(value)) {
          throw Error(ErrorKind::numeric, fmt::format("the value of vertices {} and {} is {}", sources[k], v, value));
        }
        const double error = values[k] - value;
        rows[k].error += error * error;
        rows[k].reference += value * value;
        rows[k].value += value;
        sums.largest_error = std::max(sums.largest_error, std::abs(error));
        if (by_vertex != nullptr) {
          by_vertex->squared_error[at] += error * error;
          by_vertex->squared_norm[at] += value * value;
        }
      }
    }
    for (std::size_t k = 0; k < exact.size(); ++k) {
      sums.rows[first + k].error += rows[k].error;
      sums.rows[first + k].reference += rows[k].reference;
      sums.rows[first + k].value += rows[k].value;
    }
  }
}

// Where a round's rows are added up.
struct Sinks {
  VertexErrors* by_vertex;
  SampledBlock* block;
};

// A round: the k-th of its rows comes from rank k mod ranks, which sends every rank its vertices' part.
// @param begin  number of its first row in the sample @param rows  room for this rank's. Collective.
RowSums compare_round(const Execution& execution, const SourceSimilarity& similarity, const std::vector<Index>& picks,
                      Index begin, const RowBlock<double>& approximate, Buffer<double>& rows, Sinks sinks) {
  const Communicator& communicator = execution.communicator;
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto me = static_cast<std::size_t>(communicator.rank());
  std::vector<Index> mine;
  for (std::size_t k = me; k < picks.size(); k += ranks) mine.push_back(picks[k]);
  collectively(communicator, [&] { compute_rows(similarity, mine, execution.threads, rows); });
  RowSums sums{std::vector<Unit>(picks.size()), 0.0};
  const Range own = approximate.range();
  const auto n = static_cast<std::size_t>(similarity.size());
  // Rows of a rank that travel at once.
  const auto slots = static_cast<std::size_t>(std::max<Index>(1, travelling_rows / communicator.size()));
  std::vector<std::vector<double>> parts(ranks);
  for (std::size_t first = 0; first < picks.size(); first += slots * ranks) {
    const std::size_t slot = first / ranks;
    for (std::size_t r = 0; r < ranks; ++r) {
      parts[r].clear();
      if (r == me) continue;
      const Range range = approximate.partition().range(static_cast<int>(r));
      for (std::size_t k = slot; k < std::min(slot + slots, mine.size()); ++k) {
        const double* row = rows.data() + k * n;
        parts[r].insert(parts[r].end(), row + range.begin, row + range.end);
      }
    }
    const auto received = communicator.exchange(parts);
    const auto size = static_cast<std::size_t>(own.size());
    std::vector<std::span<const double>> exact;
    for (std::size_t k = first; k < std::min(first + slots * ranks, picks.size()); ++k) {
      const std::size_t r = k % ranks, own_slot = k / ranks;
      exact.push_back(r == me ? std::span<const double>(rows.data() + own_slot * n + own.begin, size)
                              : std::span(received[r]).subspan((own_slot - slot) * size, size));
    }
    collectively(communicator, [&] {
      compare_rows(exact, std::span(picks).subspan(first), approximate, first, sums, sinks.by_vertex);
      for (std::size_t k = 0; sinks.block != nullptr && k < exact.size(); ++k) {
        sinks.block->add(static_cast<std::size_t>(begin) + first + k, exact[k], approximate, first + k);
      }
    });
    Watchdog::beat();
  }
  static_assert(sizeof(Unit) == 4 * sizeof(double));  // so that they travel as numbers
  communicator.sum(std::span(&sums.rows.data()->error, 4 * sums.rows.size()));
  return sums;
}

// Rows of a sample, compared look by look.
template <class T>
class ComparedRows {
 public:
  // Collective.
  ComparedRows(const Execution& execution, const Approximation<T>& approximation, const SourceSimilarity& similarity,
               const RowSample& sample, RowErrors* details)
      : execution_(execution),
        approximation_(approximation),
        similarity_(similarity),
        sample_(sample),
        details_(details),
        round_(compared_source_rows(similarity.size(), similarity.traits().batch, execution.communicator.size(),
                                    execution.threads)) {
    stratum_.population = static_cast<double>(similarity.size());
    if (details == nullptr) return;
    details->by_vertex.squared_error.assign(static_cast<std::size_t>(approximation.left.range().size()), 0.0);
    details->by_vertex.squared_norm = details->by_vertex.squared_error;
    block_.emplace(sample.part(0, symmetric_error_rows), approximation.left.range());
  }

  // Adds the rows of the sample up to number `count`. Collective.
  void compare_up_to(Index count);
  // Over what was compared. Local.
  [[nodiscard]] ErrorEstimate estimate() const;
  // Collective.
  void finish_details() {
    if (details_ != nullptr) details_->symmetric = block_->finish(execution_.communicator, compared());
  }

 private:
  [[nodiscard]] Index compared() const { return static_cast<Index>(stratum_.units.size()); }

  const Execution& execution_;
  const Approximation<T>& approximation_;
  const SourceSimilarity& similarity_;
  const RowSample& sample_;
  RowErrors* details_;
  Index round_;
  std::optional<SampledBlock> block_;
  Stratum stratum_;
  double largest_error_ = 0.0;
};

template <class T>
void ComparedRows<T>::compare_up_to(Index count) {
  const Communicator& communicator = execution_.communicator;
  const Range look{compared(), count};
  const Index most = (std::min(round_, look.size()) + communicator.size() - 1) / communicator.size();
  auto room = collectively(communicator, [&] { return Buffer<double>(most * similarity_.size()); });
  const Sinks sinks{details_ != nullptr ? &details_->by_vertex : nullptr, block_ ? &*block_ : nullptr};
  KeptRows kept(execution_, similarity_, look, details_ == nullptr);  // details need the rows themselves
  const std::vector<Index>& missing = kept.missing();
  const std::vector<Index> sources = sample_.part(look.begin, look.size());
  std::vector<Index> vertices(missing.size());
  std::ranges::transform(missing, vertices.begin(), [&](Index k) { return sources[static_cast<std::size_t>(k)]; });
  Progress progress("evaluation rows", static_cast<Index>(missing.size()), communicator.is_root(), "rows/s");
  ColumnsInTurn<T> columns(execution_, approximation_, vertices);
  for (std::size_t begin = 0; begin < missing.size(); begin += static_cast<std::size_t>(round_)) {
    const std::size_t size = std::min(static_cast<std::size_t>(round_), missing.size() - begin);
    const std::vector<Index> picks(vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                                   vertices.begin() + static_cast<std::ptrdiff_t>(begin + size));
    const RowBlock<double> approximate = columns.next(static_cast<Index>(size));
    kept.add(std::span(missing).subspan(begin, size),
             compare_round(execution_, similarity_, picks, look.begin + static_cast<Index>(begin), approximate, room,
                           sinks));
    progress.advance(static_cast<Index>(size));
  }
  for (const RowFigures& row : kept.figures()) {
    stratum_.units.push_back(row.sums);
    stratum_.units.back().ratio = ErrorEstimate::unknown;  // distances of objects from themselves are 0
    largest_error_ = std::max(largest_error_, row.largest_error);
  }
}

template <class T>
ErrorEstimate ComparedRows<T>::estimate() const {
  const Index n = similarity_.size();
  ErrorEstimate estimate = estimate_ratio(std::span(&stratum_, 1), static_cast<double>(n) * static_cast<double>(n));
  estimate.largest_entry_error = largest_error_;
  estimate.pairs = compared() * (n - 1);
  estimate.diagonal = compared();
  if (compared() == n) estimate.stopped_by = StoppedBy::all;
  return estimate;
}

// Doubles the number of rows until `looks` stops it.
template <class T>
ErrorEstimate compare_until_known(ComparedRows<T>& rows, const RowSample& sample, const EstimateLooks& looks) {
  for (Index count = std::min(first_look, sample.count());; count = std::min(2 * count, sample.count())) {
    rows.compare_up_to(count);
    ErrorEstimate estimate = rows.estimate();
    std::optional<StoppedBy> stop = looks.stop(estimate, true);
    if (estimate.stopped_by == StoppedBy::all) return estimate;
    if (count == sample.count() && !stop) stop = StoppedBy::limit;
    if (!stop) continue;
    estimate.stopped_by = *stop;
    return estimate;
  }
}

}  // namespace

// A multiple of what approximate_columns multiplies at once, if they are many.
Index compared_source_rows(Index n, Index batch, int ranks, int threads) {
  const Index fitting = batch_bytes / (std::max<Index>(1, n) * static_cast<Index>(sizeof(double)));
  const Index all = ranks * std::clamp<Index>(fitting, 1, std::min<Index>(most_rows, batch * threads));
  return all < column_multiple ? all : all / column_multiple * column_multiple;
}

Index most_compared_rows(Index n) { return std::min(n, last_look); }

template <class T>
ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                              const SourceSimilarity& similarity, const EstimateEffort& effort, RowErrors* details) {
  const Communicator& communicator = execution.communicator;
  const Index n = similarity.size();
  if (approximation.left.rows() != n) {
    throw Error(ErrorKind::usage, fmt::format("the approximation is one of {} objects, and {} is defined on {}",
                                              approximation.left.rows(), similarity.traits().name, n));
  }
  const Index evaluations_before = similarity.evaluations();
  auto phase = execution.phases.enter("evaluation");
  const EstimateLooks looks(communicator, effort);
  const RowSample sample(n, effort.count.value_or(most_compared_rows(n)), execution.seed, effort.keys, !effort.count);
  ComparedRows<T> rows(execution, approximation, similarity, sample, details);
  ErrorEstimate estimate;
  if (effort.count) {
    rows.compare_up_to(sample.count());
    estimate = rows.estimate();
  } else {
    estimate = compare_until_known(rows, sample, looks);
  }
  rows.finish_details();
  const Index evaluations = similarity.evaluations() - evaluations_before;
  phase.count_evaluations(evaluations);
  estimate.evaluations = communicator.sum(evaluations);
  return estimate;
}

template ErrorEstimate error_over_rows(const Execution&, const Approximation<float>&, const SourceSimilarity&,
                                       const EstimateEffort&, RowErrors*);
template ErrorEstimate error_over_rows(const Execution&, const Approximation<double>&, const SourceSimilarity&,
                                       const EstimateEffort&, RowErrors*);

}  // namespace cairn

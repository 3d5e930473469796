// Errors over rows of K for a SourceSimilarity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/columns_in_turn.hpp"
#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/reused_arrays.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/evaluation/row_sample.hpp"
#include "cairn/similarity/panel_source.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

namespace {

// Transfers rows of K from the ranks that compute them to the owners of the vertices.

// Rows of a round. Row k is computed by rank k mod ranks. Rows are stored and sent in the number type of the source
// (PanelSource), else as doubles.
class RowPanels {
 public:
  /// @param most  maximum number of rows of this rank
  /// @throws Error(resource) if memory is insufficient. Local.
  RowPanels(const SourceSimilarity& similarity, Index most);

  /// Evaluates this rank's rows of a round, distributed over threads. @throws as SourceSimilarity::to_all. Local.
  void compute(const std::vector<Index>& sources, int threads);

  using Take = std::function<void(Index, std::span<const double>)>;
  /// Calls take(v, values) for every vertex v of this rank, ascending; values[k] = K(source k of the round, v).
  /// Memory: 2.25 x travelling_row_bytes and the values of one vertex.
  /// @param rows  number of rows of all ranks
  /// @throws as `take` does, on every rank. Collective.
  void deliver(const Communicator& communicator, const RowPartition& partition, Index rows, const Take& take) const;

 private:
  template <class Number>
  void deliver_numbers(const Communicator& communicator, const RowPartition& partition, Index rows,
                       const Take& take) const;
  template <class Number>
  void pack(Range vertices, std::vector<Number>& out) const;
  [[nodiscard]] std::byte* piece(Index begin) { return values_.data() + begin * similarity_.size() * bytes_; }

  const SourceSimilarity& similarity_;
  const PanelSource* panels_;   // null: every row is a piece of its own
  Index bytes_;                 // per value
  Index rows_ = 0, width_ = 1;  // current rows of this rank; rows per piece, fewer in the last
  Buffer<std::byte> values_;    // pieces, in each of which the values of a vertex are adjacent
};

RowPanels::RowPanels(const SourceSimilarity& similarity, Index most)
    : similarity_(similarity),
      panels_(dynamic_cast<const PanelSource*>(&similarity)),
      bytes_(panels_ != nullptr ? panels_->panel_value_bytes() : static_cast<Index>(sizeof(double))),
      values_(most * similarity.size() * bytes_) {}

void RowPanels::compute(const std::vector<Index>& sources, int threads) {
  rows_ = std::ssize(sources);
  const Index together = std::clamp<Index>((rows_ + threads - 1) / threads, 1, similarity_.traits().batch);
  width_ = panels_ != nullptr ? together : 1;
  on_threads(threads, (rows_ + together - 1) / together, [&](Index part) {
    const Index begin = part * together, count = std::min(together, rows_ - begin);
    const auto some = std::span(sources).subspan(begin, count);
    if (panels_ != nullptr) {
      panels_->to_panel(some, piece(begin));
    } else {
      similarity_.to_all(some, {reinterpret_cast<double*>(piece(begin)), count, similarity_.size()});
    }
  });
}

// Collects the values of each vertex in all rows.
template <class Number>
void RowPanels::pack(Range vertices, std::vector<Number>& out) const {
  out.resize(vertices.size() * rows_);
  if (out.empty()) return;
  for (Index begin = 0; begin < rows_; begin += width_) {
    const Index width = std::min(width_, rows_ - begin);
    const auto* from =
        reinterpret_cast<const Number*>(values_.data() + begin * similarity_.size() * bytes_) + vertices.begin * width;
    Number* to = out.data() + begin;
    for (Index v = vertices.begin; v < vertices.end; ++v, from += width, to += rows_) std::copy_n(from, width, to);
  }
}

template <class Number>
void RowPanels::deliver_numbers(const Communicator& communicator, const RowPartition& partition, Index rows,
                                const Take& take) const {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto me = static_cast<std::size_t>(communicator.rank());
  const Index row_bytes = std::max<Index>(rows, 1) * static_cast<Index>(sizeof(Number));
  const Index together = std::max<Index>(travelling_row_bytes / row_bytes, 1);  // vertices per rank
  Index most = 0;
  for (std::size_t r = 0; r < ranks; ++r) most = std::max(most, partition.range(static_cast<int>(r)).size());
  std::vector<std::vector<Number>> send(ranks);
  std::vector<Number> own;
  std::vector<double> values(rows);
  ReusedArrays<Number> received;
  for (Index begin = 0; begin < most; begin += together) {
    const auto part = [&](std::size_t rank) {
      const Range all = partition.range(static_cast<int>(rank));
      return Range{std::min(all.begin + begin, all.end), std::min(all.begin + begin + together, all.end)};
    };
    collectively(communicator, [&] {
      for (std::size_t r = 0; r < ranks; ++r) pack(part(r), r == me ? own : send[r]);
    });
    communicator.exchange(send, received);
    collectively(communicator, [&] {
      const Range vertices = part(me);
      for (Index v = vertices.begin; v < vertices.end; ++v) {
        for (std::size_t r = 0; r < ranks; ++r) {
          const std::size_t count = (values.size() + ranks - 1 - r) / ranks;
          const Number* const from =
              (r == me ? own.data() : received[r].data()) + static_cast<std::size_t>(v - vertices.begin) * count;
          for (std::size_t k = 0; k < count; ++k) values[k * ranks + r] = static_cast<double>(from[k]);
        }
        take(v, values);
      }
    });
    Watchdog::beat();
  }
}

void RowPanels::deliver(const Communicator& communicator, const RowPartition& partition, Index rows,
                        const Take& take) const {
  with_panel_number(bytes_,
                    [&]<class Number>(Number) { deliver_numbers<Number>(communicator, partition, rows, take); });
}

// Sums over rows of K, and their tiles in the ledger.

// Sums of a round's rows over this rank's vertices, indexed by the row's position in the round.
struct KeptRowSums {
  std::vector<Unit> rows;
  double largest_error = 0.0;
};

// Metrics of a row, which are its tile in the ledger.
struct RowMetrics {
  Unit sums;
  double largest_error = 0.0;  // maximum over the rows of its round
};

// Metrics of the rows `look` of a sample. Rows found in the ledger need not be computed. Rank k mod ranks reads and
// writes row k.
class KeptRows {
 public:
  /// @param factor  factor of the entries in the sums; other factors have other tiles
  /// @param ask     false: all rows are missing, independent of the ledger
  /// Collective.
  KeptRows(const Execution& execution, const SourceSimilarity& similarity, Range look, double factor, bool ask)
      : execution_(execution), metrics_(static_cast<std::size_t>(look.size())) {
    const Communicator& communicator = execution.communicator;
    const Index count = look.size();
    std::vector<Index> found;
    std::vector<RowMetrics> restored;
    collectively(communicator, [&] {
      std::string loop = fmt::format("evaluation rows {} to {}", look.begin, look.end);
      if (factor != 1.0) loop += fmt::format(" times {}", factor);
      execution.ledger.begin(loop.c_str(), count);
      for (Index k = communicator.rank(); ask && k < count; k += communicator.size()) {
        RowMetrics& row = metrics_[k];
        if (!execution.ledger.get(k, std::as_writable_bytes(std::span(&row, 1)))) continue;
        similarity.count_restored(similarity.size());
        found.push_back(k);
        restored.push_back(row);
      }
    });
    found = communicator.all_gather(found);
    restored = communicator.all_gather(restored);
    std::vector<bool> known(metrics_.size(), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      metrics_[found[i]] = restored[i];
      known[found[i]] = true;
    }
    for (Index k = 0; k < count; ++k) {
      if (!known[k]) missing_.push_back(k);
    }
  }

  /// Numbers, within `look`, of rows that are not in the ledger, ascending.
  [[nodiscard]] const std::vector<Index>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<RowMetrics>& metrics() const { return metrics_; }

  /// Stores the sums of the rows with these numbers. @throws as TileLedger::put. Collective.
  void add(std::span<const Index> numbers, const KeptRowSums& sums) {
    const Communicator& communicator = execution_.communicator;
    const double largest = communicator.maximum(sums.largest_error);
    collectively(communicator, [&] {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        RowMetrics& row = metrics_[numbers[i]];
        row = {sums.rows[i], largest};
        if (numbers[i] % communicator.size() != communicator.rank()) continue;
        execution_.ledger.put(numbers[i], std::as_bytes(std::span(&row, 1)));
      }
    });
  }

 private:
  const Execution& execution_;
  std::vector<RowMetrics> metrics_;
  std::vector<Index> missing_;
};

constexpr Index batch_bytes = Index{256} << 20;               // rows of K on one rank
constexpr Index most_rows = 256;                              // rows of K on one rank at once
constexpr Index first_look = 64, last_look = Index{1} << 14;  // rows without a fixed number
constexpr Index column_multiple = 32;

// K and K~ between the first rows of a sample, for which both K_ij and K_ji are computed.
class SampledBlock {
 public:
  // @param factor  factor of all entries
  SampledBlock(std::vector<Index> vertices, Range own, double factor)
      : vertices_(std::move(vertices)),
        exact_(vertices_.size() * vertices_.size(), 0.0),
        approximate_(exact_),
        factor_(factor) {
    for (std::size_t b = 0; b < vertices_.size(); ++b) {
      if (own.contains(vertices_[b])) own_.emplace_back(vertices_[b], b);
    }
    std::ranges::sort(own_);
  }

  // Adds the entries of a vertex of this rank with rows of the sample from number `begin` on.
  void add(std::size_t begin, Index vertex, std::span<const double> exact, std::span<const double> approximate) {
    const auto found = std::ranges::lower_bound(own_, vertex, {}, &Own::first);
    if (found == own_.end() || found->first != vertex) return;
    for (std::size_t a = begin; a < std::min(begin + exact.size(), vertices_.size()); ++a) {
      exact_[a * vertices_.size() + found->second] = factor_ * exact[a - begin];
      approximate_[a * vertices_.size() + found->second] = factor_ * approximate[a - begin];
    }
  }

  // @param compared  number of compared rows of the sample. Collective.
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
  using Own = std::pair<Index, std::size_t>;  // a vertex of this rank, and its number in the sample
  std::vector<Index> vertices_;
  std::vector<double> exact_, approximate_;
  double factor_;
  std::vector<Own> own_;  // ascending
};

// Where a round's rows are accumulated in addition to their own sums.
struct Sinks {
  VertexErrors* by_vertex;
  SampledBlock* block;
};

// Compares rows of K with columns of K~, vertex by vertex. Entries are first summed within a unit of the partition, so
// that rounding grows with the number of units, not with n.
class Comparison {
 public:
  // @param begin   number of the first row in the sample
  // @param factor  factor of all entries
  Comparison(std::span<const Index> sources, Index begin, const RowBlock<double>& approximate, double factor,
             Sinks sinks)
      : sources_(sources),
        begin_(static_cast<std::size_t>(begin)),
        approximate_(approximate),
        factor_(factor),
        sinks_(sinks),
        unit_(sources.size()),
        sums_{unit_, 0.0} {}

  // Adds a vertex of this rank; vertices must be ascending.
  // @param exact  K between the sources and the vertex
  void add(Index vertex, std::span<const double> exact) {
    const auto values = approximate_.row(vertex);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      if (!std::isfinite(exact[k])) {
        throw Error(ErrorKind::numeric,
                    fmt::format("the value of vertices {} and {} is {}", sources_[k], vertex, exact[k]));
      }
      const double value = factor_ * exact[k], error = factor_ * values[k] - value;
      unit_[k].error += error * error;
      unit_[k].reference += value * value;
      unit_[k].value += value;
      sums_.largest_error = std::max(sums_.largest_error, std::abs(error) / factor_);
      if (sinks_.by_vertex != nullptr) {
        const auto at = static_cast<std::size_t>(vertex - approximate_.range().begin);
        sinks_.by_vertex->squared_error[at] += error * error;
        sinks_.by_vertex->squared_norm[at] += value * value;
      }
    }
    if (sinks_.block != nullptr) sinks_.block->add(begin_, vertex, exact, values);
    if ((vertex + 1) % RowPartition::unit(approximate_.rows()) == 0 || vertex + 1 == approximate_.range().end) close();
  }

  [[nodiscard]] KeptRowSums& sums() { return sums_; }

 private:
  // Ends a unit of the partition.
  void close() {
    for (std::size_t k = 0; k < unit_.size(); ++k) {
      sums_.rows[k].error += unit_[k].error;
      sums_.rows[k].reference += unit_[k].reference;
      sums_.rows[k].value += unit_[k].value;
      unit_[k] = {};
    }
  }

  std::span<const Index> sources_;
  std::size_t begin_;
  const RowBlock<double>& approximate_;
  double factor_;
  Sinks sinks_;
  std::vector<Unit> unit_;
  KeptRowSums sums_;
};

// Compares the rows of a round. Row k comes from rank k mod ranks.
// @param begin   number of the first row in the sample
// @param factor  factor of all entries
// @param rows    storage for this rank's rows
// Collective.
KeptRowSums compare_round(const Execution& execution, const std::vector<Index>& picks, Index begin,
                          const RowBlock<double>& approximate, double factor, RowPanels& rows, Sinks sinks) {
  const Communicator& communicator = execution.communicator;
  std::vector<Index> mine;
  for (auto k = static_cast<std::size_t>(communicator.rank()); k < picks.size();
       k += static_cast<std::size_t>(communicator.size())) {
    mine.push_back(picks[k]);
  }
  collectively(communicator, [&] { rows.compute(mine, execution.threads); });
  Comparison comparison(picks, begin, approximate, factor, sinks);
  rows.deliver(communicator, approximate.partition(), std::ssize(picks),
               [&](Index vertex, std::span<const double> exact) { comparison.add(vertex, exact); });
  KeptRowSums& sums = comparison.sums();
  static_assert(sizeof(Unit) == 4 * sizeof(double));  // so that they can be sent as numbers
  communicator.sum(std::span(&sums.rows.data()->error, 4 * sums.rows.size()));
  return std::move(sums);
}

// Factor of entries before they are squared. It is 1 unless squares may leave the range of doubles, judged by one
// column of K~. It does not depend on the rows of K in the ledger. Collective.
template <class T>
double factor_of_values(const Execution& execution, const Approximation<T>& approximation, Index column) {
  constexpr double least = 1e-120, most = 1e120;
  const RowBlock<double> values = approximate_columns(execution, approximation, std::span(&column, 1));
  double largest = 0.0;
  for (Index i = values.range().begin; i < values.range().end; ++i) {
    largest = std::max(largest, std::abs(values.row(i).front()));
  }
  largest = execution.communicator.maximum(largest);
  return least < largest && largest < most ? 1.0 : factor_for_squares(largest);
}

// Rows of a sample, compared in stages.
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
    factor_ = factor_of_values(execution, approximation, sample.part(0, 1).front());
    stratum_.population = static_cast<double>(similarity.size());
    if (details == nullptr) return;
    details->by_vertex.squared_error.assign(approximation.left.range().size(), 0.0);
    details->by_vertex.squared_norm = details->by_vertex.squared_error;
    details->by_vertex.factor = factor_;
    block_.emplace(sample.part(0, symmetric_error_rows), approximation.left.range(), factor_);
  }

  // Compares the rows of the sample up to number `count`. Collective.
  void compare_up_to(Index count);
  // Estimate over the compared rows. Local.
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
  double factor_ = 1.0;  // factor of all entries
  std::optional<SampledBlock> block_;
  Stratum stratum_;
  double largest_error_ = 0.0;
};

template <class T>
void ComparedRows<T>::compare_up_to(Index count) {
  const Communicator& communicator = execution_.communicator;
  const Range look{compared(), count};
  const Index most = (std::min(round_, look.size()) + communicator.size() - 1) / communicator.size();
  auto budget = collectively(communicator, [&] { return RowPanels(similarity_, most); });
  const Sinks sinks{details_ != nullptr ? &details_->by_vertex : nullptr, block_ ? &*block_ : nullptr};
  KeptRows kept(execution_, similarity_, look, factor_, details_ == nullptr);  // details need the rows themselves
  const std::vector<Index>& missing = kept.missing();
  const std::vector<Index> sources = sample_.part(look.begin, look.size());
  std::vector<Index> vertices(missing.size());
  std::ranges::transform(missing, vertices.begin(), [&](Index k) { return sources[k]; });
  Progress progress("evaluation rows", static_cast<Index>(missing.size()), communicator.is_root(), "rows/s");
  ColumnsInTurn<T> columns(execution_, approximation_, vertices);
  for (std::size_t begin = 0; begin < missing.size(); begin += static_cast<std::size_t>(round_)) {
    const std::size_t size = std::min(static_cast<std::size_t>(round_), missing.size() - begin);
    const std::vector<Index> picks(vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                                   vertices.begin() + static_cast<std::ptrdiff_t>(begin + size));
    const RowBlock<double> approximate = columns.next(static_cast<Index>(size));
    kept.add(
        std::span(missing).subspan(begin, size),
        compare_round(execution_, picks, look.begin + static_cast<Index>(begin), approximate, factor_, budget, sinks));
    progress.advance(static_cast<Index>(size));
  }
  for (const RowMetrics& row : kept.metrics()) {
    stratum_.units.push_back(row.sums);
    stratum_.units.back().ratio = ErrorEstimate::unknown;  // distances of objects to themselves are 0
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

// Doubles the number of rows until `looks` ends the estimate.
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

// If there are many rows, a multiple of the number that approximate_columns multiplies at once.
Index compared_source_rows(Index n, Index batch, int ranks, int threads) {
  const Index fitting = batch_bytes / (std::max<Index>(1, n) * static_cast<Index>(sizeof(double)));
  const Index all = ranks * std::clamp<Index>(fitting, 1, std::min<Index>(most_rows, batch * threads));
  return all < column_multiple ? all : all / column_multiple * column_multiple;
}

Index most_compared_rows(Index n, Index factor_columns, double share) {
  const double part = share * static_cast<double>(factor_columns);
  return std::min(n, static_cast<Index>(std::clamp(part, double{first_look}, double{last_look})));
}

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
  const Index most = most_compared_rows(n, approximation.left.columns(), effort.share);
  const RowSample sample(n, effort.count.value_or(most), execution.seed, effort.keys, !effort.count);
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

// Errors over rows of K that come by source.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "approximation/columns_in_turn.hpp"
#include "approximation/ratio_estimate.hpp"
#include "base/buffer.hpp"
#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/watchdog.hpp"
#include "evaluation/exact_error.hpp"
#include "evaluation/row_sample.hpp"

namespace cairn {

namespace {

constexpr Index batch_bytes = Index{256} << 20;  // of rows of K on one rank
constexpr Index most_rows = 256;                 // of K on one rank at once
constexpr Index column_multiple = 32;
static_assert(travelling_rows * static_cast<Index>(sizeof(double)) == 64);  // a line of cache of K~

// rows(k, v) = K(sources[k], v) of all vertices v, the sources dealt to threads. Local.
void compute_rows(const SourceSimilarity& similarity, const std::vector<Index>& sources, int threads,
                  Buffer<double>& rows) {
  const Index n = similarity.size();
  const auto count = static_cast<Index>(sources.size());
  const Index piece = std::clamp<Index>((count + threads - 1) / threads, 1, similarity.batch());
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

  // Collective.
  [[nodiscard]] SymmetricError finish(const Communicator& communicator) {
    communicator.sum(std::span(exact_));
    communicator.sum(std::span(approximate_));
    const std::size_t size = vertices_.size();
    double of_means = 0.0, means = 0.0, of_rows = 0.0, rows = 0.0, asymmetry = 0.0;
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        const double value = exact_[a * size + b], transposed = exact_[b * size + a];
        const double mean = 0.5 * (value + transposed), approximate = approximate_[a * size + b];
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

// The sums of a round's rows over own vertices, by the row's place in the round.
struct RowSums {
  std::vector<double> error, reference;
  double largest_error = 0.0;
};

// Compares rows of K, in own vertices, with the columns of K~ from `first` on. Sums of a unit of the partition are
// added up first: rounding then grows with their number, not with n. Rows are the inner loop, since K~ stands by
// vertices.
void compare_rows(const std::vector<std::span<const double>>& exact, std::span<const Index> sources,
                  const RowBlock<double>& approximate, std::size_t first, RowSums& sums, VertexErrors* by_vertex) {
  const Index unit = RowPartition::unit(approximate.rows());
  const Range own = approximate.range();
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    std::vector<double> errors(exact.size(), 0.0), norms(exact.size(), 0.0);
    for (Index v = begin; v < std::min(begin + unit, own.end); ++v) {
      const auto at = static_cast<std::size_t>(v - own.begin);
      const auto values = approximate.row(v).subspan(first, exact.size());
      for (std::size_t k = 0; k < exact.size(); ++k) {
        const double value = exact[k][at];
        if (!std::isfinite(value)) {
          throw Error(ErrorKind::numeric, fmt::format("the value of vertices {} and {} is {}", sources[k], v, value));
        }
        const double error = values[k] - value;
        errors[k] += error * error;
        norms[k] += value * value;
        sums.largest_error = std::max(sums.largest_error, std::abs(error));
        if (by_vertex != nullptr) {
          by_vertex->squared_error[at] += error * error;
          by_vertex->squared_norm[at] += value * value;
        }
      }
    }
    for (std::size_t k = 0; k < exact.size(); ++k) {
      sums.error[first + k] += errors[k];
      sums.reference[first + k] += norms[k];
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
  RowSums sums{std::vector<double>(picks.size(), 0.0), std::vector<double>(picks.size(), 0.0), 0.0};
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
  communicator.sum(std::span(sums.error));
  communicator.sum(std::span(sums.reference));
  return sums;
}

// What is known of a row: the tile of it that a ledger keeps.
struct RowFigures {
  double error = 0.0, reference = 0.0;
  double largest_error = 0.0;  // of any row of its round
};

// The figures of all rows of a sample by their numbers, through a ledger: rows that it has need not be computed. Row k
// is asked and told of by rank k mod ranks.
class KeptRows {
 public:
  // @param ask  false: all rows are missing, whatever the ledger has. Collective.
  KeptRows(const Execution& execution, const SourceSimilarity& similarity, Index count, bool ask)
      : execution_(execution), figures_(static_cast<std::size_t>(count)) {
    const Communicator& communicator = execution.communicator;
    std::vector<Index> found;
    std::vector<RowFigures> restored;
    collectively(communicator, [&] {
      execution.ledger.begin("evaluation rows", count);
      for (Index k = communicator.rank(); ask && k < count; k += communicator.size()) {
        RowFigures& row = figures_[static_cast<std::size_t>(k)];
        if (!execution.ledger.get(k, std::as_writable_bytes(std::span(&row, 1)))) continue;
        similarity.count_restored(similarity.size());
        found.push_back(k);
        restored.push_back(row);
      }
    });
    found = communicator.all_gather(found);
    restored = communicator.all_gather(restored);
    std::vector<bool> known(figures_.size(), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      figures_[static_cast<std::size_t>(found[i])] = restored[i];
      known[static_cast<std::size_t>(found[i])] = true;
    }
    for (Index k = 0; k < count; ++k) {
      if (!known[static_cast<std::size_t>(k)]) missing_.push_back(k);
    }
  }

  [[nodiscard]] const std::vector<Index>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<RowFigures>& figures() const { return figures_; }

  // The sums of the rows with these numbers. @throws as TileLedger::put. Collective.
  void add(std::span<const Index> numbers, const RowSums& sums) {
    const Communicator& communicator = execution_.communicator;
    const double largest = communicator.maximum(sums.largest_error);
    collectively(communicator, [&] {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        RowFigures& row = figures_[static_cast<std::size_t>(numbers[i])];
        row = {sums.error[i], sums.reference[i], largest};
        if (numbers[i] % communicator.size() != communicator.rank()) continue;
        execution_.ledger.put(numbers[i], std::as_bytes(std::span(&row, 1)));
      }
    });
  }

 private:
  const Execution& execution_;
  std::vector<RowFigures> figures_;
  std::vector<Index> missing_;  // numbers of rows that the ledger had not, ascending
};

}  // namespace

// A multiple of what approximate_columns multiplies at once, if they are many.
Index compared_source_rows(Index n, Index batch, int ranks, int threads) {
  const Index fitting = batch_bytes / (std::max<Index>(1, n) * static_cast<Index>(sizeof(double)));
  const Index all = ranks * std::clamp<Index>(fitting, 1, std::min<Index>(most_rows, batch * threads));
  return all < column_multiple ? all : all / column_multiple * column_multiple;
}

template <class T>
ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                              const SourceSimilarity& similarity, Index rows, RowErrors* details) {
  const Communicator& communicator = execution.communicator;
  const Index n = similarity.size();
  if (approximation.left.rows() != n) {
    throw Error(ErrorKind::usage, fmt::format("the approximation is one of {} objects, and {} is defined on {}",
                                              approximation.left.rows(), similarity.name(), n));
  }
  const RowSample sample(n, rows, execution.seed);
  const Index count = sample.count();
  std::optional<SampledBlock> block;
  if (details != nullptr) {
    details->by_vertex.squared_error.assign(static_cast<std::size_t>(approximation.left.range().size()), 0.0);
    details->by_vertex.squared_norm = details->by_vertex.squared_error;
    block.emplace(sample.part(0, symmetric_error_rows), approximation.left.range());
  }
  const Sinks sinks{details != nullptr ? &details->by_vertex : nullptr, block ? &*block : nullptr};
  const Index evaluations_before = similarity.evaluations();
  const Index round = compared_source_rows(n, similarity.batch(), communicator.size(), execution.threads);
  const Index most = std::min(round, count);
  auto room = collectively(communicator,
                           [&] { return Buffer<double>((most + communicator.size() - 1) / communicator.size() * n); });
  auto phase = execution.phases.enter("evaluation");
  KeptRows kept(execution, similarity, count, details == nullptr);  // details need the rows themselves
  const std::vector<Index>& missing = kept.missing();
  std::vector<Index> sources = sample.part(0, count);
  std::vector<Index> vertices(missing.size());
  std::ranges::transform(missing, vertices.begin(), [&](Index k) { return sources[static_cast<std::size_t>(k)]; });
  Progress progress("evaluation rows", static_cast<Index>(missing.size()), communicator.is_root());
  ColumnsInTurn<T> columns(execution, approximation, vertices);
  for (std::size_t begin = 0; begin < missing.size(); begin += static_cast<std::size_t>(round)) {
    const std::size_t size = std::min(static_cast<std::size_t>(round), missing.size() - begin);
    const std::vector<Index> picks(vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                                   vertices.begin() + static_cast<std::ptrdiff_t>(begin + size));
    const RowBlock<double> approximate = columns.next(static_cast<Index>(size));
    kept.add(std::span(missing).subspan(begin, size),
             compare_round(execution, similarity, picks, static_cast<Index>(begin), approximate, room, sinks));
    progress.advance(static_cast<Index>(size));
  }
  Stratum stratum{{}, static_cast<double>(n), false};
  double largest_error = 0.0;
  for (const RowFigures& row : kept.figures()) {
    stratum.sums.add(row.error, row.reference);
    largest_error = std::max(largest_error, row.largest_error);
  }
  const Index evaluations = similarity.evaluations() - evaluations_before;
  phase.count_evaluations(evaluations);
  if (block) details->symmetric = block->finish(communicator);
  ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1));
  estimate.largest_entry_error = largest_error;
  estimate.pairs = count * (n - 1);
  estimate.diagonal = count;
  estimate.evaluations = communicator.sum(evaluations);
  return estimate;
}

template ErrorEstimate error_over_rows(const Execution&, const Approximation<float>&, const SourceSimilarity&, Index,
                                       RowErrors*);
template ErrorEstimate error_over_rows(const Execution&, const Approximation<double>&, const SourceSimilarity&, Index,
                                       RowErrors*);

}  // namespace cairn

#include "cairn/approximation/biharmonic/interpolation_by_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "cairn/approximation/biharmonic/interpolation_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/linalg/blas_threads.hpp"

namespace cairn {

namespace {

// What came in so far.
struct Gathered {
  LargestOfRows rows;
  RowSums sums;
  std::vector<double> solved;  // by tile, 1 where this rank, or an earlier run, has added it
};

// Keeps it in a ledger: the rows, the sums, and then, in a loop of its own, as the tile that has the number of solved
// tiles, which they are and how well they were solved. One that has the last of these has all.
class KeptStates {
 public:
  KeptStates(const Execution& execution, std::string loop, Index tiles)
      : ledger_(execution.ledger), communicator_(execution.communicator), loop_(std::move(loop)), tiles_(tiles) {}

  /// The newest state that is whole, if there is one. Collective.
  void restore(Gathered& gathered, ColumnTiling::Quality& quality);
  /// Keeps a state where that is due. Collective.
  void keep_where_due(Gathered& gathered, const ColumnSummary& summary);

 private:
  // Which tiles are solved, not only how many, depends on the ranks that a run has.
  [[nodiscard]] std::string rows_name(const std::vector<double>& solved) const { return named("P by rows", solved); }
  [[nodiscard]] std::string sums_name(const std::vector<double>& solved) const {
    return named("sums of P's rows", solved);
  }
  [[nodiscard]] std::string named(const char* what, const std::vector<double>& solved) const {
    const auto count = std::accumulate(solved.begin(), solved.end(), 0.0);
    return fmt::format("{} at {} ({}, {:08x})", what, count, loop_,
                       static_cast<std::uint32_t>(hash_bytes(std::as_bytes(std::span(solved)), 7)));
  }
  [[nodiscard]] std::string states() const { return fmt::format("states of P by rows ({})", loop_); }
  [[nodiscard]] std::size_t head_bytes() const {
    return static_cast<std::size_t>(tiles_) * sizeof(double) + sizeof(ColumnTiling::Quality);
  }
  [[nodiscard]] std::vector<Range> own_units(const LargestOfRows& rows) const;
  [[nodiscard]] bool restore_rows(Gathered& gathered);
  void keep_all(const std::vector<double>& solved, Gathered& gathered);

  TileLedger& ledger_;
  const Communicator& communicator_;
  std::string loop_;
  Index tiles_;
  Index kept_ = 0;  // the newest state
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

std::vector<Range> KeptStates::own_units(const LargestOfRows& rows) const {
  const Index unit = RowPartition::unit(rows.partition().rows());
  std::vector<Range> units;
  for (Index begin = rows.range().begin; begin < rows.range().end; begin += unit) {
    units.push_back({begin, std::min(begin + unit, rows.range().end)});
  }
  return units;
}

void KeptStates::restore(Gathered& gathered, ColumnTiling::Quality& quality) {
  for (Index solved = tiles_; solved > 0; --solved) {
    std::vector<std::byte> head;
    collectively(communicator_, [&] {
      if (!communicator_.is_root()) return;
      ledger_.begin(states().c_str(), tiles_);
      head.resize(head_bytes());
      while (solved > 0 && !ledger_.get(solved, head)) --solved;
    });
    communicator_.broadcast(std::span(&solved, 1), 0);
    if (solved == 0) return;
    communicator_.broadcast(head, 0);
    std::memcpy(gathered.solved.data(), head.data(), gathered.solved.size() * sizeof(double));
    if (restore_rows(gathered)) {
      std::memcpy(&quality, head.data() + gathered.solved.size() * sizeof(double), sizeof quality);
      kept_ = solved;
      return;
    }
    gathered.rows = LargestOfRows(communicator_, gathered.sums.vertices(), gathered.rows.kept());
    gathered.sums = RowSums(communicator_, gathered.sums.vertices());
    std::ranges::fill(gathered.solved, 0.0);
  }
}

// @return whether all of it is there, on all ranks
bool KeptStates::restore_rows(Gathered& gathered) {
  const bool whole = collectively(communicator_, [&] {
    bool found = true;
    const Index unit = RowPartition::unit(gathered.sums.vertices()), vertices = gathered.sums.vertices();
    ledger_.begin(rows_name(gathered.solved).c_str(), (vertices + unit - 1) / unit);
    for (const Range& rows : own_units(gathered.rows)) {
      std::vector<std::byte> bytes(gathered.rows.packed_bytes(rows));
      found = found && ledger_.get(rows.begin / unit, bytes);
      if (found) gathered.rows.unpack(rows, bytes);
    }
    if (!communicator_.is_root()) return found;
    ledger_.begin(sums_name(gathered.solved).c_str(), (vertices + RowSums::piece - 1) / RowSums::piece);
    for (Index begin = 0; found && begin < vertices; begin += RowSums::piece) {
      std::vector<double> values(static_cast<std::size_t>(std::min(RowSums::piece, vertices - begin)));
      std::vector<std::int32_t> ids(values.size());
      std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(begin));
      found = ledger_.get(begin / RowSums::piece, std::as_writable_bytes(std::span(values)));
      if (found) gathered.sums.add(ids, values);
    }
    return found;
  });
  return communicator_.maximum(whole ? 0 : 1) == 0;
}

void KeptStates::keep_all(const std::vector<double>& solved, Gathered& gathered) {
  const Index unit = RowPartition::unit(gathered.sums.vertices()), vertices = gathered.sums.vertices();
  collectively(communicator_, [&] {
    ledger_.begin(rows_name(solved).c_str(), (vertices + unit - 1) / unit);
    for (const Range& rows : own_units(gathered.rows)) ledger_.keep(rows.begin / unit, gathered.rows.pack(rows));
    ledger_.begin(sums_name(solved).c_str(), (vertices + RowSums::piece - 1) / RowSums::piece);
  });
  std::optional<Error> error;
  gathered.sums.for_each_piece(communicator_, [&](Index begin, std::span<const double> sums) {
    try {
      if (communicator_.is_root() && !error) ledger_.keep(begin / RowSums::piece, std::as_bytes(sums));
    } catch (...) {
      error = current_error();
    }
  });
  agree(communicator_, error);
}

void KeptStates::keep_where_due(Gathered& gathered, const ColumnSummary& summary) {
  const double begun = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  if (communicator_.maximum(ledger_.due(begun) ? 1 : 0) == 0) return;
  std::vector<double> solved = gathered.solved;
  communicator_.maximum(std::span(solved));
  const auto count = static_cast<Index>(std::accumulate(solved.begin(), solved.end(), 0.0));
  if (count > kept_) {
    keep_all(solved, gathered);
    ColumnSummary all = summary;
    all.combine(communicator_);
    collectively(communicator_, [&] {
      ledger_.begin(states().c_str(), tiles_);
      if (!communicator_.is_root()) return;
      std::vector<std::byte> head(head_bytes());
      std::memcpy(head.data(), solved.data(), solved.size() * sizeof(double));
      std::memcpy(head.data() + solved.size() * sizeof(double), &all.quality, sizeof all.quality);
      ledger_.keep(count, head);
    });
    kept_ = count;
  }
  collectively(communicator_, [&] { ledger_.settle(); });
}

}  // namespace

SparseRows<double> interpolation_by_rows(const Execution& execution, const ChosenSolver& solver,
                                         const std::vector<Index>& landmarks, bool unit_rows, Index vertices,
                                         Index kept, const std::string& loop, ColumnSummary& summary) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("interpolation");
  const BlasThreads one(1);
  const auto tiles = static_cast<Index>(solver.tiling().tiles().size());
  Gathered gathered{LargestOfRows(communicator, vertices, kept), RowSums(communicator, vertices),
                    std::vector<double>(static_cast<std::size_t>(tiles))};
  KeptStates states(execution, loop, tiles);
  states.restore(gathered, summary.quality);
  std::vector<Index> left;
  for (Index tile = 0; tile < tiles; ++tile) {
    if (gathered.solved[static_cast<std::size_t>(tile)] == 0.0) left.push_back(tile);
  }
  // A range of tiles a rank: what a solver makes for one of them may serve the next.
  const auto all = static_cast<Index>(left.size());
  const Range own = solver.own ? RowPartition(all, communicator.size()).range(communicator.rank()) : Range{0, all};
  const Index rounds = communicator.maximum(own.size());
  Progress progress("interpolation", rounds, communicator.is_root(), "tiles/s a rank");
  for (Index round = 0; round < rounds; ++round) {
    const bool busy = own.begin + round < own.end;
    const Index tile = busy ? left[static_cast<std::size_t>(own.begin + round)] : 0;
    const auto columns =
        solver.own ? collectively(communicator,
                                  [&] { return busy ? solver.own->solve(tile, 0) : ColumnTiling::TileColumns{}; })
                   : solver.joint->solve_own_rows(tile);
    if (solver.own) gathered.rows.add(communicator, columns.columns);
    collectively(communicator, [&] {
      summary.quality.include(columns.quality);
      gathered.sums.add(columns.sum_vertices, columns.sums);
      if (solver.joint) gathered.rows.add_own(columns.columns);
      if (busy) gathered.solved[static_cast<std::size_t>(tile)] = 1.0;
    });
    states.keep_where_due(gathered, summary);
    progress.advance(1);
  }
  std::vector<Index> unit = unit_rows ? landmarks : std::vector<Index>{};
  summary.row_sum_error = gathered.sums.largest_error(communicator, unit);
  if (solver.own) solver.own->release();
  return std::move(gathered.rows).finish(communicator, landmarks, unit_rows);
}

}  // namespace cairn

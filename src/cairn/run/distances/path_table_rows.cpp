#include "cairn/run/distances/path_table_rows.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/progress.hpp"

namespace cairn {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = hdf5::ElementType::Kind;

constexpr Index block_bytes = Index{16} << 20;
constexpr Index most_bytes_by_default = Index{2} << 30;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Calls use(Number{}) with the type that is written.
template <class Use>
decltype(auto) with_written(const hdf5::ElementType& number, Use&& use) {
  if (number.kind == Kind::uint16) return std::forward<Use>(use)(std::uint16_t{});
  if (number.kind == Kind::uint32) return std::forward<Use>(use)(std::uint32_t{});
  if (number.kind == Kind::float32) return std::forward<Use>(use)(float{});
  return std::forward<Use>(use)(double{});
}

// Keeps each vertex once, in the order of their first columns. `of` becomes the kept vertex of each column, `first` the
// first column of each kept vertex; both stay empty if none repeats.
void drop_repeats(std::vector<Index>& vertices, std::vector<Index>& of, std::vector<Index>& first) {
  const auto at = [&vertices](Index column) -> Index& { return vertices[column]; };
  std::vector<Index> order(vertices.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) { return at(a) != at(b) ? at(a) < at(b) : a < b; });
  if (std::ranges::adjacent_find(order, [&](Index a, Index b) { return at(a) == at(b); }) == order.end()) return;
  of.resize(order.size());
  Index leader = order.front();
  for (const Index column : order) {
    if (at(column) != at(leader)) leader = column;
    of[column] = leader;
  }
  for (Index column = 0; column < std::ssize(of); ++column) {
    Index& place = of[column];
    if (place != column) {
      place = of[place];  // from its first column, which comes earlier
      continue;
    }
    place = std::ssize(first);
    at(place) = at(column);
    first.push_back(column);
  }
  vertices.resize(first.size());
}

}  // namespace

TableCut cut_of(const PathTable& table, const PathLength& lengths, Index most_bytes, int threads) {
  const Index most = most_bytes > 0 ? most_bytes : most_bytes_by_default;
  const Index lanes = std::min(lengths.traits().batch, table.rows());
  const Index column_bytes = threads * lanes * (lengths.length_bytes() + table.number.bytes());
  TableCut cut;
  cut.columns = std::clamp<Index>(most / column_bytes, 1, table.columns());
  const Index batch_bytes = lanes * cut.columns * table.number.bytes();
  const Index batches = std::max<Index>(block_bytes / std::max<Index>(batch_bytes, 1) / threads, 1) * threads;
  cut.rows = std::min(batches * lanes, table.rows());
  return cut;
}

/// Consecutive targets, each vertex once. If none repeats, they are the columns and nothing else is stored; otherwise
/// column b of the piece is target `of[b]`.
struct PathTableRows::Piece {
  Range columns;
  std::unique_ptr<TargetSet> set;
  std::vector<Index> of, first;  ///< target of each column; first column of each target
  [[nodiscard]] bool repeats() const { return !of.empty(); }
  [[nodiscard]] Index column_of(Index target) const { return columns.begin + (repeats() ? first[target] : target); }
};

PathTableRows::~PathTableRows() = default;

PathTableRows::PathTableRows(const Execution& execution, const PathLength& lengths, const PathTable& table)
    : execution_(execution), lengths_(lengths), table_(table) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("distances");
  const double mine = collectively(communicator, [&] {
    order_ = lengths.order_of(table.sources.vertices);
    piece_ = std::make_unique<Piece>(prepare(0));
    const Index batch = std::min(lengths.traits().batch, table.rows());
    const Index begin = (table.rows() - batch) * communicator.rank() / communicator.size();
    const std::vector<Index> rows(order_.begin() + begin, order_.begin() + begin + batch);
    Buffer<std::byte> out(batch * table.cut.columns * table.number.bytes());
    static_cast<void>(compute(*piece_, rows, out.span()));  // warm-up: the system provides the memory
    const auto start = Clock::now();
    static_cast<void>(compute(*piece_, rows, out.span()));
    return seconds_since(start) / static_cast<double>(batch) * static_cast<double>(table.column_pieces());
  });
  seconds_ = communicator.maximum(mine) * static_cast<double>(table.rows()) /
             (communicator.size() * static_cast<double>(execution.threads));
}

double PathTableRows::planned_bytes() const {
  const Index lanes = std::min(lengths_.traits().batch, table_.rows());
  // Targets of a piece; if they may repeat, also the order of their columns, `of` and `first`.
  const Index indices = table_.targets.vertices.empty() ? 1 : 4;
  const Index lists =
      table_.sources.bytes() + table_.targets.bytes() + static_cast<Index>(sizeof(Index)) * table_.rows();
  return static_cast<double>(table_.cut.columns) *
             static_cast<double>(table_.cut.rows * table_.number.bytes() +
                                 execution_.threads * lanes * lengths_.length_bytes() +
                                 indices * static_cast<Index>(sizeof(Index))) +
         static_cast<double>(lists);
}

PathTableRows::Piece PathTableRows::prepare(Index piece) const {
  Piece made;
  made.columns = {piece * table_.cut.columns, std::min((piece + 1) * table_.cut.columns, table_.columns())};
  const auto width = static_cast<std::size_t>(made.columns.size());
  std::vector<Index> targets(width);
  for (std::size_t c = 0; c < width; ++c) {
    targets[c] = table_.targets.vertex(made.columns.begin + static_cast<Index>(c));
  }
  if (!table_.targets.vertices.empty()) drop_repeats(targets, made.of, made.first);
  made.set = lengths_.prepare(std::move(targets));
  return made;
}

std::vector<Index> PathTableRows::rows_of(Index row_block) const {
  const Index begin = row_block * table_.cut.rows;
  return {order_.begin() + begin, order_.begin() + std::min(begin + table_.cut.rows, table_.rows())};
}

// Batches are distributed over threads. Positions in the returned metrics are those of the lists.
LengthsFound PathTableRows::compute(const Piece& piece, const std::vector<Index>& rows,
                                    std::span<std::byte> out) const {
  const auto count = static_cast<Index>(rows.size()), batch = lengths_.traits().batch, width = piece.columns.size();
  std::vector<Index> sources;
  for (const Index row : rows) sources.push_back(table_.sources.vertices[row]);
  LengthsFound all;
  std::mutex adding;
  std::optional<Error> failed;
#pragma omp parallel for schedule(dynamic) num_threads(execution_.threads) if (execution_.threads > 1)
  for (Index first = 0; first < count; first += batch) {
    try {
      const Index some = std::min(batch, count - first);
      const LengthsFound found = with_written(table_.number, [&]<class Number>(Number) {
        MatrixView<Number> view(reinterpret_cast<Number*>(out.data()) + first * width, some,
                                std::ssize(piece.set->targets), width);
        LengthsFound these =
            lengths_.write_rows(std::span(sources).subspan(first, some), *piece.set, table_.scale, view);
        for (Index a = 0; a < some && piece.repeats(); ++a) {
          Number* const row = view.row(a);
          for (Index b = width; b-- > 0;) row[b] = row[piece.of[b]];
          if (a == 0) these.without_path = 0;  // counts columns, not vertices
          these.without_path += std::count(row, row + width, no_path<Number>);
        }
        return these;
      });
      const std::scoped_lock lock(adding);
      all.add(found, first);
    } catch (...) {
      const std::scoped_lock lock(adding);
      if (!failed) failed = current_error();
    }
  }
  if (failed) throw Error(*failed);
  for (auto* pair : {&all.unreached, &all.too_long}) {
    if (!*pair) continue;
    (*pair)->source = rows[(*pair)->source];
    (*pair)->target = piece.column_of((*pair)->target);
  }
  return all;
}

// Flags of the sound blocks of an earlier run. The ranks share the reading; each adds the metrics of its blocks.
std::vector<char> PathTableRows::held(const LengthTableFile& file, LengthsFound& found) const {
  const Communicator& communicator = execution_.communicator;
  const auto phase = execution_.phases.enter("verify");
  std::vector<Index> sound(table_.blocks(), 0);
  collectively(communicator, [&] {
    for (Index b = communicator.rank(); b < table_.blocks(); b += communicator.size()) {
      const Index piece = b / table_.row_blocks();
      const Range columns{piece * table_.cut.columns, std::min((piece + 1) * table_.cut.columns, table_.columns())};
      if (const auto kept = file.held(b, rows_of(b % table_.row_blocks()), columns)) {
        sound[b] = 1;
        found.add(*kept, 0);
      }
    }
  });
  communicator.maximum(std::span<Index>(sound));
  return {sound.begin(), sound.end()};
}

PathTableMetrics PathTableRows::write(LengthTableFile& file) {
  const Communicator& communicator = execution_.communicator;
  PathTableMetrics metrics;
  std::vector<char> done(table_.blocks(), 0);
  if (file.resumed()) done = held(file, metrics.found);
  metrics.kept = std::ranges::count(done, 1);
  auto phase = execution_.phases.enter("distances");
  const auto start = Clock::now();
  const Index ranks = communicator.size(), width = table_.number.bytes(), before = lengths_.evaluations();
  Progress progress("distances", (table_.blocks() - metrics.kept) * table_.cut.rows, communicator.is_root(), "rows/s");
  Buffer<std::byte> out(table_.cut.rows * table_.cut.columns * width);
  double computing = 0.0;
  bool too_long = false;
  for (Index p = 0; p < table_.column_pieces() && !too_long; ++p) {
    std::vector<Index> left;
    for (Index b = p * table_.row_blocks(); b < (p + 1) * table_.row_blocks(); ++b) {
      if (done[b] == 0) left.push_back(b);
    }
    if (left.empty()) continue;
    if (p > 0) collectively(communicator, [&] { piece_ = std::make_unique<Piece>(prepare(p)); });
    for (Index k = 0; k < std::ssize(left) && !too_long; k += ranks) {
      collectively(communicator, [&] {
        if (k + communicator.rank() >= std::ssize(left)) return;
        const Index block = left[k + communicator.rank()];
        const std::vector<Index> rows = rows_of(block % table_.row_blocks());
        const auto bytes = static_cast<std::size_t>(std::ssize(rows) * piece_->columns.size() * width);
        const auto begin = Clock::now();
        const LengthsFound found = compute(*piece_, rows, out.span().first(bytes));
        computing += seconds_since(begin);
        metrics.found.add(found, 0);
        if (!found.too_long) file.write(block, rows, piece_->columns, out.span().first(bytes), found);
      });
      too_long = communicator.maximum(metrics.found.too_long ? 1 : 0) > 0;
      progress.advance(std::min(ranks, std::ssize(left) - k) * table_.cut.rows);
    }
  }
  phase.count_busy(computing);
  phase.count_evaluations(lengths_.evaluations() - before);
  const double seconds = communicator.maximum(seconds_since(start));
  const auto computed = static_cast<double>((table_.blocks() - metrics.kept) * table_.cut.rows);
  metrics.rows_per_second = computed / static_cast<double>(table_.column_pieces()) / std::max(seconds, 1e-9);
  LengthsFound all;
  for (const LengthsFound& one : communicator.all_gather_one(metrics.found)) all.add(one, 0);
  metrics.found = all;
  return metrics;
}

}  // namespace cairn

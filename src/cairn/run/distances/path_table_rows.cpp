#include "cairn/run/distances/path_table_rows.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <unordered_map>
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

// use(Number{}) for the type that is written.
template <class Use>
decltype(auto) with_written(const hdf5::ElementType& number, Use&& use) {
  if (number.kind == Kind::uint16) return std::forward<Use>(use)(std::uint16_t{});
  if (number.kind == Kind::uint32) return std::forward<Use>(use)(std::uint32_t{});
  if (number.kind == Kind::float32) return std::forward<Use>(use)(float{});
  return std::forward<Use>(use)(double{});
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

/// Targets that are next to each other, each vertex once; column b of the piece is target `of[b]` of these.
struct PathTableRows::Piece {
  Range columns;
  std::unique_ptr<TargetSet> set;
  std::vector<Index> of, first;  ///< by column; by target: its first column
  [[nodiscard]] bool repeats() const { return of.size() != first.size(); }
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
    static_cast<void>(compute(*piece_, rows, out.span()));  // memory comes from the system
    const auto start = Clock::now();
    static_cast<void>(compute(*piece_, rows, out.span()));
    return seconds_since(start) / static_cast<double>(batch) * static_cast<double>(table.column_pieces());
  });
  seconds_ = communicator.maximum(mine) * static_cast<double>(table.rows()) /
             (communicator.size() * static_cast<double>(execution.threads));
}

double PathTableRows::planned_bytes() const {
  const Index lanes = std::min(lengths_.traits().batch, table_.rows());
  return static_cast<double>(table_.cut.columns) *
         static_cast<double>(table_.cut.rows * table_.number.bytes() +
                             execution_.threads * lanes * lengths_.length_bytes());
}

PathTableRows::Piece PathTableRows::prepare(Index piece) const {
  const std::vector<Index>& all = table_.targets.vertices;
  Piece made;
  made.columns = {piece * table_.cut.columns, std::min((piece + 1) * table_.cut.columns, table_.columns())};
  std::vector<Index> targets;
  std::unordered_map<Index, Index> number;
  number.reserve(static_cast<std::size_t>(made.columns.size()));
  for (Index c = made.columns.begin; c < made.columns.end; ++c) {
    const Index vertex = all[static_cast<std::size_t>(c)];
    const auto [at, added] = number.try_emplace(vertex, std::ssize(targets));
    if (added) targets.push_back(vertex), made.first.push_back(c - made.columns.begin);
    made.of.push_back(at->second);
  }
  made.set = lengths_.prepare(std::move(targets));
  return made;
}

std::vector<Index> PathTableRows::rows_of(Index row_block) const {
  const Index begin = row_block * table_.cut.rows;
  return {order_.begin() + begin, order_.begin() + std::min(begin + table_.cut.rows, table_.rows())};
}

// Batches go to threads. Positions in what is found are those of the lists.
LengthsFound PathTableRows::compute(const Piece& piece, const std::vector<Index>& rows,
                                    std::span<std::byte> out) const {
  const auto count = static_cast<Index>(rows.size()), batch = lengths_.traits().batch, width = piece.columns.size();
  std::vector<Index> sources;
  for (const Index row : rows) sources.push_back(table_.sources.vertices[static_cast<std::size_t>(row)]);
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
        const LengthsFound these = lengths_.write_rows(
            std::span(sources).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(some)), *piece.set,
            table_.scale, view);
        for (Index a = 0; a < some && piece.repeats(); ++a) {
          for (Index b = width; b-- > 0;) view.row(a)[b] = view.row(a)[piece.of[static_cast<std::size_t>(b)]];
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
    (*pair)->source = rows[static_cast<std::size_t>((*pair)->source)];
    (*pair)->target = piece.columns.begin + piece.first[static_cast<std::size_t>((*pair)->target)];
  }
  return all;
}

// Which blocks an earlier run has left sound; ranks share the reading.
std::vector<char> PathTableRows::held(const LengthTableFile& file) const {
  const Communicator& communicator = execution_.communicator;
  const auto phase = execution_.phases.enter("verify");
  std::vector<Index> sound(static_cast<std::size_t>(table_.blocks()), 0);
  collectively(communicator, [&] {
    for (Index b = communicator.rank(); b < table_.blocks(); b += communicator.size()) {
      const Index piece = b / table_.row_blocks();
      const Range columns{piece * table_.cut.columns, std::min((piece + 1) * table_.cut.columns, table_.columns())};
      sound[static_cast<std::size_t>(b)] = file.holds(b, rows_of(b % table_.row_blocks()), columns) ? 1 : 0;
    }
  });
  communicator.maximum(std::span<Index>(sound));
  return {sound.begin(), sound.end()};
}

PathTableFigures PathTableRows::write(LengthTableFile& file) {
  const Communicator& communicator = execution_.communicator;
  PathTableFigures figures;
  std::vector<char> done(static_cast<std::size_t>(table_.blocks()), 0);
  if (file.resumed()) done = held(file);
  figures.kept = std::ranges::count(done, 1);
  auto phase = execution_.phases.enter("distances");
  const auto start = Clock::now();
  const Index ranks = communicator.size(), width = table_.number.bytes(), before = lengths_.evaluations();
  Progress progress("distances", (table_.blocks() - figures.kept) * table_.cut.rows, communicator.is_root(), "rows/s");
  Buffer<std::byte> out(table_.cut.rows * table_.cut.columns * width);
  double computing = 0.0;
  bool too_long = false;
  for (Index p = 0; p < table_.column_pieces() && !too_long; ++p) {
    std::vector<Index> left;
    for (Index b = p * table_.row_blocks(); b < (p + 1) * table_.row_blocks(); ++b) {
      if (done[static_cast<std::size_t>(b)] == 0) left.push_back(b);
    }
    if (left.empty()) continue;
    if (p > 0) collectively(communicator, [&] { piece_ = std::make_unique<Piece>(prepare(p)); });
    for (Index k = 0; k < std::ssize(left) && !too_long; k += ranks) {
      collectively(communicator, [&] {
        if (k + communicator.rank() >= std::ssize(left)) return;
        const Index block = left[static_cast<std::size_t>(k + communicator.rank())];
        const std::vector<Index> rows = rows_of(block % table_.row_blocks());
        const auto bytes = static_cast<std::size_t>(std::ssize(rows) * piece_->columns.size() * width);
        const auto begin = Clock::now();
        figures.found.add(compute(*piece_, rows, out.span().first(bytes)), 0);
        computing += seconds_since(begin);
        if (!figures.found.too_long) file.write(block, rows, piece_->columns, out.span().first(bytes));
      });
      too_long = communicator.maximum(figures.found.too_long ? 1 : 0) > 0;
      progress.advance(std::min(ranks, std::ssize(left) - k) * table_.cut.rows);
    }
  }
  phase.count_busy(computing);
  phase.count_evaluations(lengths_.evaluations() - before);
  const double seconds = communicator.maximum(seconds_since(start));
  const auto computed = static_cast<double>((table_.blocks() - figures.kept) * table_.cut.rows);
  figures.rows_per_second = computed / static_cast<double>(table_.column_pieces()) / std::max(seconds, 1e-9);
  LengthsFound all;
  for (const LengthsFound& one : communicator.all_gather_one(figures.found)) all.add(one, 0);
  figures.found = all;
  return figures;
}

}  // namespace cairn

#include "cairn/store/result/counts_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

using hdf5::ElementType;
using hdf5::Handle;
using hdf5::InputFile;

const std::string indptr_path = layout::in(layout::counts, layout::indptr);
const std::string indices_path = layout::in(layout::counts, layout::indices);
const std::string data_path = layout::in(layout::counts, layout::data);

// Number of entries before this rank's, and in total. Collective.
std::pair<Index, Index> entries_before(const Communicator& communicator, const CooccurrenceCounts& counts) {
  Index before = 0, total = 0;
  const std::vector<Index> all = communicator.all_gather_one(counts.own_entries());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r < static_cast<std::size_t>(communicator.rank())) before += all[r];
    total += all[r];
  }
  return {before, total};
}

bool has_wide(const CooccurrenceCounts& counts) {
  for (Index k = 0; k < counts.pieces(); ++k) {
    if (!counts.piece(k).wide.empty()) return true;
  }
  return false;
}

// A table of the entries, which each rank writes piece by piece. @param values  values of a piece, one per entry
template <class Values>
SharedTable entry_table(const Communicator& communicator, const std::string& name, ElementType type, Index before,
                        Index total, const CooccurrenceCounts& counts, Values values) {
  return {name, type, total, -1,
          [&communicator, name, type, before, &counts, values](const Handle& file, hdf5::RowChecksums& sums) {
            collectively(communicator, [&] {
              const Handle table = hdf5::open_table(file, name);
              Index at = before;
              for (Index k = 0; k < counts.pieces(); ++k) {
                const Index entries = std::ssize(counts.piece(k).others);
                if (entries > 0) hdf5::write_rows(table, type, {at, at + entries}, values(counts.piece(k)), &sums);
                at += entries;
              }
            });
          }};
}

Counting counting_in(const InputFile& file) {
  Counting counting{file.text_attribute(layout::counts, "counted"), file.index_attribute(layout::counts, "window"),
                    file.flag_attribute(layout::counts, "harmonic")};
  const Index unit = file.index_attribute(layout::counts, "unit");
  if (counting.window < 2 || unit != counting.unit()) {
    file.refuse(fmt::format("/{} has the window {} and the unit {}", layout::counts, counting.window, unit));
  }
  return counting;
}

struct CountTables {
  hdf5::TableShape positions, indices, data;

  [[nodiscard]] bool wide() const { return data.type == hdf5::element_type<Index>(); }
};

CountTables checked_tables(const InputFile& file, Index words) {
  const CountTables tables{file.table(indptr_path), file.table(indices_path), file.table(data_path)};
  const bool sound = tables.positions.rows == words + 1 && tables.positions.columns < 0 &&
                     tables.positions.type == hdf5::element_type<Index>() &&
                     tables.indices.type == hdf5::element_type<std::int32_t>() && tables.indices.columns < 0 &&
                     tables.data.columns < 0 && tables.indices.rows == tables.data.rows &&
                     (tables.wide() || tables.data.type == hdf5::element_type<std::uint32_t>());
  if (!sound) file.refuse(fmt::format("/{} is not a triangle of {} words in compressed rows", layout::counts, words));
  return tables;
}

void check_rows(const InputFile& file, const CooccurrenceCounts::Piece& piece, Range rows) {
  for (Index i = rows.begin; i < rows.end; ++i) {
    const CountRow row = piece.row(i - rows.begin);
    for (std::size_t e = 0; e < row.others.size(); ++e) {
      const Index before = e > 0 ? row.others[e - 1] : -1;
      if (row.others[e] > before && row.others[e] <= i && row.count(e) > 0) continue;
      file.refuse(fmt::format("/{} holds word {} after {} in row {}, {} times", layout::counts, row.others[e], before,
                              i, row.count(e)));
    }
  }
}

// The entries of some pieces, read together, because one checksum covers many rows.
class EntryReader {
 public:
  EntryReader(const InputFile& file, const CountTables& tables, Range entries) : begin_(entries.begin) {
    if (entries.empty()) return;
    const auto count = static_cast<std::size_t>(entries.size());
    others_.resize(count);
    file.read_rows(indices_path, tables.indices, entries, others_.data());
    if (tables.wide()) {
      wide_.resize(count);
    } else {
      narrow_.resize(count);
    }
    file.read_rows(data_path, tables.data, entries,
                   tables.wide() ? static_cast<void*>(wide_.data()) : static_cast<void*>(narrow_.data()));
  }

  // @param starts  starts of the rows of a piece, in the whole table
  [[nodiscard]] CooccurrenceCounts::Piece piece(std::span<const Index> starts) const {
    CooccurrenceCounts::Piece piece;
    piece.starts.clear();
    for (const Index start : starts) piece.starts.push_back(start - starts.front());
    const auto copy = [&](const auto& from, auto& to) {
      if (!from.empty()) to.assign(from.begin() + (starts.front() - begin_), from.begin() + (starts.back() - begin_));
    };
    copy(others_, piece.others);
    copy(narrow_, piece.narrow);
    copy(wide_, piece.wide);
    return piece;
  }

 private:
  Index begin_;
  std::vector<std::int32_t> others_;
  std::vector<std::uint32_t> narrow_;
  std::vector<Index> wide_;
};

// Reads and checks this rank's rows of /counts. Local.
void read_rows(const InputFile& file, CooccurrenceCounts& counts) {
  constexpr Index entries_together = Index{1} << 22U;
  const CountTables tables = checked_tables(file, counts.partition().rows());
  const Range own = counts.range();
  if (own.empty()) return;
  std::vector<Index> starts(static_cast<std::size_t>(own.size()) + 1);
  file.read_rows(indptr_path, tables.positions, {own.begin, own.end + 1}, starts.data());
  if (starts.front() < 0 || starts.back() > tables.indices.rows || !std::ranges::is_sorted(starts)) {
    file.refuse(fmt::format("/{} holds positions that do not ascend from 0 to {}", indptr_path, tables.indices.rows));
  }
  const auto start_of = [&](Index row) { return starts[row - own.begin]; };
  for (Index first = 0; first < counts.pieces();) {
    const Index begin = start_of(counts.rows_of_piece(first).begin);
    Index last = first + 1;
    while (last < counts.pieces() && start_of(counts.rows_of_piece(last).end) - begin <= entries_together) ++last;
    const EntryReader entries(file, tables, {begin, start_of(counts.rows_of_piece(last - 1).end)});
    for (; first < last; ++first) {
      const Range rows = counts.rows_of_piece(first);
      CooccurrenceCounts::Piece piece =
          entries.piece(std::span(starts).subspan(rows.begin - own.begin, static_cast<std::size_t>(rows.size()) + 1));
      check_rows(file, piece, rows);
      counts.set_piece(first, std::move(piece));
    }
  }
}

}  // namespace

void create_counts_group(const Handle& file, const CooccurrenceCounts& counts) {
  const Handle group = hdf5::create_group(file, layout::counts);
  hdf5::write_attribute(group, "counted", counts.counting().what);
  hdf5::write_attribute(group, "window", counts.counting().window);
  hdf5::write_flag(group, "harmonic", counts.counting().harmonic);
  hdf5::write_attribute(group, "unit", counts.counting().unit());
  const std::vector<Index> shape(2, counts.partition().rows());
  hdf5::write_attribute(group, "shape", std::span<const Index>(shape));
}

std::vector<SharedTable> count_tables(const Communicator& communicator, const CooccurrenceCounts& counts) {
  const auto [before, total] = entries_before(communicator, counts);
  const bool wide = communicator.maximum(has_wide(counts) ? Index{1} : Index{0}) == 1;
  const Index rows = counts.partition().rows();
  const bool last = counts.range().end == rows && !counts.range().empty();
  std::vector<SharedTable> tables;
  tables.push_back({indptr_path, hdf5::element_type<Index>(), rows + 1, -1,
                    [&communicator, &counts, start = before, last](const Handle& file, hdf5::RowChecksums& sums) {
                      collectively(communicator, [&] {
                        if (counts.range().empty()) return;
                        std::vector<Index> starts;
                        Index at = start;
                        for (Index k = 0; k < counts.pieces(); ++k) {
                          const auto& piece = counts.piece(k);
                          for (Index i = 0; i < piece.rows(); ++i) {
                            starts.push_back(at + piece.starts[i]);
                          }
                          at += std::ssize(piece.others);
                        }
                        if (last) starts.push_back(at);
                        hdf5::write_rows(hdf5::open_table(file, indptr_path), hdf5::element_type<Index>(),
                                         {counts.range().begin, counts.range().begin + std::ssize(starts)},
                                         starts.data(), &sums);
                      });
                    }});
  tables.push_back(
      entry_table(communicator, indices_path, hdf5::element_type<std::int32_t>(), before, total, counts,
                  [](const CooccurrenceCounts::Piece& piece) -> const void* { return piece.others.data(); }));
  if (!wide) {
    tables.push_back(
        entry_table(communicator, data_path, hdf5::element_type<std::uint32_t>(), before, total, counts,
                    [](const CooccurrenceCounts::Piece& piece) -> const void* { return piece.narrow.data(); }));
    return tables;
  }
  // Pieces may be of either kind: narrow ones are copied one at a time.
  auto copy = std::make_shared<std::vector<Index>>();
  tables.push_back(entry_table(communicator, data_path, hdf5::element_type<Index>(), before, total, counts,
                               [copy](const CooccurrenceCounts::Piece& piece) -> const void* {
                                 if (!piece.wide.empty()) return piece.wide.data();
                                 copy->assign(piece.narrow.begin(), piece.narrow.end());
                                 return copy->data();
                               }));
  return tables;
}

std::optional<CooccurrenceCounts> read_counts(const Communicator& communicator, const std::string& path) {
  const ResultShape shape = read_result_shape(communicator, path);
  return collectively(communicator, [&]() -> std::optional<CooccurrenceCounts> {
    const InputFile file(path);
    if (!file.has(layout::counts)) return std::nullopt;
    CooccurrenceCounts counts(RowPartition(shape.rows, communicator.size()), communicator.rank(), counting_in(file));
    read_rows(file, counts);
    return counts;
  });
}

}  // namespace cairn

#include "cairn/data/corpus/cooccurrence_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr Index exact_distances = 16;
constexpr Index multiple_of_them = 720720;
constexpr Index rounded_unit = Index{1} << 24U;

}  // namespace

Index Counting::unit() const {
  if (!harmonic) return 1;
  return window <= exact_distances ? multiple_of_them : rounded_unit;
}

Index Counting::weight(Index distance) const {
  return harmonic ? std::llround(static_cast<double>(unit()) / static_cast<double>(distance)) : 1;
}

CountRow CooccurrenceCounts::Piece::row(Index local) const {
  const Index begin = starts[local], end = starts[static_cast<std::size_t>(local) + 1];
  CountRow row{std::span(others).subspan(begin, end - begin)};
  if (wide.empty()) {
    row.narrow = narrow.data() + begin;
  } else {
    row.wide = wide.data() + begin;
  }
  return row;
}

void CooccurrenceCounts::Piece::append(std::int32_t other, Index count) {
  others.push_back(other);
  if (wide.empty() && count <= std::numeric_limits<std::uint32_t>::max()) {
    narrow.push_back(static_cast<std::uint32_t>(count));
    return;
  }
  if (wide.empty()) {
    wide.assign(narrow.begin(), narrow.end());
    narrow = {};
  }
  wide.push_back(count);
}

void CooccurrenceCounts::Piece::append(const CountRow& row) {
  if (wide.empty() && row.wide == nullptr) {
    others.insert(others.end(), row.others.begin(), row.others.end());
    narrow.insert(narrow.end(), row.narrow, row.narrow + row.others.size());
    return;
  }
  for (std::size_t k = 0; k < row.others.size(); ++k) append(row.others[k], row.count(k));
}

void CooccurrenceCounts::Piece::append(std::span<const std::int32_t> columns, std::span<const Index> counts) {
  const auto fits = [](Index count) { return count <= std::numeric_limits<std::uint32_t>::max(); };
  if (!wide.empty() || !std::ranges::all_of(counts, fits)) {
    for (std::size_t k = 0; k < columns.size(); ++k) append(columns[k], counts[k]);
    return;
  }
  others.insert(others.end(), columns.begin(), columns.end());
  const std::size_t before = narrow.size();
  narrow.resize(before + counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) narrow[before + k] = static_cast<std::uint32_t>(counts[k]);
}

CooccurrenceCounts::CooccurrenceCounts(const RowPartition& partition, int rank, Counting counting)
    : partition_(partition),
      range_(partition.range(rank)),
      unit_rows_(RowPartition::unit(partition.rows())),
      counting_(std::move(counting)) {
  const Index count = (range_.size() + unit_rows_ - 1) / unit_rows_;
  for (Index k = 0; k < count; ++k) {
    Piece empty;
    const Range rows{range_.begin + k * unit_rows_, std::min(range_.begin + (k + 1) * unit_rows_, range_.end)};
    empty.starts.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
    pieces_.push_back(std::move(empty));
  }
}

CountRow CooccurrenceCounts::row(Index global) const {
  const Index local = global - range_.begin;
  return pieces_[local / unit_rows_].row(local % unit_rows_);
}

Range CooccurrenceCounts::rows_of_piece(Index piece) const {
  const Index begin = range_.begin + piece * unit_rows_;
  return {begin, std::min(begin + unit_rows_, range_.end)};
}

void CooccurrenceCounts::set_piece(Index piece, Piece rows) {
  if (rows.rows() != rows_of_piece(piece).size()) {
    throw Error(ErrorKind::internal, "a piece of counts has another number of rows than its place");
  }
  pieces_[piece] = std::move(rows);
}

Index CooccurrenceCounts::own_entries() const {
  Index entries = 0;
  for (const Piece& piece : pieces_) entries += std::ssize(piece.others);
  return entries;
}

std::vector<Index> CooccurrenceCounts::row_sums(const Communicator& communicator) const {
  std::vector<Index> sums(partition_.rows(), 0);
  for (Index i = range_.begin; i < range_.end; ++i) {
    const CountRow own = row(i);
    for (std::size_t k = 0; k < own.others.size(); ++k) {
      const Index count = own.count(k);
      sums[i] += count;
      if (own.others[k] != i) sums[own.others[k]] += count;
    }
  }
  communicator.sum(std::span<Index>(sums));
  return sums;
}

CountSummary summary_of(const Communicator& communicator, const CooccurrenceCounts& counts) {
  std::array<Index, 4> own{};  // entries, diagonal, sum, trace
  for (Index i = counts.range().begin; i < counts.range().end; ++i) {
    const CountRow row = counts.row(i);
    own[0] += std::ssize(row.others);
    for (std::size_t k = 0; k < row.others.size(); ++k) {
      const bool diagonal = row.others[k] == i;
      own[2] += (diagonal ? 1 : 2) * row.count(k);
      if (!diagonal) continue;
      ++own[1];
      own[3] += row.count(k);
    }
  }
  communicator.sum(std::span<Index>(own));
  const auto unit = static_cast<double>(counts.counting().unit());
  return {own[0], own[1], static_cast<double>(own[2]) / unit, static_cast<double>(own[3]) / unit};
}

}  // namespace cairn

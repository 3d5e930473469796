#include "linalg/symmetric_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "linalg/tile_numbers.hpp"

namespace cairn {

namespace {

constexpr Index largest_order = 1024;
constexpr Index fewest_block_rows = 11;  // 66 tiles: enough to go round a few dozen ranks

// The block row I of tile t: the largest I with I (I + 1) / 2 <= t. The root is corrected where rounding misses it.
Index block_row_of(Index tile) {
  auto row = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(tile) + 1.0) - 1.0) / 2.0);
  while (row * (row + 1) / 2 > tile) --row;
  while ((row + 1) * (row + 2) / 2 <= tile) ++row;
  return row;
}

template <class Number>
bool can_hold(double value) {
  if constexpr (std::is_integral_v<Number>) {
    return value >= 0.0 && value <= static_cast<double>(std::numeric_limits<Number>::max()) &&
           value == std::floor(value);
  } else {
    return std::abs(value) <= static_cast<double>(std::numeric_limits<Number>::max());
  }
}

}  // namespace

Index bytes_of(TileNumber number) {
  return with_number(number, [](auto zero) { return static_cast<Index>(sizeof(zero)); });
}

const char* name_of(TileNumber number) {
  switch (number) {
    case TileNumber::uint16:
      return "uint16";
    case TileNumber::uint32:
      return "uint32";
    case TileNumber::float32:
      return "float32";
    case TileNumber::float64:
      break;
  }
  return "float64";
}

SymmetricTiles::SymmetricTiles(Index size, Index order, TileNumber number, int ranks, int rank)
    : size_(size), order_(order), number_(number), ranks_(ranks), rank_(rank) {
  if (size < 0 || order < 1 || ranks < 1 || rank < 0 || rank >= ranks) {
    throw Error(ErrorKind::internal, "symmetric tiles need a size, an order and a rank among ranks");
  }
  offsets_.push_back(0);
  for (Index tile = rank; tile < tiles(); tile += ranks) {
    const Place at = place(tile);
    offsets_.push_back(offsets_.back() + at.rows.size() * at.columns.size() * bytes_of(number));
  }
  values_ = Buffer<std::byte>(offsets_.back());
}

Index SymmetricTiles::default_order(Index size) {
  return std::clamp<Index>(size / fewest_block_rows, 1, largest_order);
}

Index SymmetricTiles::tiles() const {
  const Index blocks = (size_ + order_ - 1) / order_;
  return blocks * (blocks + 1) / 2;
}

SymmetricTiles::Place SymmetricTiles::place(Index tile) const {
  const Index row = block_row_of(tile);
  const Index column = tile - row * (row + 1) / 2;
  const auto range = [&](Index block) { return Range{block * order_, std::min((block + 1) * order_, size_)}; };
  return {range(row), range(column)};
}

Index SymmetricTiles::tile_of(Index row, Index column) const {
  const Index low = std::max(row, column) / order_;
  return low * (low + 1) / 2 + std::min(row, column) / order_;
}

std::span<const std::byte> SymmetricTiles::bytes(Index tile) const {
  const auto at = static_cast<std::size_t>(tile / ranks_);
  if (tile < 0 || tile >= tiles() || !mine(tile)) {
    throw Error(ErrorKind::internal, "tile " + std::to_string(tile) + " is asked of a rank that does not hold it");
  }
  return values_.span().subspan(static_cast<std::size_t>(offsets_[at]),
                                static_cast<std::size_t>(offsets_[at + 1] - offsets_[at]));
}

std::span<std::byte> SymmetricTiles::bytes(Index tile) {
  const auto held = static_cast<const SymmetricTiles&>(*this).bytes(tile);
  return {values_.data() + (held.data() - values_.data()), held.size()};
}

void SymmetricTiles::store(Index tile, MatrixView<const double> values) {
  const std::span<std::byte> target = bytes(tile);
  const Place at = place(tile);
  if (values.rows != at.rows.size() || values.columns != at.columns.size()) {
    throw Error(ErrorKind::internal, "the values of tile " + std::to_string(tile) + " have another shape");
  }
  with_number(number_, [&](auto zero) {
    using Number = decltype(zero);
    auto* out = reinterpret_cast<Number*>(target.data());
    for (Index i = 0; i < values.rows; ++i) {
      for (Index j = 0; j < values.columns; ++j) {
        const double value = values(i, j);
        if (!can_hold<Number>(value)) {
          throw Error(ErrorKind::numeric, "the value " + std::to_string(value) + " of row " +
                                              std::to_string(at.rows.begin + i) + " and column " +
                                              std::to_string(at.columns.begin + j) +
                                              " of a symmetric matrix cannot be kept as " + name_of(number_));
        }
        *out++ = static_cast<Number>(value);
      }
    }
  });
}

void SymmetricTiles::load(Index tile, MatrixView<double> out) const {
  const std::span<const std::byte> source = bytes(tile);
  const Place at = place(tile);
  if (out.rows != at.rows.size() || out.columns != at.columns.size()) {
    throw Error(ErrorKind::internal, "tile " + std::to_string(tile) + " is loaded into another shape");
  }
  with_number(number_, [&](auto zero) {
    const auto* values = reinterpret_cast<const decltype(zero)*>(source.data());
    for (Index i = 0; i < out.rows; ++i) {
      for (Index j = 0; j < out.columns; ++j) out(i, j) = static_cast<double>(*values++);
    }
  });
}

std::vector<double> entries_of(const Communicator& communicator, const SymmetricTiles& matrix,
                               std::span<const Index> rows, std::span<const Index> columns) {
  struct Entry {
    Index row, column;
  };
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<Entry>> wanted(ranks);
  std::vector<std::vector<std::size_t>> places(ranks);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const auto owner = static_cast<std::size_t>(matrix.owner(matrix.tile_of(rows[e], columns[e])));
    wanted[owner].push_back({rows[e], columns[e]});
    places[owner].push_back(e);
  }
  const auto asked = communicator.exchange(wanted);
  std::vector<std::vector<double>> answers(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (Entry entry : asked[r]) {
      if (entry.row / matrix.order() < entry.column / matrix.order()) std::swap(entry.row, entry.column);
      const Index tile = matrix.tile_of(entry.row, entry.column);
      const SymmetricTiles::Place at = matrix.place(tile);
      const Index offset = (entry.row - at.rows.begin) * at.columns.size() + entry.column - at.columns.begin;
      answers[r].push_back(with_number(matrix.number(), [&](auto zero) {
        return static_cast<double>(reinterpret_cast<const decltype(zero)*>(matrix.bytes(tile).data())[offset]);
      }));
    }
  }
  const auto received = communicator.exchange(answers);
  std::vector<double> values(rows.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < places[r].size(); ++k) values[places[r][k]] = received[r][k];
  }
  return values;
}

}  // namespace cairn

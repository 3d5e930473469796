#include "cairn/linalg/tiles/symmetric_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/tiles/tile_numbers.hpp"

namespace cairn {

namespace {

constexpr Index largest_order = 1024;
constexpr Index fewest_block_rows = 11;  // 66 tiles: enough for a few dozen ranks

// The block row I of tile t: the largest I with I (I + 1) / 2 <= t. The root is corrected for rounding.
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

SymmetricTiles::SymmetricTiles(Index size, Index order, TileNumber number, int ranks, int rank,
                               std::shared_ptr<TileLedger> storage)
    : size_(size), order_(order), number_(number), ranks_(ranks), rank_(rank), storage_(std::move(storage)) {
  if (size < 0 || order < 1 || ranks < 1 || rank < 0 || rank >= ranks) {
    throw Error(ErrorKind::internal, "symmetric tiles need a size, an order and a rank among ranks");
  }
  if (storage_) {
    storage_->begin("joining matrix", tiles());
    return;
  }
  offsets_.push_back(0);
  for (Index tile = rank; tile < tiles(); tile += ranks) offsets_.push_back(offsets_.back() + bytes_of_tile(tile));
  values_ = Buffer<std::byte>(offsets_.back());
  std::ranges::fill(values_.span(), std::byte{0});
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

Index SymmetricTiles::bytes_of_tile(Index tile) const {
  const Place at = place(tile);
  return at.rows.size() * at.columns.size() * bytes_of(number_);
}

Index SymmetricTiles::own_bytes() const {
  Index bytes = 0;
  for (Index tile = rank_; tile < tiles(); tile += ranks_) bytes += bytes_of_tile(tile);
  return bytes;
}

void SymmetricTiles::require_mine(Index tile) const {
  if (tile >= 0 && tile < tiles() && mine(tile)) return;
  throw Error(ErrorKind::internal, "tile " + std::to_string(tile) + " is asked of a rank that does not hold it");
}

Range SymmetricTiles::place_in_memory(Index tile) const {
  const auto at = static_cast<std::size_t>(tile / ranks_);
  return {offsets_[at], offsets_[at + 1]};
}

std::span<const std::byte> SymmetricTiles::held(Index tile) const {
  const Range at = place_in_memory(tile);
  return values_.span().subspan(at.begin, at.size());
}

std::span<std::byte> SymmetricTiles::held(Index tile) {
  const Range at = place_in_memory(tile);
  return values_.span().subspan(at.begin, at.size());
}

TileValues SymmetricTiles::read(Index tile) const {
  require_mine(tile);
  if (in_memory()) return TileValues(held(tile));
  Buffer<std::byte> copy(bytes_of_tile(tile));
  if (!storage_->get(tile, copy.span())) {
    throw Error(ErrorKind::internal, "tile " + std::to_string(tile) + " is read before it was stored");
  }
  return TileValues(std::move(copy));
}

SymmetricTiles make_tiles(const Communicator& communicator, Index size, Index order, TileNumber number,
                          const TileStorage& storage) {
  const int ranks = communicator.size(), rank = communicator.rank();
  std::shared_ptr<TileLedger> ledger;
  if (storage) {
    const SymmetricTiles empty(size, order, number, ranks, rank, std::make_shared<MemoryLedger>());
    ledger = storage(empty.own_bytes());
  }
  return collectively(communicator, [&] { return SymmetricTiles(size, order, number, ranks, rank, ledger); });
}

std::span<std::byte> OpenTiles::bytes(Index tile) {
  matrix_.require_mine(tile);
  if (matrix_.in_memory()) return matrix_.held(tile);
  const auto [place, made] = copies_.try_emplace(tile);
  if (made) {
    place->second = Buffer<std::byte>(matrix_.bytes_of_tile(tile));
    if (!matrix_.storage_->get(tile, place->second.span())) std::ranges::fill(place->second.span(), std::byte{0});
  }
  return place->second.span();
}

void OpenTiles::close() {
  for (const auto& [tile, copy] : copies_) matrix_.storage_->put(tile, copy.span());
  copies_.clear();
}

void SymmetricTiles::store(Index tile, MatrixView<const double> values) {
  require_mine(tile);
  const Place at = place(tile);
  if (values.rows != at.rows.size() || values.columns != at.columns.size()) {
    throw Error(ErrorKind::internal, "the values of tile " + std::to_string(tile) + " have another shape");
  }
  OpenTiles open(*this);
  const std::span<std::byte> target = open.bytes(tile);
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
  open.close();
}

void SymmetricTiles::load(Index tile, MatrixView<double> out) const {
  const TileValues source = read(tile);
  const Place at = place(tile);
  if (out.rows != at.rows.size() || out.columns != at.columns.size()) {
    throw Error(ErrorKind::internal, "tile " + std::to_string(tile) + " is loaded into another shape");
  }
  with_number(number_, [&](auto zero) {
    const auto* values = reinterpret_cast<const decltype(zero)*>(source.bytes().data());
    for (Index i = 0; i < out.rows; ++i) {
      for (Index j = 0; j < out.columns; ++j) out(i, j) = static_cast<double>(*values++);
    }
  });
}

std::vector<double> entries_of(const Communicator& communicator, const SymmetricTiles& matrix,
                               std::span<const Index> rows, std::span<const Index> columns) {
  struct Entry {
    Index tile, offset;  // offset: within the tile
  };
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<Entry>> wanted(ranks);
  std::vector<std::vector<std::size_t>> places(ranks);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const Index tile = matrix.tile_of(rows[e], columns[e]);
    const bool swapped = rows[e] / matrix.order() < columns[e] / matrix.order();
    const Index row = swapped ? columns[e] : rows[e], column = swapped ? rows[e] : columns[e];
    const SymmetricTiles::Place at = matrix.place(tile);
    const auto owner = static_cast<std::size_t>(matrix.owner(tile));
    wanted[owner].push_back({tile, (row - at.rows.begin) * at.columns.size() + column - at.columns.begin});
    places[owner].push_back(e);
  }
  const auto asked = communicator.exchange(wanted);
  std::vector<std::vector<double>> answers(ranks);
  std::vector<std::pair<Entry, double*>> by_tile;
  for (std::size_t r = 0; r < ranks; ++r) {
    answers[r].resize(asked[r].size());
    for (std::size_t k = 0; k < asked[r].size(); ++k) by_tile.emplace_back(asked[r][k], &answers[r][k]);
  }
  std::ranges::sort(by_tile, {}, [](const auto& entry) { return entry.first.tile; });
  collectively(communicator, [&] {
    for (std::size_t first = 0, next = 0; first < by_tile.size(); first = next) {
      const Index tile = by_tile[first].first.tile;
      const TileValues values = matrix.read(tile);
      with_number(matrix.number(), [&](auto zero) {
        const auto* numbers = reinterpret_cast<const decltype(zero)*>(values.bytes().data());
        for (next = first; next < by_tile.size() && by_tile[next].first.tile == tile; ++next)
          *by_tile[next].second = static_cast<double>(numbers[by_tile[next].first.offset]);
      });
    }
  });
  const auto received = communicator.exchange(answers);
  std::vector<double> values(rows.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < places[r].size(); ++k) values[places[r][k]] = received[r][k];
  }
  return values;
}

}  // namespace cairn

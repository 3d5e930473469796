#include "store/tiles_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/buffer.hpp"
#include "base/collective_guard.hpp"
#include "store/hdf5_tiles.hpp"

namespace cairn {

using hdf5::ElementType;
using hdf5::Handle;
using hdf5::InputFile;

namespace {

constexpr std::array numbers{TileNumber::uint16, TileNumber::uint32, TileNumber::float32, TileNumber::float64};

ElementType element_of(TileNumber number) {
  switch (number) {
    case TileNumber::uint16:
      return {ElementType::Kind::uint16};
    case TileNumber::uint32:
      return {ElementType::Kind::uint32};
    case TileNumber::float32:
      return {ElementType::Kind::float32};
    case TileNumber::float64:
      break;
  }
  return {ElementType::Kind::float64};
}

void check_values(const InputFile& file, const std::string& name, const SymmetricTiles& tiles, Index tile,
                  Buffer<double>& scratch) {
  const SymmetricTiles::Place place = tiles.place(tile);
  const MatrixView<double> values(scratch.data(), place.rows.size(), place.columns.size());
  tiles.load(tile, values);
  const bool diagonal = place.rows == place.columns;
  for (Index i = 0; i < values.rows; ++i) {
    for (Index j = 0; j < values.columns; ++j) {
      if (!std::isfinite(values(i, j))) {
        file.refuse(fmt::format("/{} holds {} in row {}, column {}", name, values(i, j), place.rows.begin + i,
                                place.columns.begin + j));
      }
      if (diagonal && j < i && values(i, j) != values(j, i)) {
        file.refuse(
            fmt::format("/{} is not symmetric: rows {} and {}", name, place.rows.begin + j, place.rows.begin + i));
      }
    }
  }
}

}  // namespace

SharedTable tiles_table(const Communicator& communicator, const std::string& name, const SymmetricTiles& tiles) {
  const ElementType type = element_of(tiles.number());
  const auto write = [&communicator, name, type, &tiles](const Handle& file) {
    collectively(communicator, [&] {
      if (communicator.rank() >= tiles.tiles()) return;
      const Handle table = hdf5::open_table(file, name);
      for (Index tile = communicator.rank(); tile < tiles.tiles(); tile += communicator.size()) {
        const SymmetricTiles::Place place = tiles.place(tile);
        hdf5::write_tile(table, type, place.rows, place.columns, tiles.bytes(tile).data());
      }
    });
  };
  return {name, type, tiles.size(), tiles.size(), write, tiles.order()};
}

void write_tile_attributes(const Handle& table, const SymmetricTiles& tiles) {
  hdf5::write_attribute(table, "size", tiles.size());
  hdf5::write_attribute(table, "order", tiles.order());
  hdf5::write_attribute(table, "number", std::string(name_of(tiles.number())));
}

StoredTiles stored_tiles(const InputFile& file, const std::string& name) {
  const hdf5::TileShape shape = file.tiles(name);
  const std::string number = file.text_attribute(name, "number");
  StoredTiles stored{file.index_attribute(name, "size"), file.index_attribute(name, "order"), TileNumber::float64};
  const auto known = std::find_if(numbers.begin(), numbers.end(), [&](TileNumber n) { return name_of(n) == number; });
  if (known == numbers.end() || element_of(*known) != shape.type) {
    file.refuse(fmt::format("/{} does not hold the number type '{}' that it says", name, number));
  }
  stored.number = *known;
  constexpr Index largest_order = Index{1} << 31;  // beyond any chunk; sums with it do not overflow
  if (stored.size != shape.size || stored.order < 1 || stored.order > largest_order ||
      std::min(stored.size, stored.order) != shape.order) {
    file.refuse(fmt::format("/{} is {} x {} in chunks of {}, but says that it has {} rows in tiles of {}", name,
                            shape.size, shape.size, shape.order, stored.size, stored.order));
  }
  return stored;
}

SymmetricTiles read_tiles(const Communicator& communicator, const InputFile& file, const std::string& name) {
  return collectively(communicator, [&] {
    const StoredTiles stored = stored_tiles(file, name);
    const hdf5::TileShape shape{stored.size, std::min(stored.size, stored.order), element_of(stored.number)};
    SymmetricTiles tiles(stored.size, stored.order, stored.number, communicator.size(), communicator.rank());
    Buffer<double> scratch(shape.order * shape.order);
    for (Index tile = communicator.rank(); tile < tiles.tiles(); tile += communicator.size()) {
      const SymmetricTiles::Place place = tiles.place(tile);
      file.read_tile(name, shape, place.rows, place.columns, tiles.bytes(tile).data());
      check_values(file, name, tiles, tile, scratch);
    }
    return tiles;
  });
}

}  // namespace cairn

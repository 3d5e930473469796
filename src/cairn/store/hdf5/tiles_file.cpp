#include "cairn/store/hdf5/tiles_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/linalg/tiles/tile_numbers.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/hdf5_tiles.hpp"
#include "cairn/store/hdf5/placed_chunks.hpp"

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

template <class Number>
void check_numbers(const InputFile& file, const std::string& name, SymmetricTiles::Place place,
                   MatrixView<const Number> values) {
  const bool diagonal = place.rows == place.columns;
  for (Index i = 0; i < values.rows; ++i) {
    for (Index j = 0; j < values.columns; ++j) {
      if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(values(i, j))) {
          file.refuse(fmt::format("/{} holds {} in row {}, column {}", name, values(i, j), place.rows.begin + i,
                                  place.columns.begin + j));
        }
      }
      if (diagonal && j < i && values(i, j) != values(j, i)) {
        file.refuse(
            fmt::format("/{} is not symmetric: rows {} and {}", name, place.rows.begin + j, place.rows.begin + i));
      }
    }
  }
}

// The matrix in a file: each tile is read and verified when it is requested.
class TilesInFile final : public TileLedger {
 public:
  TilesInFile(const std::string& path, std::string name, const StoredTiles& stored)
      : file_(path),
        name_(std::move(name)),
        chunks_{stored.size, std::min(stored.size, stored.order), element_of(stored.number), stored.compression},
        places_(stored.size, stored.order, stored.number, 1, 0, std::make_shared<MemoryLedger>()) {}

  void begin(const char* /*name*/, Index /*tiles*/) override {}
  bool get(Index tile, std::span<std::byte> bytes) override {
    const SymmetricTiles::Place place = places_.place(tile);
    file_.read_tile(name_, chunks_, place.rows, place.columns, bytes.data());
    with_number(places_.number(), [&](auto zero) {
      check_numbers(file_, name_, place,
                    MatrixView<const decltype(zero)>(reinterpret_cast<const decltype(zero)*>(bytes.data()),
                                                     place.rows.size(), place.columns.size()));
    });
    return true;
  }
  void put(Index /*tile*/, std::span<const std::byte> /*bytes*/) override {
    throw Error(ErrorKind::internal, "a tile of a result that is being read is written");
  }

 private:
  InputFile file_;
  std::string name_;
  hdf5::TileShape chunks_;
  SymmetricTiles places_;  // positions of the tiles; holds no values
};

// The tiles of [first, last) that this rank owns, deflated, in their order.
std::vector<std::vector<std::byte>> deflated_tiles(const SymmetricTiles& tiles, Index first, Index last, int threads,
                                                   hdf5::RowChecksums& sums) {
  std::vector<Index> mine;
  for (Index tile = first; tile < last; ++tile) {
    if (tiles.mine(tile)) mine.push_back(tile);
  }
  std::vector<std::vector<std::byte>> chunks(mine.size());
  std::vector<TileValues> values;
  for (std::size_t begin = 0; begin < mine.size(); begin += values.size()) {
    values.clear();
    for (std::size_t k = begin; k < std::min(mine.size(), begin + static_cast<std::size_t>(threads)); ++k) {
      values.push_back(tiles.read(mine[k]));
      const auto bytes = values.back().bytes();
      sums.add({mine[k], mine[k] + 1}, static_cast<Index>(bytes.size()), bytes.data());
    }
    on_threads(threads, std::ssize(values), [&](Index k) {
      const SymmetricTiles::Place place = tiles.place(mine[begin + k]);
      std::vector<std::byte>& chunk = chunks[begin + k];
      chunk = hdf5::deflated_tile(element_of(tiles.number()), place.rows.size(), place.columns.size(),
                                  std::min(tiles.size(), tiles.order()), values[k].bytes().data());
      chunk.shrink_to_fit();
    });
  }
  return chunks;
}

// Rank 0 places the tiles of `round`, of which each rank has sent the sizes of its own. @return their offsets,
// likewise. Local.
std::vector<std::vector<Index>> place_round(const std::string& path, hdf5::ChunkPlaces& places,
                                            const SymmetricTiles& tiles, Range round,
                                            const std::vector<std::vector<Index>>& sizes) {
  constexpr Index index_room = 256;  // of a chunk, in HDF5's own structures
  Index bytes = (Index{1} << 16) + round.size() * index_room;
  for (const auto& list : sizes) bytes = std::accumulate(list.begin(), list.end(), bytes);
  require_budget(path, bytes);
  std::vector<std::vector<Index>> offsets(sizes.size());
  for (Index tile = round.begin; tile < round.end; ++tile) {
    const auto owner = static_cast<std::size_t>(tiles.owner(tile));
    const SymmetricTiles::Place place = tiles.place(tile);
    offsets[owner].push_back(places.place(place.rows.begin, place.columns.begin, sizes[owner][offsets[owner].size()]));
  }
  return offsets;
}

std::vector<std::byte> joined(const std::vector<std::vector<std::byte>>& parts) {
  std::vector<std::byte> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Rank 0 writes what each rank sent, where it placed it. Local.
void write_received(hdf5::FileBytes& file, const std::vector<std::vector<std::byte>>& bytes,
                    const std::vector<std::vector<Index>>& sizes, const std::vector<std::vector<Index>>& offsets) {
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < sizes[r].size(); ++k) {
      const auto size = static_cast<std::size_t>(sizes[r][k]);
      file.write(offsets[r][k], std::span(bytes[r]).subspan(begin, size));
      begin += size;
      Watchdog::beat();
    }
  }
}

// Every rank compresses its own tiles, and writes them where rank 0 places them; or sends them to it. @return bytes
// that came from this rank. Collective.
Index write_deflated(const Communicator& communicator, const std::string& path, const std::string& name,
                     const SymmetricTiles& tiles, int threads, const DeflatedRounds& rounds, hdf5::RowChecksums& sums) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  Index given = 0;
  std::optional<hdf5::ChunkPlaces> places;
  std::optional<hdf5::FileBytes> file;
  const bool several_nodes = communicator.node().size() < communicator.size();
  const bool alone = collectively(communicator, [&] {
    if (communicator.is_root()) places.emplace(path, name);
    file.emplace(path);
    return several_nodes && !hdf5::is_coherent_between_nodes(path);
  });
  const bool by_root = rounds.by_root.value_or(communicator.maximum(alone ? Index{1} : Index{0}) > 0);
  const Index side = std::min(tiles.size(), tiles.order());
  const Index tiles_of_rank = std::max<Index>(1, rounds.bytes / (side * side * bytes_of(tiles.number())));
  const Index round = by_root ? rounds.ranks_by_root * tiles_of_rank : communicator.size() * tiles_of_rank;
  Progress progress("compress tiles", tiles.tiles(), communicator.is_root(), "tiles/s");
  for (Index first = 0; first < tiles.tiles(); first += round) {
    const Range range{first, std::min(first + round, tiles.tiles())};
    std::vector<std::vector<std::byte>> chunks, sent(ranks);
    std::vector<std::vector<Index>> sizes(ranks), offsets(ranks);
    collectively(communicator, [&] {
      chunks = deflated_tiles(tiles, range.begin, range.end, threads, sums);
      for (const auto& chunk : chunks) sizes[0].push_back(std::ssize(chunk));
      for (const auto& chunk : chunks) given += std::ssize(chunk);
      if (by_root) sent[0] = joined(chunks);
    });
    const auto all_sizes = communicator.exchange(sizes);
    collectively(communicator, [&] {
      if (communicator.is_root()) offsets = place_round(path, *places, tiles, range, all_sizes);
    });
    if (by_root) {
      const auto received = communicator.exchange(sent);
      collectively(communicator, [&] {
        if (communicator.is_root()) write_received(*file, received, all_sizes, offsets);
      });
    } else {
      const auto placed = communicator.exchange(offsets);
      collectively(communicator, [&] {
        for (std::size_t k = 0; k < chunks.size(); ++k) {
          file->write(placed[0][k], chunks[k]);
          Watchdog::beat();
        }
      });
    }
    progress.advance(range.size());
  }
  collectively(communicator, [&] {
    file->close();
    if (places) places->close();
  });
  return given;
}

}  // namespace

SharedTable tiles_table(const Communicator& communicator, const std::string& name, const SymmetricTiles& tiles,
                        Compression compression, int threads, const DeflatedRounds& rounds) {
  const ElementType type = element_of(tiles.number());
  SharedTable table{name, type, tiles.size(), tiles.size(), {}, tiles.order(), compression, {}};
  if (compression == Compression::deflate) {
    table.write_closed = [&communicator, name, &tiles, threads, rounds](const std::string& path,
                                                                        hdf5::RowChecksums& sums) {
      return write_deflated(communicator, path, name, tiles, threads, rounds, sums);
    };
    return table;
  }
  table.write = [&communicator, name, type, &tiles](const Handle& file, hdf5::RowChecksums& sums) {
    collectively(communicator, [&] {
      if (communicator.rank() >= tiles.tiles()) return;
      const Handle chunks = hdf5::open_table(file, name);
      for (Index tile = communicator.rank(); tile < tiles.tiles(); tile += communicator.size()) {
        const SymmetricTiles::Place place = tiles.place(tile);
        const TileValues values = tiles.read(tile);
        const auto bytes = values.bytes();
        hdf5::write_tile(chunks, type, place.rows, place.columns, bytes.data());
        sums.add({tile, tile + 1}, static_cast<Index>(bytes.size()), bytes.data());
      }
    });
  };
  return table;
}

void write_tile_attributes(const Handle& table, const SymmetricTiles& tiles) {
  hdf5::write_attribute(table, "size", tiles.size());
  hdf5::write_attribute(table, "order", tiles.order());
  hdf5::write_attribute(table, "number", std::string(name_of(tiles.number())));
}

StoredTiles stored_tiles(const InputFile& file, const std::string& name) {
  const hdf5::TileShape shape = file.tiles(name);
  const std::string number = file.text_attribute(name, "number");
  StoredTiles stored{file.index_attribute(name, "size"), file.index_attribute(name, "order"), TileNumber::float64,
                     shape.compression};
  const auto known = std::find_if(numbers.begin(), numbers.end(), [&](TileNumber n) { return name_of(n) == number; });
  if (known == numbers.end() || element_of(*known) != shape.type) {
    file.refuse(fmt::format("/{} does not hold the number type '{}' that it says", name, number));
  }
  stored.number = *known;
  constexpr Index largest_order = Index{1} << 31;  // larger than any chunk; sums with it do not overflow
  if (stored.size != shape.size || stored.order < 1 || stored.order > largest_order ||
      std::min(stored.size, stored.order) != shape.order) {
    file.refuse(fmt::format("/{} is {} x {} in chunks of {}, but says that it has {} rows in tiles of {}", name,
                            shape.size, shape.size, shape.order, stored.size, stored.order));
  }
  return stored;
}

SymmetricTiles read_tiles(const Communicator& communicator, const InputFile& file, const std::string& name,
                          Index most_bytes) {
  const auto opened = collectively(communicator, [&] {
    const StoredTiles shape = stored_tiles(file, name);
    return std::pair(shape, std::make_shared<TilesInFile>(file.path(), name, shape));
  });
  const StoredTiles& stored = opened.first;
  const std::shared_ptr<TilesInFile>& in_file = opened.second;
  const int ranks = communicator.size(), rank = communicator.rank();
  const SymmetricTiles places(stored.size, stored.order, stored.number, ranks, rank, in_file);
  const bool keep = communicator.maximum(places.own_bytes()) <= most_bytes;
  return collectively(communicator, [&] {
    SymmetricTiles tiles(stored.size, stored.order, stored.number, ranks, rank, keep ? nullptr : in_file);
    OpenTiles open(tiles);
    for (Index tile = rank; keep && tile < tiles.tiles(); tile += ranks) in_file->get(tile, open.bytes(tile));
    return tiles;
  });
}

}  // namespace cairn

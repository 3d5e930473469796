// Symmetric tiles in a file are what was written, on any number of ranks, and what cannot be trusted is refused.
#include "cairn/store/hdf5/tiles_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "cairn/store/hdf5/hdf5_tiles.hpp"
#include "edited_file.hpp"

namespace cairn::test::tiles_file_test {
namespace {

// Symmetric, an integer that 16 bits hold, halved where the type has fractions.
double sample_entry(TileNumber number, Index i, Index j) {
  const double value = static_cast<double>((std::max(i, j) * 131 + std::min(i, j) * 7) % 60000);
  return number == TileNumber::float32 || number == TileNumber::float64 ? -value / 2 : value;
}

SymmetricTiles sample_tiles(Index size, Index order, TileNumber number, const Communicator& ranks = world()) {
  SymmetricTiles tiles(size, order, number, ranks.size(), ranks.rank());
  for (Index tile = ranks.rank(); tile < tiles.tiles(); tile += ranks.size()) {
    const SymmetricTiles::Place place = tiles.place(tile);
    Buffer<double> values(place.rows.size() * place.columns.size());
    const MatrixView<double> view(values.data(), place.rows.size(), place.columns.size());
    for (Index i = 0; i < view.rows; ++i)
      for (Index j = 0; j < view.columns; ++j)
        view(i, j) = sample_entry(number, place.rows.begin + i, place.columns.begin + j);
    tiles.store(tile, {view.data, view.rows, view.columns});
  }
  return tiles;
}

void write_tiles(const std::string& path, const SymmetricTiles& tiles, const Communicator& ranks = world(),
                 Compression compression = Compression::none, const DeflatedRounds& rounds = {}) {
  const std::vector<SharedTable> tables{tiles_table(ranks, "joining", tiles, compression, 2, rounds)};
  collectively(ranks, [&] {
    if (!ranks.is_root()) return;
    hdf5::Handle file = hdf5::create_file(path);
    create_tables(file, tables);
    write_tile_attributes(hdf5::open_table(file, "joining"), tiles);
    place_tiles(file, tables);
    hdf5::close_file(std::move(file));
  });
  static_cast<void>(write_tables(ranks, path, tables));
}

SymmetricTiles read_file(const std::string& path, const Communicator& ranks = world(),
                         Index most_bytes = std::numeric_limits<Index>::max()) {
  const hdf5::InputFile file = collectively(ranks, [&] { return hdf5::InputFile(path); });
  return read_tiles(ranks, file, "joining", most_bytes);
}

void expect_sample(const SymmetricTiles& read, Index size, Index order, TileNumber number,
                   const Communicator& ranks = world()) {
  EXPECT_EQ(read.size(), size);
  EXPECT_EQ(read.order(), order);
  EXPECT_EQ(read.number(), number);
  for (Index tile = ranks.rank(); tile < read.tiles(); tile += ranks.size()) {
    const SymmetricTiles::Place place = read.place(tile);
    Buffer<double> values(place.rows.size() * place.columns.size());
    const MatrixView<double> view(values.data(), place.rows.size(), place.columns.size());
    read.load(tile, view);
    for (Index i = 0; i < view.rows; ++i)
      for (Index j = 0; j < view.columns; ++j)
        ASSERT_EQ(view(i, j), sample_entry(number, place.rows.begin + i, place.columns.begin + j));
  }
}

TEST(TilesFile, HoldsEveryNumberTypeAndShape) {
  const TemporaryFolder folder;
  for (const Compression compression : {Compression::none, Compression::deflate})
    for (const TileNumber number : {TileNumber::uint16, TileNumber::uint32, TileNumber::float32, TileNumber::float64}) {
      for (const auto& [size, order] : {std::pair<Index, Index>{1, 1}, {5, 5}, {7, 3}, {30, 10}, {100, 9}, {97, 40}}) {
        const std::string path = folder.file(name_of(number) + std::to_string(size));
        write_tiles(path, sample_tiles(size, order, number), world(), compression);
        expect_sample(read_file(path), size, order, number);
        const SymmetricTiles in_file = read_file(path, world(), 0);
        EXPECT_EQ(in_file.in_memory(), in_file.tiles() < 1);
        expect_sample(in_file, size, order, number);
      }
    }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TilesFile, IsTheSameOnOneRankAndOnAllAndReadByOtherRankCounts) {
  const TemporaryFolder folder;
  write_tiles(folder.file("all.h5"), sample_tiles(97, 20, TileNumber::uint16));
  const Communicator alone(MPI_COMM_SELF);
  const std::string own = folder.file("alone-" + std::to_string(world().rank()) + ".h5");
  write_tiles(own, sample_tiles(97, 20, TileNumber::uint16, alone), alone);
  EXPECT_EQ(bytes_of(own), bytes_of(folder.file("all.h5")));
  expect_sample(read_file(folder.file("all.h5"), alone), 97, 20, TileNumber::uint16, alone);
}

TEST(TilesFile, DeflatedIsTheSameOnOneRankAndOnAll) {
  const TemporaryFolder folder;
  write_tiles(folder.file("all.h5"), sample_tiles(97, 20, TileNumber::uint32), world(), Compression::deflate);
  const Communicator alone(MPI_COMM_SELF);
  const std::string own = folder.file("alone-" + std::to_string(world().rank()) + ".h5");
  write_tiles(own, sample_tiles(97, 20, TileNumber::uint32, alone), alone, Compression::deflate);
  EXPECT_EQ(bytes_of(own), bytes_of(folder.file("all.h5")));
  expect_sample(read_file(folder.file("all.h5"), alone), 97, 20, TileNumber::uint32, alone);
}

// HDF5 never meets a full disk: room is looked for before each round, all ranks leave together, the file can be closed.
// One tile of a rank at a time, and whoever writes them.
TEST(TilesFile, DeflatedIsTheSameInManyRounds) {
  const TemporaryFolder folder;
  const SymmetricTiles tiles = sample_tiles(97, 20, TileNumber::uint32);
  write_tiles(folder.file("once.h5"), tiles, world(), Compression::deflate);
  for (const bool by_root : {false, true}) {
    for (const Index ranks_by_root : {1, 3}) {
      const DeflatedRounds rounds{.bytes = 1, .ranks_by_root = ranks_by_root, .by_root = by_root};
      write_tiles(folder.file("rounds.h5"), tiles, world(), Compression::deflate, rounds);
      EXPECT_EQ(bytes_of(folder.file("once.h5")), bytes_of(folder.file("rounds.h5")));
      expect_sample(read_file(folder.file("rounds.h5")), 97, 20, TileNumber::uint32);
      world().barrier();
    }
  }
}

TEST(TilesFile, DeflatedSaysThatTheDiskIsFull) {
  const TemporaryFolder folder;
  int mounted = 0;
  if (world().is_root()) mounted = ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=512k") == 0 ? 1 : 0;
  world().broadcast(std::span(&mounted, 1), 0);
  if (mounted == 0) GTEST_SKIP() << "a small disk takes the right to mount one: run it as root";
  SymmetricTiles tiles(600, 64, TileNumber::float64, world().size(), world().rank());
  for (Index tile = world().rank(); tile < tiles.tiles(); tile += world().size()) {
    const Random random(3, Stream::test);
    OpenTiles open(tiles);
    auto bytes = open.bytes(tile);
    for (std::size_t k = 0; k < bytes.size(); ++k)
      bytes[k] = static_cast<std::byte>(random.below(64, static_cast<std::uint64_t>(tile), k));
  }
  try {
    write_tiles(folder.file("x.h5"), tiles, world(), Compression::deflate);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr("no room for the result"));
  }
  world().barrier();
  if (world().is_root()) ::umount(folder.path().c_str());
}

// 1 MB as it is; values repeat.
TEST(TilesFile, DeflatedTakesLessRoom) {
  const TemporaryFolder folder;
  write_tiles(folder.file("plain.h5"), sample_tiles(600, 64, TileNumber::uint32));
  write_tiles(folder.file("small.h5"), sample_tiles(600, 64, TileNumber::uint32), world(), Compression::deflate);
  EXPECT_LT(std::filesystem::file_size(folder.file("small.h5")),
            0.7 * static_cast<double>(std::filesystem::file_size(folder.file("plain.h5"))));
}

// The library's own filters have made the chunks, as h5repack does.
TEST(TilesFile, ReadsWhatTheLibraryDeflated) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_tiles(path, sample_tiles(50, 20, TileNumber::float64), world(), Compression::deflate);
  on_root([&] {
    const hdf5::Handle file = hdf5::open_alone(path);
    const hdf5::Handle table = hdf5::open_table(file, "joining");
    std::vector<double> tile(400);
    for (Index i = 0; i < 20; ++i)
      for (Index j = 0; j < 20; ++j) tile[i * 20 + j] = sample_entry(TileNumber::float64, 20 + i, j);
    hdf5::write_tile(table, hdf5::element_type<double>(), {20, 40}, {0, 20}, tile.data());
  });
  expect_sample(read_file(path), 50, 20, TileNumber::float64);
}

// 8 block rows of 128: 36 chunks, where the whole matrix has 64. What is counted on before writing suffices.
TEST(TilesFile, HasRoomForTheLowerTriangleAlone) {
  const TemporaryFolder folder;
  write_tiles(folder.file("small.h5"), sample_tiles(1024, 128, TileNumber::float64));
  const auto small = static_cast<Index>(std::filesystem::file_size(folder.file("small.h5")));
  EXPECT_LT(small, 36 * 128 * 128 * 8 + 100000);
  EXPECT_LE(small, hdf5::tile_bytes(hdf5::element_type<double>(), 1024, 128, Compression::none) + 4096);
  // Chunks of a mebibyte and more stand at whole mebibytes.
  write_tiles(folder.file("large.h5"), sample_tiles(900, 400, TileNumber::float64));
  EXPECT_LE(static_cast<Index>(std::filesystem::file_size(folder.file("large.h5"))),
            hdf5::tile_bytes(hdf5::element_type<double>(), 900, 400, Compression::none) + 4096);
}

std::string refusal(const std::string& path) {
  try {
    static_cast<void>(read_file(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

void expect_refused(const std::string& reason, const std::function<void(hid_t)>& change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_tiles(path, sample_tiles(50, 20, TileNumber::float64));
  edit(path, change);
  EXPECT_THAT(refusal(path), testing::AllOf(testing::HasSubstr(reason), testing::HasSubstr(path)));
}

void set_entry(hid_t file, Index row, Index column, double value) {
  const std::array<hsize_t, 2> at{static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
  const hdf5::Handle dataset(H5Dopen2(file, "joining", H5P_DEFAULT), H5Dclose);
  const hdf5::Handle space(H5Dget_space(dataset.id()), H5Sclose);
  ASSERT_GE(H5Sselect_elements(space.id(), H5S_SELECT_SET, 1, at.data()), 0);
  const hdf5::Handle memory(H5Screate(H5S_SCALAR), H5Sclose);
  ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, &value), 0);
}

TEST(UnsoundTiles, NumbersThatAreNotFiniteOrNotSymmetricAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused("/joining holds nan in row 45, column 3", [&](hid_t file) { set_entry(file, 45, 3, nan); });
  expect_refused("/joining is not symmetric: rows 21 and 25", [](hid_t file) { set_entry(file, 25, 21, 0.25); });
}

TEST(UnsoundTiles, DeflatedTilesThatAreBrokenAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  for (const Index most : {Index{0}, Index{1} << 40}) {
    write_tiles(path, sample_tiles(50, 20, TileNumber::float64), world(), Compression::deflate);
    edit(path, [&](hid_t file) { set_entry(file, 25, 21, std::numeric_limits<double>::quiet_NaN()); });
    SymmetricTiles tiles;
    const auto read = [&] {
      tiles = read_file(path, world(), most);
      collectively(world(), [&] {
        for (Index tile = world().rank(); tile < tiles.tiles(); tile += world().size())
          static_cast<void>(tiles.read(tile));
      });
    };
    try {
      read();
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), testing::HasSubstr("/joining holds nan in row 25, column 21"));
    }
    tiles = {};
    world().barrier();  // nobody has the file open that is written next
  }
}

// Chunks that inflate to fewer bytes than they are to have, to more, or not at all.
TEST(UnsoundTiles, DeflatedTilesOfAnotherLengthAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  const std::vector<double> values(900, 1.0);
  const auto packed = [&](Index order) {
    return hdf5::deflated_tile(hdf5::element_type<double>(), order, order, order, values.data());
  };
  for (const std::vector<std::byte>& chunk : {packed(3), packed(30), std::vector<std::byte>(100)}) {
    write_tiles(path, sample_tiles(50, 20, TileNumber::float64), world(), Compression::deflate);
    on_root([&] {
      const hdf5::Handle file = hdf5::open_alone(path);
      const hdf5::Handle tiles = hdf5::open_table(file, "joining");
      const std::array<hsize_t, 2> place{20, 0};
      ASSERT_GE(H5Dwrite_chunk(tiles.id(), H5P_DEFAULT, 0, place.data(), chunk.size(), chunk.data()), 0);
    });
    EXPECT_THAT(refusal(path), testing::HasSubstr("the chunk of /joining at row 20, column 0 is damaged"));
    world().barrier();
  }
}

TEST(UnsoundTiles, AttributesThatSayOtherwiseAreRefused) {
  expect_refused("says that it has 49 rows", [](hid_t file) { set_index(file, "joining", "size", 49); });
  expect_refused("in tiles of 19", [](hid_t file) { set_index(file, "joining", "order", 19); });
  expect_refused("in tiles of 0", [](hid_t file) { set_index(file, "joining", "order", 0); });
  expect_refused("'float32' that it says", [](hid_t file) { set_text(file, "joining", "number", "float32"); });
  expect_refused("'fine' that it says", [](hid_t file) { set_text(file, "joining", "number", "fine"); });
  for (const std::string name : {"size", "order", "number"}) {
    expect_refused("the attribute " + name, [&](hid_t file) {
      const hdf5::Handle dataset(H5Dopen2(file, "joining", H5P_DEFAULT), H5Dclose);
      ASSERT_GE(H5Adelete(dataset.id(), name.c_str()), 0);
    });
  }
}

// Chunks of zeros in the place of the matrix, of which only those that `early` takes are in the file.
void replace_tiles(hid_t file, const std::vector<hsize_t>& dimensions, const std::vector<hsize_t>& chunk,
                   H5D_alloc_time_t allocation) {
  replace(file, "joining", dimensions, H5T_IEEE_F64LE, allocation, chunk);
  const hdf5::Handle dataset(H5Dopen2(file, "joining", H5P_DEFAULT), H5Dclose);
  hdf5::write_attribute(dataset, "size", Index{50});
  hdf5::write_attribute(dataset, "order", Index{20});
  hdf5::write_attribute(dataset, "number", std::string("float64"));
}

TEST(UnsoundTiles, ChunksThatAreMissingOrOfAnotherShapeAreRefused) {
  expect_refused("has 0 chunks instead of the 6", [](hid_t file) {
    add(file, "room", {4000});  // the file is large enough for what they claim
    replace_tiles(file, {50, 50}, {20, 20}, H5D_ALLOC_TIME_INCR);
  });
  expect_refused("has 9 chunks instead of the 6", [](hid_t file) {
    replace_tiles(file, {50, 50}, {20, 20}, H5D_ALLOC_TIME_EARLY);
  });
  expect_refused("square matrix in square chunks", [](hid_t file) {
    replace_tiles(file, {50, 50}, {20, 10}, H5D_ALLOC_TIME_EARLY);
  });
  expect_refused("square matrix in square chunks", [](hid_t file) {
    replace_tiles(file, {50, 40}, {20, 20}, H5D_ALLOC_TIME_EARLY);
  });
  expect_refused("square matrix in square chunks", [](hid_t file) {
    replace_tiles(file, {50, 50}, {}, H5D_ALLOC_TIME_EARLY);
  });
}

// As many chunks as the lower triangle has, one of them in the upper.
TEST(UnsoundTiles, AChunkOfTheUpperTriangleInsteadOfALowerOneIsRefused) {
  expect_refused("the chunk of /joining at row 0, column 0", [](hid_t file) {
    replace_tiles(file, {50, 50}, {20, 20}, H5D_ALLOC_TIME_INCR);
    for (const auto& [row, column] : {std::pair<Index, Index>{0, 20}, {20, 0}, {20, 20}, {40, 0}, {40, 20}, {40, 40}}) {
      set_entry(file, row, column, 0);
    }
  });
}

TEST(UnsoundTiles, SizesBeyondTheFileAreRefusedBeforeMemoryIsTaken) {
  const hsize_t huge = hsize_t{1} << 40;
  for (const hsize_t chunk : {hsize_t{1}, hsize_t{1} << 14, hsize_t{20}}) {
    expect_refused("does not hold", [&](hid_t file) {
      replace_tiles(file, {huge, huge}, {chunk, chunk}, H5D_ALLOC_TIME_INCR);
    });
  }
}

TEST(UnsoundTiles, AFileThatIsCutShortIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_tiles(path, sample_tiles(50, 20, TileNumber::uint32));
  const auto size = static_cast<Index>(std::filesystem::file_size(path));
  world().barrier();
  for (const Index length : {size - 1, size / 2}) {
    on_root([&] { std::filesystem::resize_file(path, static_cast<std::uintmax_t>(length)); });
    EXPECT_THAT(refusal(path), testing::HasSubstr("truncated"));
  }
}

}  // namespace
}  // namespace cairn::test::tiles_file_test

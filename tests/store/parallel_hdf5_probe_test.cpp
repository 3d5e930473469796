// Does this platform's MPI-IO write what it is given? Irregular blocks, many of them empty, on many ranks, read back
// and compared. (Corrupted data and hangs are on record for some pairs of MPI and HDF5 versions.)
#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "sample_result.hpp"

namespace cairn::test::parallel_hdf5_probe_test {
namespace {

constexpr Index rows = 300000;

double value_at(Index round, Index i, Index j) { return static_cast<double>(round * 1000000000 + i * 1000 + j); }

// Block boundaries that differ between rounds: a third of the ranks have nothing, others a few rows or very many.
std::vector<Range> irregular_blocks(Index round, int ranks) {
  const Random random(static_cast<std::uint64_t>(round), Stream::test);
  std::vector<Range> blocks;
  Index first = 0;
  for (int r = 0; r < ranks; ++r) {
    const auto address = static_cast<std::uint64_t>(r);
    const Index left = rows - first;
    Index size = 0;
    if (random.below(3, address, 1) == 1) size = std::min<Index>(left, random.below(7, address, 2));
    if (random.below(3, address, 1) == 2) size = random.below(left + 1, address, 3);
    if (r == ranks - 1) size = left;
    blocks.push_back({first, first + size});
    first += size;
  }
  return blocks;
}

void write_blocks(const std::string& path, Index round, Range own, Index columns) {
  constexpr hdf5::ElementType type = hdf5::element_type<double>();
  collectively(world(), [&] {
    if (!world().is_root()) return;
    hdf5::Handle file = hdf5::create_file(path);
    static_cast<void>(hdf5::create_table(file, "table", type, rows, columns));
    hdf5::close_file(std::move(file));
  });
  hdf5::Handle file = collectively(world(), [&] { return hdf5::open_shared(world(), path); });
  collectively(world(), [&] {
    std::vector<double> values;
    for (Index i = own.begin; i < own.end; ++i)
      for (Index j = 0; j < columns; ++j) values.push_back(value_at(round, i, j));
    hdf5::write_rows(hdf5::open_table(file, "table"), type, own, values.data());
  });
  collectively(world(), [&] { hdf5::close_file(std::move(file)); });
}

// Numbers that are not what was written, in rows that other ranks wrote.
Index wrong_values(const std::string& path, Index round, Range own, Index columns) {
  return collectively(world(), [&] {
    const hdf5::InputFile file(path);
    std::vector<double> values(own.size() * columns);
    file.read_rows("table", file.table("table"), own, values.data());
    Index wrong = 0;
    for (Index i = own.begin; i < own.end; ++i)
      for (Index j = 0; j < columns; ++j)
        if (values[(i - own.begin) * columns + j] != value_at(round, i, j)) ++wrong;
    return wrong;
  });
}

Range rows_of_another_rank() { return RowPartition(rows, world().size()).range(world().size() - 1 - world().rank()); }

TEST(ParallelHdf5, WritesIrregularBlocksAndEmptyRanks) {
  constexpr Index columns = 5;
  const TemporaryFolder folder;
  const std::string path = folder.file("probe.h5");
  for (Index round = 0; round < 8; ++round) {
    const Range own = irregular_blocks(round, world().size())[world().rank()];
    write_blocks(path, round, own, columns);
    EXPECT_EQ(world().sum(wrong_values(path, round, rows_of_another_rank(), columns)), 0) << "round " << round;
  }
}

// 576 MB on one rank: more than one piece of 256 MiB.
TEST(ParallelHdf5, WritesABlockInPieces) {
  constexpr Index columns = 240;
  const TemporaryFolder folder;
  const std::string path = folder.file("pieces.h5");
  const bool last = world().rank() == world().size() - 1;
  write_blocks(path, 1, last ? Range{0, rows} : Range{0, 0}, columns);
  EXPECT_EQ(world().sum(wrong_values(path, 1, rows_of_another_rank(), columns)), 0);
}

}  // namespace
}  // namespace cairn::test::parallel_hdf5_probe_test

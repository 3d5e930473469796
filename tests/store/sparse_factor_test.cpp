// A sparse factor in a file is what was written, on any number of ranks, and what cannot be trusted is refused.
#include "cairn/store/hdf5/sparse_factor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "cairn/store/atomic_file.hpp"
#include "edited_file.hpp"

namespace cairn::test::sparse_factor_test {
namespace {

constexpr Index sample_columns = 11;

// Every third row is empty, every seventh full; entry (i, j) is known from its address.
bool is_stored(Index i, Index j) { return i % 3 != 1 && (i % 7 == 0 || sample_value(40, i, j) > 0.2); }

template <class T>
SparseRows<T> sample_sparse(Index rows, const Communicator& ranks = world()) {
  const RowPartition partition(rows, ranks.size());
  std::vector<Index> starts{0};
  std::vector<Index> indices;
  std::vector<T> values;
  const Range own = partition.range(ranks.rank());
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index j = 0; j < sample_columns; ++j) {
      if (!is_stored(i, j)) continue;
      indices.push_back(j);
      values.push_back(static_cast<T>(sample_value(41, i, j)));
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  return SparseRows<T>(partition, ranks.rank(), sample_columns, std::move(starts), std::move(indices),
                       std::move(values));
}

template <class T>
void write_sparse(const std::string& path, const SparseRows<T>& factor, const Communicator& ranks = world()) {
  const std::vector<SharedTable> tables = sparse_factor_tables(ranks, "left", factor);
  collectively(ranks, [&] {
    if (!ranks.is_root()) return;
    hdf5::Handle file = hdf5::create_file(path);
    create_sparse_group(file, "left", factor.rows(), factor.columns());
    create_tables(file, tables);
    hdf5::close_file(std::move(file));
  });
  static_cast<void>(write_tables(ranks, path, tables));
}

template <class T>
SparseRows<T> read_sparse(const std::string& path, const Communicator& ranks = world()) {
  const hdf5::InputFile file = collectively(ranks, [&] { return hdf5::InputFile(path); });
  return read_sparse_factor<T>(ranks, file, "left");
}

template <class T>
void expect_sample(const SparseRows<T>& read, Index rows) {
  EXPECT_EQ(read.rows(), rows);
  EXPECT_EQ(read.columns(), sample_columns);
  for (Index i = read.range().begin; i < read.range().end; ++i) {
    const SparseRow<T> row = read.row(i);
    std::size_t k = 0;
    for (Index j = 0; j < sample_columns; ++j) {
      if (!is_stored(i, j)) continue;
      ASSERT_LT(k, row.columns.size()) << "row " << i;
      EXPECT_EQ(row.columns[k], j);
      EXPECT_EQ(row.values[k], static_cast<T>(sample_value(41, i, j)));
      ++k;
    }
    EXPECT_EQ(k, row.columns.size()) << "row " << i;
  }
}

TEST(SparseFactorFile, HoldsWhatWasWrittenInBothPrecisions) {
  const TemporaryFolder folder;
  for (const Index rows : {Index{1}, Index{2}, Index{17}, Index{70}, Index{300}}) {
    const std::string number = std::to_string(rows);
    write_sparse(folder.file("double" + number), sample_sparse<double>(rows));
    expect_sample(read_sparse<double>(folder.file("double" + number)), rows);
    write_sparse(folder.file("single" + number), sample_sparse<float>(rows));
    expect_sample(read_sparse<float>(folder.file("single" + number)), rows);
  }
}

TEST(SparseFactorFile, MayHaveNoEntryAtAll) {
  const TemporaryFolder folder;
  const RowPartition partition(40, world().size());
  const auto own = static_cast<std::size_t>(partition.range(world().rank()).size());
  write_sparse(folder.file("x.h5"),
               SparseRows<double>(partition, world().rank(), 3, std::vector<Index>(own + 1, 0), {}, {}));
  const SparseRows<double> read = read_sparse<double>(folder.file("x.h5"));
  EXPECT_EQ(read.rows(), 40);
  EXPECT_EQ(read.columns(), 3);
  EXPECT_EQ(read.own_entries(), 0);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SparseFactorFile, IsTheSameOnOneRankAndOnAllAndReadByOtherRankCounts) {
  const TemporaryFolder folder;
  write_sparse(folder.file("all.h5"), sample_sparse<double>(200));
  const Communicator alone(MPI_COMM_SELF);
  const std::string own = folder.file("alone-" + std::to_string(world().rank()) + ".h5");
  write_sparse(own, sample_sparse<double>(200, alone), alone);
  EXPECT_EQ(bytes_of(own), bytes_of(folder.file("all.h5")));
  expect_sample(read_sparse<double>(folder.file("all.h5"), alone), 200);
}

TEST(SparseFactorFile, TakesSmallIntegersWhereTheyFit) {
  const TemporaryFolder folder;
  write_sparse(folder.file("x.h5"), sample_sparse<double>(50));
  const hdf5::InputFile file(folder.file("x.h5"));
  const SparseShape shape = sparse_factor_shape(file, "left");
  EXPECT_EQ(shape.index, hdf5::element_type<std::int32_t>());
  EXPECT_EQ(shape.rows, 50);
  EXPECT_EQ(shape.columns, sample_columns);
  world().barrier();
}

// 2^31 columns do not fit: both lists become int64.
TEST(SparseFactorFile, TakesLargeIntegersWhereTheyAreNeeded) {
  const TemporaryFolder folder;
  const Index columns = Index{1} << 32;
  const RowPartition partition(20, world().size());
  const Range own = partition.range(world().rank());
  std::vector<Index> starts{0};
  std::vector<Index> indices;
  for (Index i = own.begin; i < own.end; ++i) {
    indices.push_back(columns - 1 - i);
    starts.push_back(static_cast<Index>(indices.size()));
  }
  const std::vector<double> values(indices.size(), 0.5);
  write_sparse(folder.file("x.h5"), SparseRows<double>(partition, world().rank(), columns, starts, indices, values));
  const SparseRows<double> read = read_sparse<double>(folder.file("x.h5"));
  EXPECT_EQ(read.indices(), indices);
  EXPECT_EQ(read.starts(), starts);
}

// The message that every rank sees; what happens if nothing is thrown fails the test.
std::string refusal(const std::string& path) {
  try {
    static_cast<void>(read_sparse<double>(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

void set_element(hid_t file, const std::string& name, hsize_t at, hid_t type, const void* value) {
  const hdf5::Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const hdf5::Handle space(H5Dget_space(dataset.id()), H5Sclose);
  ASSERT_GE(H5Sselect_elements(space.id(), H5S_SELECT_SET, 1, &at), 0);
  const hdf5::Handle memory(H5Screate(H5S_SCALAR), H5Sclose);
  ASSERT_GE(H5Dwrite(dataset.id(), type, memory.id(), space.id(), H5P_DEFAULT, value), 0);
}

void expect_refused(const std::string& reason, const std::function<void(hid_t)>& change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_sparse(path, sample_sparse<double>(50));
  edit(path, change);
  EXPECT_THAT(refusal(path), testing::AllOf(testing::HasSubstr(reason), testing::HasSubstr(path)));
}

void set_integer(hid_t file, const std::string& name, hsize_t at, Index value) {
  set_element(file, name, at, H5T_NATIVE_INT64, &value);
}

TEST(UnsoundSparseFactor, PositionsThatDoNotAscendAreRefused) {
  expect_refused("/left/indptr goes from 1", [](hid_t file) { set_integer(file, "left/indptr", 0, 1); });
  expect_refused("/left/indptr goes from 0 to 3", [](hid_t file) { set_integer(file, "left/indptr", 50, 3); });
  expect_refused("do not ascend", [](hid_t file) { set_integer(file, "left/indptr", 25, 0); });
  expect_refused("do not ascend", [](hid_t file) { set_integer(file, "left/indptr", 25, 100000); });
  expect_refused("do not ascend", [](hid_t file) { set_integer(file, "left/indptr", 16, -5); });
}

TEST(UnsoundSparseFactor, ColumnsOutOfRangeOrOrderAreRefused) {
  expect_refused("the column 11 after", [](hid_t file) { set_integer(file, "left/indices", 20, 11); });
  expect_refused("the column -1 after", [](hid_t file) { set_integer(file, "left/indices", 0, -1); });
  // Row 0 is full: its second column may not be its first again.
  expect_refused("the column 0 after 0 in row 0", [](hid_t file) { set_integer(file, "left/indices", 1, 0); });
}

// Rows that are not empty but for the first of each rank, each without its last entry: of a rank that has two rows, one
// that does not begin where its entries do.
template <class T>
RowsWithin<T> rows_within(const SparseRows<T>& whole) {
  RowsWithin<T> rows{whole.columns(), {}, whole.indices(), whole.values()};
  for (std::size_t i = 1; i + 1 < whole.starts().size(); ++i) {
    const Range entries{whole.starts()[i], whole.starts()[i + 1]};
    if (!entries.empty()) rows.entries.push_back({entries.begin, entries.end - 1});
  }
  return rows;
}

template <class T>
void expect_rows_within(Index size) {
  const TemporaryFolder folder;
  const std::string path = folder.file("within.h5");
  const SparseRows<T> whole = sample_sparse<T>(size);
  const auto count = world().sum(std::ssize(rows_within(whole).entries));
  const std::vector<SharedTable> tables = sparse_factor_tables<T>(world(), "left", rows_within(whole));
  on_root([&] {
    hdf5::Handle file = hdf5::create_file(path);
    create_sparse_group(file, "left", count, sample_columns);
    create_tables(file, tables);
    hdf5::close_file(std::move(file));
  });
  static_cast<void>(write_tables(world(), path, tables));
  const Communicator alone(MPI_COMM_SELF);
  const SparseRows<T> read = read_sparse<T>(path, alone);
  ASSERT_EQ(read.rows(), count);
  Index next = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    const Range own = whole.partition().range(rank);
    for (Index i = own.begin + 1; i < own.end; ++i) {
      std::vector<Index> columns;
      for (Index j = 0; j < sample_columns; ++j)
        if (is_stored(i, j)) columns.push_back(j);
      if (columns.empty()) continue;
      columns.pop_back();
      const SparseRow<T> row = read.row(next++);
      ASSERT_THAT(row.columns, testing::ElementsAreArray(columns)) << "row " << i;
      for (std::size_t k = 0; k < columns.size(); ++k)
        ASSERT_EQ(row.values[k], static_cast<T>(sample_value(41, i, columns[k]))) << "row " << i;
    }
  }
  EXPECT_EQ(next, count);
}

// A rank that has one row, and ranks that have none; more entries than are written at once.
TEST(SparseFactorFile, HoldsRowsWithinThoseOfAnother) {
  for (const Index size : {3, 18, 34, 50, 1000, 400000}) {
    SCOPED_TRACE(size);
    expect_rows_within<double>(size);
  }
  expect_rows_within<float>(18);
}

TEST(UnsoundSparseFactor, ValuesThatAreNotFiniteAreRefusedWithTheirPlace) {
  const double infinite = std::numeric_limits<double>::infinity();
  expect_refused("/left holds inf in row 0, column 4",
                 [&](hid_t file) { set_element(file, "left/data", 4, H5T_NATIVE_DOUBLE, &infinite); });
}

TEST(UnsoundSparseFactor, PartsThatDoNotFitTogetherAreRefused) {
  for (const std::string part : {"data", "indices", "indptr"}) {
    expect_refused("left/" + part,
                   [&](hid_t file) { ASSERT_GE(H5Ldelete(file, ("left/" + part).c_str(), H5P_DEFAULT), 0); });
  }
  expect_refused("/left/indices has 3 elements", [](hid_t file) { replace(file, "left/indices", {3}, H5T_STD_I32LE); });
  expect_refused("49 positions for 50 rows", [](hid_t file) { replace(file, "left/indptr", {49}, H5T_STD_I32LE); });
  expect_refused("not both int32 or both int64", [](hid_t file) { replace(file, "left/indptr", {51}, H5T_STD_I64LE); });
  expect_refused("is not a list", [](hid_t file) { replace(file, "left/data", {5, 5}); });
  expect_refused("no float32", [](hid_t file) {
    const hdf5::Handle dataset(H5Dopen2(file, "left/data", H5P_DEFAULT), H5Dclose);
    const hdf5::Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const auto entries = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.id()));
    replace(file, "left/data", {entries}, H5T_STD_I32LE);
  });
}

TEST(UnsoundSparseFactor, AShapeThatIsNotTheirsIsRefused) {
  const auto set_shape = [](hid_t file, std::vector<Index> shape) {
    const hdf5::Handle group(H5Gopen2(file, "left", H5P_DEFAULT), H5Gclose);
    ASSERT_GE(H5Adelete(group.id(), "shape"), 0);
    const auto count = static_cast<hsize_t>(shape.size());
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const hdf5::Handle attribute(H5Acreate2(group.id(), "shape", H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose);
    ASSERT_GE(H5Awrite(attribute.id(), H5T_NATIVE_INT64, shape.data()), 0);
  };
  const Index huge = std::numeric_limits<Index>::max();
  expect_refused("is not two sizes", [&](hid_t file) { set_shape(file, {50, 11, 1}); });
  expect_refused("is not two sizes", [&](hid_t file) { set_shape(file, {-50, 11}); });
  expect_refused("51 positions for", [&](hid_t file) { set_shape(file, {huge, 11}); });
  expect_refused("of a matrix of 10 columns", [&](hid_t file) { set_shape(file, {50, 10}); });
  expect_refused("the attribute shape", [](hid_t file) {
    const hdf5::Handle group(H5Gopen2(file, "left", H5P_DEFAULT), H5Gclose);
    ASSERT_GE(H5Adelete(group.id(), "shape"), 0);
  });
}

TEST(UnsoundSparseFactor, AFileThatIsCutShortIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_sparse(path, sample_sparse<double>(50));
  const auto size = static_cast<Index>(std::filesystem::file_size(path));
  world().barrier();
  for (const Index length : {size - 1, size / 2, Index{100}}) {
    on_root([&] { std::filesystem::resize_file(path, static_cast<std::uintmax_t>(length)); });
    EXPECT_THAT(refusal(path), testing::HasSubstr("truncated"));
  }
}

}  // namespace
}  // namespace cairn::test::sparse_factor_test

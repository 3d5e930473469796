// Matrices read by piece: every format against the formula that wrote it.
#include "cairn/data/matrix/dense_matrix.hpp"

#include <hdf5.h>

#include <thread>

#include "cairn/data/digest.hpp"
#include "cairn/data/io/hdf5_handle.hpp"
#include "written_files.hpp"

namespace cairn::test::dense_matrix_test {
namespace {

constexpr Index n = 40;

double entry(Index i, Index j) { return static_cast<double>(100 * i + j); }

template <class T>
std::vector<T> entries(Index rows, Index columns) {
  std::vector<T> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) values.push_back(static_cast<T>(entry(i, j)));
  }
  return values;
}

// @param chunk  0: contiguous
std::string write_hdf5(const WrittenFiles& files, const std::string& name, hsize_t chunk) {
  if (world().is_root()) {
    using hdf5::Handle;
    const auto values = entries<double>(n, n);
    const hsize_t shape[] = {n, n};
    const hsize_t chunks[] = {chunk, chunk};
    const Handle file(H5Fcreate(files.path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (chunk > 0) H5Pset_chunk(properties.id(), 2, chunks);
    const Handle set(
        H5Dcreate2(file.id(), "similarities", H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
        H5Dclose);
    EXPECT_GE(H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  world().barrier();
  return files.path(name);
}

std::string npy_matrix(Index rows, Index columns) {
  const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  return npy("'descr': '<f8', 'fortran_order': False, 'shape': " + shape, bytes_of(entries<double>(rows, columns)));
}

bool reads_right(const DenseMatrix& matrix, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  const auto width = static_cast<Index>(columns.size());
  const Index stride = width + 2;  // as a tile within a wider matrix
  std::vector<double> values(rows.size() * static_cast<std::size_t>(stride), -1.0);
  MatrixView<double> out(values.data(), static_cast<Index>(rows.size()), width, stride);
  matrix.read(rows, columns, out);
  for (Index a = 0; a < out.rows; ++a) {
    for (Index b = 0; b < stride; ++b) {
      const double expected = b < width ? entry(rows[a], columns[b]) : -1.0;
      if (out.data[a * stride + b] != expected) return false;
    }
  }
  return true;
}

std::vector<Index> all_numbers(Index count) {
  std::vector<Index> numbers;
  for (Index k = 0; k < count; ++k) numbers.push_back(k);
  return numbers;
}

void expect_right(const DenseMatrix& matrix) {
  EXPECT_EQ(matrix.rows(), n);
  EXPECT_EQ(matrix.columns(), n);
  EXPECT_TRUE(reads_right(matrix, {3, 4, 5, 17, 2, 2}, {39, 0, 1, 2, 20}));
  EXPECT_TRUE(reads_right(matrix, all_numbers(n), all_numbers(n)));
  EXPECT_TRUE(reads_right(matrix, {7}, {7}));
  EXPECT_TRUE(reads_right(matrix, {}, {1}));
}

TEST(DenseMatrix, ReadsAnyRowsAndColumnsOfEveryFormat) {
  const WrittenFiles files;
  expect_right(*DenseMatrix::open(files.write("k.npy", npy_matrix(n, n)), "", ""));
  expect_right(*DenseMatrix::open(files.write("k.f32", bytes_of(entries<float>(n, n))), "", ""));
  expect_right(*DenseMatrix::open(files.write("k.bin", bytes_of(entries<double>(n, n))), "raw64", ""));
  expect_right(*DenseMatrix::open(write_hdf5(files, "k.h5", 0), "", ""));
  expect_right(*DenseMatrix::open(write_hdf5(files, "c.h5", 7), "hdf5", "similarities"));
}

TEST(DenseMatrix, WholeRowsAreReadInOnePieceToo) {
  const WrittenFiles files;
  const auto matrix = DenseMatrix::open(files.write("k.npy", npy_matrix(n, n)), "", "");
  const std::vector<Index> rows{5, 6, 7, 30, 31, 1};
  std::vector<double> values(rows.size() * n);
  matrix->read(rows, all_numbers(n), {values.data(), 6, n});
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (Index b = 0; b < n; ++b) EXPECT_EQ(values[a * n + static_cast<std::size_t>(b)], entry(rows[a], b));
  }
}

TEST(DenseMatrix, NeedNotBeSquareWhereItsFileSaysSo) {
  const WrittenFiles files;
  const auto matrix = DenseMatrix::open(files.write("k.npy", npy_matrix(6, 9)), "", "");
  EXPECT_EQ(matrix->rows(), 6);
  EXPECT_EQ(matrix->columns(), 9);
  EXPECT_TRUE(reads_right(*matrix, {5, 0}, {8, 3}));
}

TEST(DenseMatrix, MayBeReadByManyThreads) {
  const WrittenFiles files;
  for (const auto& path : {files.write("k.npy", npy_matrix(n, n)), write_hdf5(files, "k.h5", 7)}) {
    const auto matrix = DenseMatrix::open(path, "", "");
    std::vector<char> right(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < right.size(); ++t) {
      threads.emplace_back([&, t] {
        bool all = true;
        for (Index k = 0; k < 30; ++k) all = all && reads_right(*matrix, {k, static_cast<Index>(t)}, {k, 9, 10});
        right[t] = all ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, (std::vector<char>{1, 1, 1, 1})) << path;
  }
}

TEST(DenseMatrix, NamesTheEntryThatIsNotFinite) {
  const WrittenFiles files;
  auto values = entries<double>(n, n);
  values[12 * n + 34] = -std::numeric_limits<double>::infinity();
  const auto matrix = DenseMatrix::open(files.write("k.f64", bytes_of(values)), "", "");
  EXPECT_TRUE(reads_right(*matrix, {12}, {33, 35}));
  expect_error(
      [&] {
        (void)reads_right(*matrix, {0, 12}, {5, 34});
      },
      ErrorKind::input, {"k.f64", "entry (12, 34) is -inf"});
}

void expect_not_opened(const std::string& path, const std::string& dataset, std::initializer_list<const char*> parts) {
  expect_error([&] { (void)DenseMatrix::open(path, "", dataset); }, ErrorKind::input, parts);
}

TEST(DenseMatrix, RefusesWhatCannotBeReadByPiece) {
  const WrittenFiles files;
  expect_not_opened(files.path("none.npy"), "", {"none.npy", "No such file"});
  expect_not_opened(files.write("k.csv", "1,2\n2,1\n"), "", {"k.csv", "cairn convert"});
  expect_not_opened(files.write("k.npy.gz", gzipped(npy_matrix(n, n))), "", {"k.npy.gz", "cairn convert"});
  expect_not_opened(files.write("k.npy", npy_matrix(n, n).substr(0, 9000)), "", {"k.npy", "truncated"});
  expect_not_opened(files.write("k.f64", bytes_of(entries<double>(2, 3))), "", {"k.f64", "no square matrix"});
  const std::string path = write_hdf5(files, "k.h5", 0);
  expect_not_opened(path, "none", {"k.h5", "none"});
  std::string bytes;
  if (world().is_root()) {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  expect_not_opened(files.write("cut.h5", bytes.substr(0, bytes.size() / 2)), "", {"cut.h5", "HDF5"});
}

TEST(DenseMatrix, AFileThatShrinksIsNoticed) {
  const WrittenFiles files;
  const std::string path = files.write("k.f64", bytes_of(entries<double>(n, n)));
  const auto matrix = DenseMatrix::open(path, "", "");
  world().barrier();
  if (world().is_root()) std::filesystem::resize_file(path, 800);
  world().barrier();
  expect_error([&] { (void)reads_right(*matrix, {30}, {1}); }, ErrorKind::input, {"k.f64", "shorter"});
}

TEST(MatrixDigest, TellsOtherValuesFromTheSameOnAnyRanks) {
  const WrittenFiles files;
  const Communicator alone(MPI_COMM_SELF);
  const auto original = DenseMatrix::open(files.write("k.npy", npy_matrix(n, n)), "", "");
  const auto again = DenseMatrix::open(write_hdf5(files, "k.h5", 7), "", "");
  EXPECT_EQ(data_digest(world(), *original), data_digest(alone, *original));
  EXPECT_EQ(data_digest(world(), *original), data_digest(world(), *again)) << "the same values in another file";
  std::string other = npy_matrix(n, n);
  for (Index j = 0; j < n; ++j) other[other.size() - static_cast<std::size_t>(8 * j + 2)] ^= 1;  // the last row
  const auto changed = DenseMatrix::open(files.write("other.npy", other), "", "");
  EXPECT_NE(data_digest(world(), *original), data_digest(world(), *changed));
}

}  // namespace
}  // namespace cairn::test::dense_matrix_test

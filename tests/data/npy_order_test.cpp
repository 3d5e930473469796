// NumPy's arrays in Fortran order, and archives of arrays: against the numbers that were written.
#include <fmt/format.h>

#include <numeric>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "written_files.hpp"

namespace cairn::test::npy_order_test {
namespace {

using Values = std::vector<double>;

double entry(Index i, Index j) { return static_cast<double>(1000 * i + j); }

Values by_rows(Index rows, Index columns) {
  Values values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) values.push_back(entry(i, j));
  }
  return values;
}

Values by_columns(Index rows, Index columns) {
  Values values;
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) values.push_back(entry(i, j));
  }
  return values;
}

std::string array(Index rows, Index columns, bool fortran) {
  return npy(
      fmt::format("'descr': '<f8', 'fortran_order': {}, 'shape': ({}, {})", fortran ? "True" : "False", rows, columns),
      bytes_of(fortran ? by_columns(rows, columns) : by_rows(rows, columns)));
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8 * k) & 0xFF);
  return text;
}

std::string deflated(const std::string& text) {
  const std::string packed = gzipped(text);
  return packed.substr(10, packed.size() - 18);  // without gzip's header and trailer
}

struct Packed {
  std::string name;
  std::string bytes;
  bool deflate = false;
  bool large = false;  // its sizes in a record of ZIP64, as NumPy writes those from 4 GiB on
};

std::string zip(const std::vector<Packed>& files) {
  std::string archive, directory;
  for (const Packed& file : files) {
    const std::string packed = file.deflate ? deflated(file.bytes) : file.bytes;
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(file.bytes.data()), file.bytes.size());
    const std::string sizes64 =
        little_endian(file.bytes.size(), 8) + little_endian(packed.size(), 8) + little_endian(archive.size(), 8);
    const std::string extra = file.large ? little_endian(1, 2) + little_endian(24, 2) + sizes64 : "";
    const std::uint64_t elsewhere = 0xFFFFFFFF;
    const std::string common = little_endian(20, 2) + little_endian(0, 2) + little_endian(file.deflate ? 8 : 0, 2) +
                               little_endian(0, 4) + little_endian(checksum, 4) +
                               little_endian(file.large ? elsewhere : packed.size(), 4) +
                               little_endian(file.large ? elsewhere : file.bytes.size(), 4) +
                               little_endian(file.name.size(), 2) + little_endian(extra.size(), 2);
    directory += "PK\1\2" + little_endian(20, 2) + common + little_endian(0, 2) + little_endian(0, 2) +
                 little_endian(0, 2) + little_endian(0, 4) + little_endian(file.large ? elsewhere : archive.size(), 4) +
                 file.name + extra;
    archive += "PK\3\4" + common + file.name + extra + packed;
  }
  const std::string end = "PK\5\6" + little_endian(0, 4) + little_endian(files.size(), 2) +
                          little_endian(files.size(), 2) + little_endian(directory.size(), 4) +
                          little_endian(archive.size(), 4) + little_endian(0, 2);
  return archive + directory + end;
}

void expect_entries(const PointSource& source, Index rows, Index columns) {
  const auto points = read_whole(source);
  EXPECT_EQ(points.dimension, columns) << source.path;
  EXPECT_TRUE(points.values == by_rows(rows, columns)) << source.path;
}

TEST(FortranOrder, IsReadPlainAndCompressedByAnyNumberOfRanks) {
  const WrittenFiles files;
  const std::string file = array(101, 7, true);
  expect_entries({.path = files.write("p.npy", file)}, 101, 7);
  expect_entries({.path = files.write("p.npy.gz", gzipped(file))}, 101, 7);
  expect_entries({.path = files.write("p.npy.xz", xz_compressed(file))}, 101, 7);
  const auto chosen = read_whole({.path = files.path("p.npy.gz"), .columns = {"5", "2"}});
  EXPECT_EQ(chosen(100, 0), entry(100, 4));
  EXPECT_EQ(chosen(100, 1), entry(100, 1));
}

TEST(FortranOrder, IsReadInPiecesOfTallAndOfWideMatrices) {
  const WrittenFiles files;
  expect_entries({.path = files.write("p.npy", array(1200000, 4, true))}, 1200000, 4);
  expect_entries({.path = files.write("p.npy.gz", gzipped(array(600000, 3, true)))}, 600000, 3);
  expect_entries({.path = files.write("p.npy", array(2, 300000, true))}, 2, 300000);
}

TEST(FortranOrder, OfAMatrixIsReadByPiece) {
  const WrittenFiles files;
  const auto matrix = DenseMatrix::open(files.write("k.npy", array(50, 50, true)), "", "");
  const std::vector<Index> rows{3, 4, 5, 49, 0, 0}, columns{49, 1, 2, 1};
  Values values(6 * 5, -1);
  matrix->read(rows, columns, MatrixView<double>(values.data(), 6, 4, 5));
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b) EXPECT_EQ(values[a * 5 + b], entry(rows[a], columns[b]));
    EXPECT_EQ(values[a * 5 + 4], -1);
  }
}

TEST(FortranOrder, NamesWhatIsNotFiniteOrNotThere) {
  const WrittenFiles files;
  Values values = by_columns(10, 3);
  values[2 * 10 + 7] = std::numeric_limits<double>::infinity();
  const std::string header = "'descr': '<f8', 'fortran_order': True, 'shape': (10, 3)";
  expect_refused({.path = files.write("p.npy", npy(header, bytes_of(values)))}, {"p.npy: entry (7, 2) is inf"});
  const std::string cut = npy(header, bytes_of(by_columns(9, 3)));
  expect_refused({.path = files.write("p.npy", cut)}, {"p.npy", "truncated"});
  expect_refused({.path = files.write("p.npy.gz", gzipped(cut))}, {"p.npy.gz", "truncated"});
}

TEST(Npz, ReadsTheOnlyArrayOrTheOneThatIsNamed) {
  const WrittenFiles files;
  for (const bool deflate : {false, true}) {
    for (const bool fortran : {false, true}) {
      for (const bool large : {false, true}) {
        const Packed x{"x.npy", array(101, 7, fortran), deflate, large}, y{"y.npy", array(5, 2, false), deflate, large};
        expect_entries({.path = files.write("p.npz", zip({x}))}, 101, 7);
        const std::string both = files.write("p.npz", zip({y, x}));
        expect_entries({.path = both, .dataset = "x"}, 101, 7);
        expect_entries({.path = both, .dataset = "y.npy"}, 5, 2);
      }
    }
  }
  EXPECT_EQ(peek_point_shape({.path = files.path("p.npz"), .dataset = "x"})->points, 101);
}

TEST(Npz, RefusesWhatItCannotChooseOrRead) {
  const WrittenFiles files;
  const Packed x{"x.npy", array(101, 7, false)}, y{"y.npy", array(5, 2, false)};
  const std::string both = zip({x, y});
  expect_refused({.path = files.write("p.npz", both)},
                 {"p.npz: holds 2 arrays: x, y; name one with parameter dataset"});
  expect_refused({.path = files.path("p.npz"), .dataset = "z"}, {"holds no array 'z'; it has x, y"});
  expect_refused({.path = files.write("p.npz", zip({{"a.txt", "1,2\n"}}))}, {"p.npz: holds no arrays"});
  expect_refused({.path = files.write("p.npz", zip({{"x.npy", "1,2\n"}}))}, {"p.npz: x.npy: is no .npy file"});
  expect_refused({.path = files.write("p.npz", "1,2\n")}, {"p.npz"});
  expect_refused({.path = files.write("p.npz", both.substr(0, both.size() / 2))}, {"p.npz", "truncated"});
  const std::string few = npy("'descr': '<f8', 'fortran_order': False, 'shape': (9, 2)", bytes_of(by_rows(5, 2)));
  for (const bool deflate : {false, true}) {
    expect_refused({.path = files.write("p.npz", zip({{"x.npy", few, deflate}, y})), .dataset = "x"},
                   {"p.npz", "truncated"});
  }
  expect_refused({.path = files.path("none.npz")}, {"none.npz", "No such file"});
}

TEST(Npz, OfAMatrixMustBeStored) {
  const WrittenFiles files;
  const std::string k = array(20, 20, false);
  const auto matrix = DenseMatrix::open(files.write("k.npz", zip({{"k.npy", k}})), "", "");
  const std::vector<Index> row{7}, column{9};
  double value = 0;
  matrix->read(row, column, MatrixView<double>(&value, 1, 1));
  EXPECT_EQ(value, entry(7, 9));
  expect_error(
      [&] {
        (void)DenseMatrix::open(files.write("deflated.npz", zip({{"k.npy", k, true}})), "", "");
      },
      ErrorKind::input, {"deflated.npz", "compressed", "cairn convert"});
}

}  // namespace
}  // namespace cairn::test::npy_order_test

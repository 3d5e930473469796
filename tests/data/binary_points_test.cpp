// Points from IDX, .npy, raw and HDF5 files, plain and compressed.
#include <hdf5.h>

#include <numeric>

#include "cairn/data/io/hdf5_handle.hpp"
#include "written_files.hpp"

namespace cairn::test::binary_points_test {
namespace {

constexpr Index n = 100;
constexpr Index d = 3;
using Labels = std::vector<std::string>;

template <class T>
std::vector<T> counting() {
  std::vector<T> values(n * d);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

void expect_counting(const WholePoints<double>& points) {
  EXPECT_EQ(points.dimension, d);
  EXPECT_EQ(points.values, counting<double>());
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string idx_header(char type, std::initializer_list<std::uint32_t> shape) {
  std::string header{'\0', '\0', type, static_cast<char>(shape.size())};
  for (const std::uint32_t size : shape) header += big_endian(size);
  return header;
}

std::string images() {
  std::string bytes = idx_header(0x08, {100, 3, 1});
  for (int k = 0; k < 300; ++k) bytes += static_cast<char>(k % 256);
  return bytes;
}

TEST(Idx, ReadsImagesFlattenedWithLabels) {
  const WrittenFiles files;
  std::string labels = idx_header(0x08, {100});
  for (int k = 0; k < 100; ++k) labels += static_cast<char>(k % 10);
  const std::string label_path = files.write("labels-idx1-ubyte.gz", gzipped(labels));
  for (const auto& path : {files.write("a-ubyte", images()), files.write("a-ubyte.gz", gzipped(images())),
                           files.write("a-ubyte.xz", xz_compressed(images()))}) {
    const auto points = read_whole({.path = path, .label = label_path});
    EXPECT_EQ(points.dimension, 3);
    ASSERT_EQ(points.values.size(), 300U);
    for (Index k = 0; k < 300; ++k) EXPECT_EQ(points.values[k], static_cast<double>(k % 256));
    ASSERT_EQ(points.labels.size(), 100U);
    EXPECT_EQ(points.labels[47], "7");
    const auto shape = peek_point_shape({.path = path});
    EXPECT_TRUE(shape && shape->points == 100 && shape->dimension == 3);
  }
}

TEST(Idx, ReadsOtherTypesBigEndian) {
  const WrittenFiles files;
  const std::string shorts = idx_header(0x0B, {2, 2}) + std::string{0, 1, 1, 0, '\xFF', '\xFF', 0, 0};
  EXPECT_EQ(read_whole({.path = files.write("s.idx", shorts)}).values, (std::vector<double>{1, 256, -1, 0}));
  const std::string floats = idx_header(0x0D, {1, 2}) + std::string{'\x3F', '\x80', 0, 0, '\xC0', 0, 0, 0};
  EXPECT_EQ(read_whole({.path = files.write("f.idx", floats)}).values, (std::vector<double>{1, -2}));
}

TEST(Idx, RefusesWhatItsHeaderDoesNotFit) {
  const WrittenFiles files;
  const std::string whole_file = images();
  expect_refused({.path = files.write("a.idx", whole_file.substr(0, 200))}, {"a.idx", "truncated"});
  expect_refused({.path = files.write("a.idx", gzipped(whole_file.substr(0, 200)))}, {"a.idx", "truncated"});
  expect_refused({.path = files.write("a.idx", whole_file.substr(0, 7))}, {"a.idx", "truncated"});
  expect_refused({.path = files.write("a.idx", "P5 some picture")}, {"a.idx", "is no IDX file"});
  const std::string enormous = idx_header(0x0E, {4294967295U, 4294967295U, 4294967295U});
  expect_refused({.path = files.write("a.idx", enormous)}, {"a.idx", "truncated"});
  const std::string two_labels = files.write("l.idx", idx_header(0x08, {2}) + "ab");
  expect_refused({.path = files.write("a.idx", whole_file), .label = two_labels}, {"l.idx", "2 labels", "100 points"});
  expect_refused({.path = files.path("a.idx"), .label = files.path("none.idx")}, {"none.idx", "No such file"});
}

TEST(Npy, ReadsItsTypesPlainAndCompressed) {
  const WrittenFiles files;
  const std::string shape = ", 'fortran_order': False, 'shape': (100, 3)";
  const std::pair<std::string, std::string> contents[] = {{"'<f8'", bytes_of(counting<double>())},
                                                          {"'<f4'", bytes_of(counting<float>())},
                                                          {"'<i4'", bytes_of(counting<std::int32_t>())},
                                                          {"'<i8'", bytes_of(counting<std::int64_t>())}};
  for (const auto& [type, bytes] : contents) {
    const std::string file = npy("'descr': " + type + shape, bytes);
    expect_counting(read_whole({.path = files.write("p.npy", file)}));
    expect_counting(read_whole({.path = files.write("p.npy.gz", gzipped(file))}));
    expect_counting(read_whole({.path = files.write("p.npy.xz", xz_compressed(file))}));
  }
}

TEST(Npy, ReadsOneDimensionAsOneColumn) {
  const WrittenFiles files;
  const std::string file = npy("'descr': '<f8', 'fortran_order': False, 'shape': (300,)", bytes_of(counting<double>()));
  const auto points = read_whole({.path = files.write("p.npy", file)});
  EXPECT_EQ(points.dimension, 1);
  EXPECT_EQ(points.values, counting<double>());
  const auto shape = peek_point_shape({.path = files.path("p.npy")});
  EXPECT_TRUE(shape && shape->points == 300 && shape->dimension == 1);
}

TEST(Npy, RefusesWhatIsNoMatrixOfNumbers) {
  const WrittenFiles files;
  const std::string values = bytes_of(counting<double>());
  const std::pair<const char*, const char*> cases[] = {
      {"'descr': '<f8', 'fortran_order': Maybe, 'shape': (100, 3)", "fortran_order"},
      {"'descr': '<f8', 'fortran_order': False, 'shape': ()", "two dimensions"},
      {"'descr': '<f8', 'fortran_order': False, 'shape': (10, 10, 3)", "two dimensions"},
      {"'descr': '>c8', 'fortran_order': False, 'shape': (100, 3)", ">c8"},
      {"'descr': '<c16', 'fortran_order': False, 'shape': (50, 3)", "<c16"},
      {"'descr': '<f8', 'fortran_order': False, 'shape': (101, 3)", "truncated"},
      {"'descr': '<f8', 'fortran_order': False, 'shape': (9000000000000000000, 3)", "truncated"},
      {"'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 3)", "too large"},
      {"'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)", "holds no values"}};
  for (const auto& [dictionary, reason] : cases) {
    expect_refused({.path = files.write("p.npy", npy(dictionary, values))}, {"p.npy", reason});
  }
  expect_refused({.path = files.write("p.npy", "1,2\n3,4\n")}, {"p.npy", "is no .npy file"});
  const std::string good = npy(cases[5].first, values);
  expect_refused({.path = files.write("p.npy.gz", gzipped(good))}, {"p.npy.gz", "truncated"});
  expect_refused({.path = files.write("p.npy", good.substr(0, 40))}, {"p.npy", "truncated"});
  expect_refused({.path = files.write("p.npy", npy("'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)",
                                                   bytes_of(std::vector<double>{1}))),
                  .label = "x"},
                 {"parameter label = x", "holds no labels"});
}

TEST(Raw, ReadsItsNumbersPlainAndCompressed) {
  const WrittenFiles files;
  const std::string singles = bytes_of(counting<float>());
  const std::string doubles = bytes_of(counting<double>());
  expect_counting(read_whole({.path = files.write("p.f32", singles), .dimension = 3}));
  expect_counting(read_whole({.path = files.write("p.f32le.gz", gzipped(singles)), .dimension = 3}));
  expect_counting(read_whole({.path = files.write("p.f64", doubles), .dimension = 3}));
  expect_counting(read_whole({.path = files.write("p.raw64.xz", xz_compressed(doubles)), .dimension = 3}));
}

TEST(Raw, NeedsADimensionThatFits) {
  const WrittenFiles files;
  const std::string path = files.write("p.f64", bytes_of(counting<double>()));
  expect_refused({.path = path}, {"parameter dimension"}, ErrorKind::usage);
  expect_refused({.path = path, .dimension = 7}, {"p.f64", "not an integer number of rows of 7"});
  expect_refused({.path = files.write("p.f64", "12345"), .dimension = 1},
                 {"p.f64", "not an integer number of 8-byte values"});
  expect_refused({.path = files.write("p.f64", ""), .dimension = 1}, {"p.f64"});
}

TEST(Raw, NamesTheEntryThatIsNotFinite) {
  const WrittenFiles files;
  auto values = counting<double>();
  values[71 * d + 2] = std::numeric_limits<double>::quiet_NaN();
  expect_refused({.path = files.write("p.f64", bytes_of(values)), .dimension = 3}, {"p.f64", "entry (71, 2) is nan"});
  values[71 * d + 2] = 1e300;
  const std::string path = files.write("p.f64", bytes_of(values));
  expect_error([&] { (void)read_points<float>(world(), {.path = path, .dimension = 3}); }, ErrorKind::input,
               {"entry (71, 2)", "single precision"});
}

// Rank 0 writes; what stands beside the points depends on `labels`: "", "fixed", "variable", "integer".
std::string write_hdf5(const WrittenFiles& files, const std::string& name, const std::string& labels, Index count = n) {
  if (world().is_root()) {
    using hdf5::Handle;
    const Handle file(H5Fcreate(files.path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const auto values = counting<float>();
    const auto put = [&](const char* set_name, hid_t type, int rank, const hsize_t* shape, const void* data) {
      const Handle space(H5Screate_simple(rank, shape, nullptr), H5Sclose);
      const Handle set(H5Dcreate2(file.id(), set_name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
      EXPECT_GE(H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    };
    const hsize_t shape[] = {n, d};
    put("points", H5T_NATIVE_FLOAT, 2, shape, values.data());
    put("other", H5T_NATIVE_FLOAT, 2, shape, values.data());
    const hsize_t list[] = {static_cast<hsize_t>(count)};
    std::vector<std::string> texts;
    for (Index i = 0; i < count; ++i) texts.push_back(std::to_string(i * i));
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    if (labels == "fixed") {
      H5Tset_size(text.id(), 6);
      std::string bytes;
      for (std::string label : texts) label.resize(6, '\0'), bytes += label;
      put("labels", text.id(), 1, list, bytes.data());
    } else if (labels == "variable") {
      H5Tset_size(text.id(), H5T_VARIABLE);
      std::vector<const char*> pointers;
      for (const std::string& label : texts) pointers.push_back(label.c_str());
      put("labels", text.id(), 1, list, pointers.data());
    } else if (labels == "integer") {
      std::vector<std::int32_t> numbers;
      for (Index i = 0; i < count; ++i) numbers.push_back(static_cast<std::int32_t>(i * i));
      put("labels", H5T_NATIVE_INT32, 1, list, numbers.data());
    } else if (labels == "real") {
      const std::vector<double> numbers(count, 0.5);
      put("labels", H5T_NATIVE_DOUBLE, 1, list, numbers.data());
    }
  }
  world().barrier();
  return files.path(name);
}

TEST(Hdf5, ReadsPointsWithLabelsOfEveryType) {
  const WrittenFiles files;
  Labels expected;
  for (Index i = 0; i < n; ++i) expected.push_back(std::to_string(i * i));
  for (const char* labels : {"fixed", "variable", "integer"}) {
    const auto points = read_whole({.path = write_hdf5(files, "p.h5", labels), .label = "labels"});
    expect_counting(points);
    EXPECT_EQ(points.labels, expected) << labels;
  }
  const auto unlabelled = read_whole({.path = write_hdf5(files, "p.h5", ""), .dataset = "other"});
  expect_counting(unlabelled);
  EXPECT_TRUE(unlabelled.labels.empty());
}

TEST(Hdf5, RefusesWhatDoesNotFit) {
  const WrittenFiles files;
  expect_refused({.path = write_hdf5(files, "p.h5", ""), .label = "labels"}, {"p.h5", "there is none"});
  expect_refused({.path = write_hdf5(files, "p.h5", "fixed", n - 1)}, {"p.h5", "one label a point"});
  expect_refused({.path = write_hdf5(files, "p.h5", "real")}, {"p.h5", "neither strings nor integers"});
  expect_refused({.path = write_hdf5(files, "p.h5", ""), .dataset = "none"}, {"p.h5", "has no data set 'none'"});
  expect_refused({.path = write_hdf5(files, "p.h5", "fixed"), .dataset = "labels"}, {"p.h5", "not two-dimensional"});
  expect_refused({.path = files.write("q.h5", "no HDF5")}, {"q.h5", "no readable HDF5 file"});
}

}  // namespace
}  // namespace cairn::test::binary_points_test

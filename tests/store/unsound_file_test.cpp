// A file that cannot be trusted is refused on all ranks, with its name and a reason.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <vector>

#include "cairn/store/hdf5/result_layout.hpp"
#include "edited_file.hpp"

namespace cairn::test::unsound_file_test {
namespace {

using hdf5::Handle;

// Every rank sees Error(input) with the file's name and `reason`.
void expect_refused(const std::string& path, const std::string& reason) {
  std::string message = "nothing was thrown";
  bool is_input = false;
  try {
    static_cast<void>(read_result<double>(world(), path));
  } catch (const Error& error) {
    message = error.what();
    is_input = error.kind() == ErrorKind::input;
  }
  EXPECT_TRUE(is_input) << message;
  EXPECT_NE(message.find(reason), std::string::npos) << message << "\nlacks: " << reason;
  EXPECT_NE(message.find(path), std::string::npos) << message;
}

void expect_all_refuse(const std::string& path, const std::string& reason) {
  expect_refused(path, reason);
  EXPECT_THROW(static_cast<void>(read_result_shape(world(), path)), Error);
  EXPECT_THROW(static_cast<void>(read_result_description(world(), path)), Error);
}

TEST(UnsoundFile, MissingOrNoFileIsRefused) {
  const TemporaryFolder folder;
  expect_all_refuse(folder.file("missing.h5"), "No such file");
  expect_all_refuse(folder.path(), "is not a file");
}

TEST(UnsoundFile, TextOrNothingIsRefused) {
  const TemporaryFolder folder;
  on_root([&] { std::ofstream(folder.file("text.h5")) << "1,2,3\n"; });
  on_root([&] { std::ofstream(folder.file("empty.h5")) << ""; });
  expect_all_refuse(folder.file("text.h5"), "not an HDF5 file");
  expect_all_refuse(folder.file("empty.h5"), "not an HDF5 file");
}

TEST(UnsoundFile, CutShortIsRefusedAtAnyLength) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_sample<double>({}, path);
  const auto size = static_cast<Index>(std::filesystem::file_size(path));
  world().barrier();
  for (const Index length : {size - 1, size - 8, size * 3 / 4, size / 2, size / 4, Index{4096}, Index{96}, Index{8}}) {
    on_root([&] { std::filesystem::resize_file(path, static_cast<std::uintmax_t>(length)); });
    expect_all_refuse(path, "truncated");
  }
}

TEST(UnsoundFile, AnotherFormatIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  on_root([&] {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    if (!file) throw Error(ErrorKind::internal, "the test cannot write");
  });
  expect_all_refuse(path, "no result of cairn approximate");
  write_sample<double>({}, path);
  edit(path, [](hid_t file) { set_text(file, "/", "format", "another"); });
  expect_all_refuse(path, "no result of cairn approximate");
}

TEST(UnsoundFile, ANewerVersionIsRefusedWithBothVersions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_sample<double>({}, path);
  edit(path, [](hid_t file) { set_index(file, "/", "format_version", layout::newest_format_version + 1); });
  expect_all_refuse(path, "has format version 7; this program reads up to version 6");
  edit(path, [](hid_t file) { set_index(file, "/", "format_version", 0); });
  expect_all_refuse(path, "format version is 0");
}

// One change to a sound file, and what the message must hold.
struct Change {
  std::string reason;
  std::function<void(hid_t)> make;
};

void expect_each_refused(const std::vector<Change>& changes, const SampleShape& shape = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  for (const Change& change : changes) {
    write_sample<double>(shape, path);
    edit(path, change.make);
    expect_refused(path, change.reason);
  }
}

TEST(UnsoundFile, UnknownWordsAreRefused) {
  expect_each_refused({
      {"transform is 'cube'", [](hid_t file) { set_text(file, "/", "transform", "cube"); }},
      {"meaning is 'taste'", [](hid_t file) { set_text(file, "/", "meaning", "taste"); }},
      {"precision is 'half'", [](hid_t file) { set_text(file, "/", "precision", "half"); }},
      {"layout of /joining is 'tree'", [](hid_t file) { set_text(file, "joining", "layout", "tree"); }},
      {"another precision", [](hid_t file) { set_text(file, "/", "precision", "single"); }},
  });
}

TEST(UnsoundFile, MissingPartsAreRefused) {
  for (const std::string part : {"left", "joining", "report", "similarity", "scaling", "provenance"}) {
    expect_each_refused({{part, [&](hid_t file) { H5Ldelete(file, part.c_str(), H5P_DEFAULT); }}});
  }
  for (const std::string attribute : {"transform", "meaning", "symmetric", "precision", "format_version"}) {
    expect_each_refused({{attribute, [&](hid_t file) { H5Adelete(file, attribute.c_str()); }}});
  }
}

TEST(UnsoundFile, ShapesThatDisagreeAreRefused) {
  expect_each_refused({
      {"/left has 70 rows and /right has 69",
       [](hid_t file) {
         replace(file, "right", {69, 5});
       }},
      {"/joining is 7 x 5, but the factors have 7 and 4",
       [](hid_t file) {
         replace(file, "right", {70, 4});
       }},
      {"/joining is 7 x 5, but the factors have 8 and 5",
       [](hid_t file) {
         replace(file, "left", {70, 8});
       }},
      {"/left is not a matrix", [](hid_t file) { replace(file, "left", {70}); }},
      {"/left is neither a matrix nor a list",
       [](hid_t file) {
         replace(file, "left", {70, 7, 1});
       }},
      {"/labels are not one text a row", [](hid_t file) { replace(file, "labels", {70}); }},
      {"/landmarks/objects is 8 x 3, but there are 9 landmarks of dimension 3",
       [](hid_t file) {
         replace(file, "landmarks/objects", {8, 3});
       }},
      {"/landmarks/objects is 9 x 2",
       [](hid_t file) {
         replace(file, "landmarks/objects", {9, 2});
       }},
      {"/landmarks/map is 9 x 6",
       [](hid_t file) {
         replace(file, "landmarks/map", {9, 6});
       }},
      {"9 landmarks and no map", [](hid_t file) { H5Ldelete(file, "landmarks/map", H5P_DEFAULT); }},
      {"one number a coordinate", [](hid_t file) { replace(file, "scaling/shift", {2}); }},
      {"one name a coordinate",
       [](hid_t file) {
         H5Ldelete(file, "columns/names", H5P_DEFAULT);
         H5Lcreate_hard(file, "report/warnings", file, "columns/names", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {"different lengths", [](hid_t file) { replace(file, "provenance/phases/busy", {3}); }},
  });
}

TEST(UnsoundFile, ACoreMatrixOfAnotherShapeThanItSaysIsRefused) {
  expect_each_refused({{"/joining is 7 x 4", [](hid_t file) { set_index(file, "joining", "columns", 4); }}});
  expect_each_refused({{"shape that it says", [](hid_t file) { set_text(file, "joining", "layout", "identity"); }}},
                      {.layout = Layout::diagonal, .right = false});
}

TEST(UnsoundFile, LandmarksOutOfRangeOrRepeatedAreRefused) {
  expect_each_refused({
      {"/landmarks/indices holds 70",
       [](hid_t file) { set_first<Index>(file, "landmarks/indices", H5T_NATIVE_INT64, 70); }},
      {"/landmarks/indices holds -1",
       [](hid_t file) { set_first<Index>(file, "landmarks/indices", H5T_NATIVE_INT64, -1); }},
      {"/landmarks/right/indices holds 99",
       [](hid_t file) { set_first<Index>(file, "landmarks/right/indices", H5T_NATIVE_INT64, 99); }},
  });
  const Index second = sample_without_replacement(70, 9, Random(10, Stream::test))[1];
  expect_each_refused({{"/landmarks/indices holds " + std::to_string(second) + " twice",
                        [&](hid_t file) { set_first<Index>(file, "landmarks/indices", H5T_NATIVE_INT64, second); }}});
}

TEST(UnsoundFile, NumbersThatAreNotFiniteAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::string table : {"left", "right", "joining", "landmarks/objects", "landmarks/map"}) {
    expect_each_refused({{"/" + table + " holds nan in row 0, column 0",
                          [&](hid_t file) { set_first(file, table, H5T_NATIVE_DOUBLE, nan); }}});
  }
}

TEST(UnsoundFile, SizesBeyondTheFileAreRefusedBeforeMemoryIsTaken) {
  const hsize_t huge = hsize_t{1} << 40;
  expect_each_refused({
      {"claims 1099511627776 x 7 elements",
       [&](hid_t file) {
         replace(file, "left", {huge, 7}, H5T_IEEE_F64LE, H5D_ALLOC_TIME_LATE);
       }},
      {"does not hold",
       [](hid_t file) {
         replace(file, "left", {70, 7}, H5T_IEEE_F64LE, H5D_ALLOC_TIME_LATE);
       }},
      {"a list that fits",
       [&](hid_t file) { replace(file, "report/spectrum", {huge}, H5T_IEEE_F64LE, H5D_ALLOC_TIME_LATE); }},
      {"is chunked",
       [](hid_t file) {
         replace(file, "left", {70, 7}, H5T_IEEE_F64LE, H5D_ALLOC_TIME_EARLY, {70, 7});
       }},
  });
}

TEST(UnsoundFile, ASparseFactorThatDoesNotFitTheRestIsRefused) {
  expect_each_refused(
      {
          {"the attribute layout", [](hid_t file) { replace(file, "joining", {7}); }},
          {"/left is sparse and /joining is not in tiles",
           [](hid_t file) { set_text(file, "joining", "layout", "dense"); }},
          {"/left is sparse and there is a /right",
           [](hid_t file) {
             add(file, "right", {70, 7});
           }},
          {"/joining is 6 x 7, but the factors have 7 and 7",
           [](hid_t file) { set_index(file, "joining", "rows", 6); }},
          {"7 rows in tiles of 3", [](hid_t file) { set_index(file, "joining", "order", 3); }},
          {"another precision", [](hid_t file) { set_text(file, "/", "precision", "single"); }},
          {"the column 1000 after", [](hid_t file) { set_first<Index>(file, "left/indices", H5T_NATIVE_INT64, 1000); }},
          {"goes from 1", [](hid_t file) { set_first<Index>(file, "left/indptr", H5T_NATIVE_INT64, 1); }},
          {"/joining is not symmetric: rows 0 and 1",
           [](hid_t file) {
             const std::vector<hsize_t> corner{1, 0};
             const Handle dataset(H5Dopen2(file, "joining", H5P_DEFAULT), H5Dclose);
             const Handle space(H5Dget_space(dataset.id()), H5Sclose);
             ASSERT_GE(H5Sselect_elements(space.id(), H5S_SELECT_SET, 1, corner.data()), 0);
             const Handle memory(H5Screate(H5S_SCALAR), H5Sclose);
             const std::uint16_t value = 5;
             ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_UINT16, memory.id(), space.id(), H5P_DEFAULT, &value), 0);
           }},
          {"/landmarks/indices holds 70",
           [](hid_t file) { set_first<Index>(file, "landmarks/indices", H5T_NATIVE_INT64, 70); }},
          {"/landmarks/indices holds 99, but the data set's rows go from 0 to 69",
           [](hid_t file) {
             set_index(file, "landmarks", "population", 1'000'000'000);
             set_first<Index>(file, "landmarks/indices", H5T_NATIVE_INT64, 99);
           }},
          {"/landmarks/map maps the landmarks of a sparse factor, which are its columns",
           [](hid_t file) {
             add(file, "landmarks/map", {5, 7});
             replace(file, "landmarks/indices", {5}, H5T_STD_I64LE);
             const Handle dataset(H5Dopen2(file, "landmarks/indices", H5P_DEFAULT), H5Dclose);
             const std::array<Index, 5> indices{0, 1, 2, 3, 4};
             ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, indices.data()), 0);
           }},
      },
      {.layout = Layout::tiles});
}

TEST(UnsoundFile, TilesUnderADenseFactorAreRefused) {
  expect_each_refused({{"in tiles under a factor that is not sparse",
                        [](hid_t file) { set_text(file, "joining", "layout", "symmetric-tiles"); }}});
}

TEST(UnsoundFile, OtherTypesAreRefused) {
  expect_each_refused({
      {"/left does not hold float32",
       [](hid_t file) {
         replace(file, "left", {70, 7}, H5T_STD_I32LE);
       }},
      {"does not hold integers", [](hid_t file) { replace(file, "landmarks/indices", {9}); }},
      {"does not hold floating-point", [](hid_t file) { replace(file, "report/spectrum", {3}, H5T_STD_I32LE); }},
      {"does not hold texts", [](hid_t file) { replace(file, "report/warnings", {2}); }},
  });
}

}  // namespace
}  // namespace cairn::test::unsound_file_test

#include "cairn/store/files/landmark_file.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cairn/base/error.hpp"
#include "test_communicator.hpp"

namespace cairn::landmark_file_test {
namespace {

using test::world;
using testing::ElementsAre;
using testing::HasSubstr;

// A file that root writes, the same path on every rank; removed at the end.
class LandmarkFile : public testing::Test {
 protected:
  LandmarkFile() {
    path_ = (std::filesystem::temp_directory_path() / ("cairn-landmarks-" + std::to_string(getpid()))).string();
    world().broadcast(path_, 0);
  }
  ~LandmarkFile() override {
    world().barrier();
    if (world().is_root()) std::filesystem::remove(path_);
  }

  void write(const std::string& text) const {
    if (world().is_root()) std::ofstream(path_, std::ios::binary) << text;
  }

  // A file as Cairn's results are: 64-bit integers in /landmarks/indices.
  void write_result(const std::vector<Index>& indices, const char* dataset) const {
    if (!world().is_root()) return;
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "landmarks", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t size = indices.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t data = H5Dcreate2(group, dataset, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, indices.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
  }

  [[nodiscard]] Landmarks<double> read(Index count = 0) const {
    test::Context context;
    const NumberedObjects objects(RowPartition(100, world().size()), world().rank());
    return read_landmarks<double>(context.execution, objects, path_, count);
  }

  [[nodiscard]] std::string error(Index count = 0, ErrorKind kind = ErrorKind::input) const {
    try {
      static_cast<void>(read(count));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    return "no error";
  }

  std::string path_;
};

TEST_F(LandmarkFile, HoldsOneRowNumberALineWithCommentsAndBlanks) {
  write("# chosen by hand\n3\n\n  99\t# the last object\r\n0");
  const auto landmarks = read();
  EXPECT_THAT(landmarks.indices, ElementsAre(3, 99, 0));
  EXPECT_EQ(landmarks.objects->ids, landmarks.indices);
}

TEST_F(LandmarkFile, GivesItsFirstWhereFewerAreAskedFor) {
  write("5\n4\n3\n");
  EXPECT_THAT(read(2).indices, ElementsAre(5, 4));
  EXPECT_THAT(error(4), HasSubstr("holds 3 landmarks, but parameter count is 4"));
  EXPECT_THAT(error(-1, ErrorKind::usage), HasSubstr("parameter count is -1"));
}

TEST_F(LandmarkFile, MayBeAResult) {
  write_result({7, 0, 42}, "indices");
  EXPECT_THAT(read().indices, ElementsAre(7, 0, 42));
  EXPECT_THAT(read(1).indices, ElementsAre(7));
}

TEST_F(LandmarkFile, ErrorsNameTheLine) {
  write("# comment\n1\ntwo\n");
  EXPECT_THAT(error(), HasSubstr(path_ + ":3: \"two\" is no row number"));
  write("1\n2.5\n");
  EXPECT_THAT(error(), HasSubstr(path_ + ":2: \"2.5\" is no row number"));
  write("1\n2\n100\n");
  EXPECT_THAT(error(), HasSubstr(path_ + ":3: landmark 100 is out of range; rows count from 0 to 99"));
  write("-1\n");
  EXPECT_THAT(error(), HasSubstr(path_ + ":1: landmark -1 is out of range"));
  write("8\n1\n8\n");
  EXPECT_THAT(error(), HasSubstr(path_ + ":3: landmark 8 is there already, at " + path_ + ":1"));
  write("99999999999999999999\n");
  EXPECT_THAT(error(), HasSubstr(path_ + ":1: "));
}

TEST_F(LandmarkFile, ErrorsOfAResultNameTheEntry) {
  write_result({7, 100}, "indices");
  EXPECT_THAT(error(), HasSubstr(path_ + ": /landmarks/indices[1]: landmark 100 is out of range"));
  write_result({7, 8}, "others");
  EXPECT_THAT(error(), HasSubstr("without a data set /landmarks/indices"));
}

TEST_F(LandmarkFile, MustBeThereAndHoldSomething) {
  EXPECT_THAT(error(), HasSubstr("No such file"));
  write("");
  EXPECT_THAT(error(), HasSubstr("empty"));
  write("# nothing\n\n");
  EXPECT_THAT(error(), HasSubstr("holds no row number"));
  write("\x89HDF\r\n\x1a\n and then nothing");
  EXPECT_THAT(error(), HasSubstr("landmarks cannot be read"));
}

TEST_F(LandmarkFile, AFolderIsRefused) {
  path_ = std::filesystem::temp_directory_path().string();
  EXPECT_THAT(error(), HasSubstr("landmarks cannot be read"));
  path_ += "/cairn-no-such-file";
}

}  // namespace
}  // namespace cairn::landmark_file_test

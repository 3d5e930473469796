// Files of one name that ranks find under a path of their own: told apart, whatever their place and the byte.
#include "cairn/data/io/same_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cairn/base/error.hpp"
#include "test_communicator.hpp"

namespace cairn::same_files_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Each rank in a folder of its own, as with copies on the disks of nodes.
class SameFiles : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    folder_ = fs::path(testing::TempDir()) / ("same-files." + std::to_string(getpid()));
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
    test::world().barrier();
  }

  static bool is_last() { return test::world().rank() == test::world().size() - 1; }
  static bool alone() { return test::world().size() == 1; }

  static void write(const std::string& name, const std::string& text) {
    std::ofstream(name, std::ios::binary | std::ios::trunc) << text;
  }
  static std::string refusal(ErrorKind kind = ErrorKind::input, bool sure = true) {
    try {
      require_same_files(test::world(), {{"data.path", "p.csv", sure}});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "";
  }

 private:
  fs::path before_, folder_;
};

TEST_F(SameFiles, OfTheSameBytesAreTheSame) {
  write("p.csv", "1,2\n3,4\n");
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(file_fingerprint("p.csv"), file_fingerprint("./p.csv"));
}

TEST_F(SameFiles, ThatNobodyHasAreLeftToTheirReader) { EXPECT_EQ(refusal(), ""); }

TEST_F(SameFiles, OfOneOtherByteAreToldApart) {
  if (alone()) return;
  for (const std::size_t size : {std::size_t{9}, std::size_t{5} << 20}) {
    for (const std::size_t place : {std::size_t{0}, size / 2 + 1, size - 1}) {
      std::string text(size, '1');
      if (is_last()) text[place] = '2';
      write("p.csv", text);
      EXPECT_THAT(refusal(), HasSubstr("data.path: the ranks see different files: rank " +
                                       std::to_string(test::world().size() - 1) + " on "))
          << size << " " << place;
      EXPECT_THAT(refusal(), HasSubstr(std::to_string(size) + " bytes"));
    }
  }
}

TEST_F(SameFiles, OfAnotherSizeAreToldApart) {
  if (alone()) return;
  std::string text(std::size_t{20} << 20, '1');
  if (is_last()) text += '1';
  write("p.csv", text);
  EXPECT_THAT(refusal(), HasSubstr("different files"));
}

TEST_F(SameFiles, ThatOneRankDoesNotFindAreNamedAsThat) {
  if (alone()) return;
  if (!is_last()) write("p.csv", "1,2\n");
  EXPECT_THAT(refusal(), HasSubstr("does not find " + std::string(testing::TempDir())));
  EXPECT_EQ(refusal(ErrorKind::input, false), "") << "a word that need not be a file";
}

TEST_F(SameFiles, MayBeFoldersOfTheSameNamesAndContents) {
  fs::create_directories("p.csv/a");
  write("p.csv/a/1.txt", "one");
  write("p.csv/.hidden", std::to_string(test::world().rank()));
  EXPECT_EQ(refusal(), "");
  if (alone()) return;
  if (is_last()) write("p.csv/a/1.txt", "One");
  EXPECT_THAT(refusal(), HasSubstr("different files"));
  write("p.csv/a/1.txt", "one");
  if (is_last()) write("p.csv/a/2.txt", "two");
  EXPECT_THAT(refusal(), HasSubstr("different files"));
}

TEST_F(SameFiles, OfAFolderOfManyAreComparedBySize) {
  fs::create_directories("p.csv");
  constexpr int count = 200;
  for (int k = 0; k < count; ++k) write("p.csv/" + std::to_string(k), "text");
  EXPECT_EQ(refusal(), "");
  for (int k = 0; k < count && !alone(); k += 20) {
    const std::string name = "p.csv/" + std::to_string(k);
    if (is_last()) write(name, "other text");
    EXPECT_THAT(refusal(), HasSubstr("different files")) << name;
    write(name, "text");
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(SameFiles, AreNoPipes) {
  ASSERT_EQ(mkfifo("p.csv", 0600), 0);
  if (alone()) {
    EXPECT_EQ(refusal(), "");
  } else {
    EXPECT_THAT(refusal(ErrorKind::usage), HasSubstr("p.csv is a pipe or a device, which ranks cannot read together"));
  }
}

}  // namespace
}  // namespace cairn::same_files_test

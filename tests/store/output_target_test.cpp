// What may be replaced, what is the same file, and texts of rank 0 on any number of ranks.
#include "cairn/store/files/output_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/replaced_file.hpp"
#include "cairn/store/text_file.hpp"
#include "expected_errors.hpp"
#include "sample_result.hpp"

namespace cairn::test::output_target_test {
namespace {

std::string write_bytes(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  if (world().is_root()) std::ofstream(folder.file(name), std::ios::binary) << bytes;
  world().barrier();
  return folder.file(name);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OutputTarget, KnowsWhatCairnWrote) {
  const TemporaryFolder folder;
  using enum OutputForm;
  const std::vector<std::tuple<OutputForm, std::string, bool>> cases = {
      {json, "{\n  \"program\": \"cairn\",\n", true},
      {json, "{\n  \"version\": \"0.1.0\",\n  \"command\": \"cairn info x.h5\"\n", true},
      {json, "{\n  \"cairn_calibration\": 3,\n", true},
      {json, "{\n  \"name\": \"a package\"\n}\n", false},
      {json, "[\"program\": \"cairn\"]", false},
      {table, "row,label,predicted\n0,a,1\n", true},
      {table, "y1,y2\n1,2\n", true},
      {table, "name,age\n", false},
      {table, "q1\tq1_r1\t0\t0.5\ttrue\n", true},
      {values, "1.5\n-2e-3\ninf\n", true},
      {values, "1.5\nchapter 1\n", false},
      {vectors, "20 3\nw 1 2 3\n", true},
      {vectors, "twenty words\n", false},
      {numpy, "\x93NUMPY\x01", true},
      {numpy, "NUMPY", false},
      {result, "\x89HDF\r\n\x1a\n and what is damaged: cairn-approximation", true},
      {result, "\x89HDF\r\n\x1a\n of another program", false},
      {result, "\x89HDF\r\n\x1a\n cairn-model", false},
      {model, "\x89HDF\r\n\x1a\n cairn-model", true},
      {model, "\x89HDF\r\n\x1a\n cairn-embedding", false},
      {plan, "\x89HDF\r\n\x1a\n cairn-transport", true},
      {sparse_operator, "\x89HDF\r\n\x1a\n cairn-operator", true},
      {data, "\x89HDF\r\n\x1a\n cairn-embedding", true},
      {data, "\x89HDF\r\n\x1a\n cairn-table", true},
      {data, "\x89HDF\r\n\x1a\n cairn-approximation", false},
      {fields, "\x89HDF\r\n\x1a\n cairn-approximation", false},
      {xdmf, "<?xml?>\n<Xdmf Version=\"3.0\">\n<Grid Name=\"cairn\">", true},
      {xdmf, "<?xml?>\n<Xdmf Version=\"3.0\">\n<Grid Name=\"mine\">", false},
  };
  for (const auto& [form, text, own] : cases) {
    const std::string path = write_bytes(folder, "f", text);
    EXPECT_EQ(own, is_of_cairn(path, form)) << text;
    if (own) {
      EXPECT_NO_THROW(require_replaceable(world(), path, form));
    } else {
      EXPECT_THROW(require_replaceable(world(), path, form), Error);
    }
    world().barrier();
  }
  EXPECT_NO_THROW(require_replaceable(world(), write_bytes(folder, "empty", ""), json));
  EXPECT_NO_THROW(require_replaceable(world(), folder.file("none"), json));
}

TEST(OutputTarget, ComparesFilesNotNames) {
  const TemporaryFolder folder;
  if (world().is_root()) {
    std::filesystem::create_symlink("new.h5", folder.file("link"));
    std::filesystem::create_directory_symlink(".", folder.file("here"));
  }
  world().barrier();
  for (const char* other : {"new.h5", "./new.h5", "here/new.h5", "none/../new.h5", "link"}) {
    EXPECT_TRUE(same_output(folder.file("new.h5"), folder.file(other))) << other;
  }
  EXPECT_FALSE(same_output(folder.file("new.h5"), folder.file("new.json")));
  EXPECT_FALSE(same_output("/dev/null", "/dev/null"));
  EXPECT_EQ(1, own_descriptor("/dev/stdout"));
  EXPECT_EQ(2, own_descriptor("/proc/self/fd/2"));
  EXPECT_TRUE(is_stream("/dev/stdout"));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream(folder.file("new.h5")));
}

TEST(InputFile, SaysThatItWasReplacedWhileItWasRead) {
  const TemporaryFolder folder;
  const hdf5::FilesStay files_stay;
  write_sample<double>({}, folder.file("a.h5"));
  const hdf5::InputFile before(folder.file("a.h5"));
  const auto refuse = [&] { before.refuse("its checksum is another one"); };
  expect_error(refuse, ErrorKind::input, {"make it again"});
  world().barrier();
  write_sample<double>({.rows = 90}, folder.file("a.h5"));
  expect_error(refuse, ErrorKind::input, {"a.h5 changed while it was read"});
}

// How often this process has a file open.
int open_descriptors(const std::string& path) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code code;
    count += std::filesystem::read_symlink(entry.path(), code) == std::filesystem::canonical(path) ? 1 : 0;
  }
  return count;
}

TEST(InputFile, IsOpenedOnceWhileFilesStay) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.h5");
  write_sample<double>({}, path);
  const auto rows = [&] { return hdf5::InputFile(path).table("left").rows; };
  const Index few = rows();
  EXPECT_EQ(0, open_descriptors(path));
  {
    const hdf5::FilesStay files_stay;
    EXPECT_EQ(few, rows());
    EXPECT_EQ(1, open_descriptors(path));
    EXPECT_EQ(few, rows());
    EXPECT_EQ(1, open_descriptors(path));
    world().barrier();
    write_sample<double>({.rows = 90}, folder.file("b.h5"));
    if (world().is_root()) {  // in place, as a copy is
      std::filesystem::copy_file(folder.file("b.h5"), path, std::filesystem::copy_options::overwrite_existing);
    }
    world().barrier();
    EXPECT_EQ(90, rows());
    hdf5::close_kept_files();
    EXPECT_EQ(0, open_descriptors(path));
    EXPECT_EQ(90, rows());
    world().barrier();
    if (world().is_root()) hdf5::close_file(hdf5::open_alone(path));  // HDF5 refuses this where it reads the file
    world().barrier();
  }
  EXPECT_EQ(0, open_descriptors(path));
}

TEST(TextFile, TakesTheNameWhenItIsComplete) {
  const TemporaryFolder folder;
  const std::string path = write_bytes(folder, "t.csv", "old"), beside = write_bytes(folder, "t.csv.partial", "mine");
  if (world().is_root()) ::chmod(path.c_str(), 0600);
  world().barrier();
  {
    TextFile file(world(), path);
    file.append("lost\n");
  }
  world().barrier();
  EXPECT_EQ("old", bytes_of(path));
  {
    TextFile file(world(), path);
    file.append("a\n");
    EXPECT_EQ("old", bytes_of(path));
    world().barrier();
    file.append("b\n");
    file.complete();
  }
  EXPECT_EQ("a\nb\n", bytes_of(path));
  EXPECT_EQ("mine", bytes_of(beside));
  EXPECT_EQ(std::filesystem::perms(0600), std::filesystem::status(path).permissions());
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("t.csv", "t.csv.partial"));
}

}  // namespace
}  // namespace cairn::test::output_target_test

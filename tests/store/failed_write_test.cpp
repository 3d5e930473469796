// A write that fails leaves the old file as it was, nothing beside it, and one error on all ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/partial_file.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/fields_file.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "sample_result.hpp"

namespace cairn::test::failed_write_test {
namespace {

// While it lives, this process cannot make files longer than `bytes`: writing beyond fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limited{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, before_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*before_)(int);
  rlimit old_{};
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Action>
std::optional<Error> error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

void expect_error(const std::optional<Error>& error, ErrorKind kind, const std::string& reason) {
  const std::string message = error ? error->what() : "nothing was thrown";
  EXPECT_TRUE(error && error->kind() == kind) << message;
  EXPECT_NE(message.find(reason), std::string::npos) << message;
}

// Writes a good file, then fails to write another over it on the ranks with a limit.
void expect_old_file_survives(bool limited, rlim_t bytes, const SampleShape& large) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_sample<double>({}, path);
  const std::string before = bytes_of(path);
  std::optional<FileSizeLimit> limit;
  if (limited) limit.emplace(bytes);
  const auto error = error_of([&] { write_sample<double>(large, path); });
  limit.reset();
  expect_error(error, ErrorKind::resource, "");
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_THAT(folder.names(), testing::ElementsAre("x.h5"));
  write_sample<double>({.rows = 200}, path);
  EXPECT_EQ(read_result_shape(world(), path).rows, 200);
}

const SampleShape dense{.rows = 20000, .right = false};
// Most of it is the sparse factor, or the core matrix: 2 MB each.
const SampleShape sparse{.rows = 20000, .layout = Layout::tiles, .left_columns = 30};
const SampleShape tiles{.rows = 1000, .layout = Layout::tiles, .left_columns = 1000};

TEST(FailedWrite, LeavesTheOldFileWhereThereIsNoSpace) {
  for (const SampleShape& large : {dense, sparse, tiles}) expect_old_file_survives(world().is_root(), 600 << 10, large);
}

// The last rank alone cannot write its rows: what a full disk does where space cannot be reserved.
TEST(FailedWrite, LeavesTheOldFileWhereOneRankCannotWriteItsRows) {
  for (const SampleShape& large : {dense, sparse, tiles}) {
    expect_old_file_survives(world().rank() == world().size() - 1, 600 << 10, large);
  }
}

TEST(FailedWrite, LeavesOldFieldsAndTheirText) {
  const TemporaryFolder folder;
  Context context(world());
  const auto write = [&](Index vertices) {
    FieldSet set;
    set.geometry.positions = RowBlock<double>(RowPartition(vertices, world().size()), world().rank(), 3);
    std::fill_n(set.geometry.positions.local().data, 3 * set.geometry.positions.range().size(), 1.0);
    set.fields.push_back({"value", "", "", FieldScale::sequential, -1, {}});
    set.fields.front().values.assign(set.geometry.positions.range().size(), 1.0);
    write_fields(context.execution, folder.file("x.h5"), folder.file("x.xdmf"), set);
  };
  write(50);
  const std::string before = bytes_of(folder.file("x.h5")), text = bytes_of(folder.file("x.xdmf"));
  for (const int limited : {0, world().size() - 1}) {
    std::optional<FileSizeLimit> limit;
    if (world().rank() == limited) limit.emplace(600 << 10);
    const auto error = error_of([&] { write(40000); });
    limit.reset();
    expect_error(error, ErrorKind::resource, "");
    EXPECT_EQ(bytes_of(folder.file("x.h5")), before);
    EXPECT_EQ(bytes_of(folder.file("x.xdmf")), text);
    EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("x.h5", "x.xdmf"));
  }
}

TEST(FailedWrite, SaysBeforeItStartsThatTheDiskIsTooSmall) {
  const TemporaryFolder folder;
  int mounted = 0;
  if (world().is_root()) mounted = ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=512k") == 0 ? 1 : 0;
  world().broadcast(std::span(&mounted, 1), 0);
  if (mounted == 0) GTEST_SKIP() << "a small disk takes the right to mount one: run it as root";
  const auto error = error_of([&] { write_sample<double>({.rows = 20000}, folder.file("x.h5")); });
  expect_error(error, ErrorKind::resource, "no room for the result");
  EXPECT_TRUE(folder.names().empty());
  world().barrier();
  if (world().is_root()) ::umount(folder.path().c_str());
}

// HDF5 writes small data sets when they are closed: what fails then is known to the closing of the data set alone.
TEST(FailedWrite, ShowsWhereAPartOfTheFileCouldNotBeClosed) {
  const TemporaryFolder folder;
  if (world().is_root()) {
    hdf5::Handle file = hdf5::create_file(folder.file("x.h5"));
    {
      const hdf5::Handle part(1, [](hdf5::Identifier) { return -1; });
    }
    expect_error(error_of([&] { hdf5::close_file(std::move(file)); }), ErrorKind::resource, "a part of the result");
    hdf5::close_file(hdf5::create_file(folder.file("y.h5")));
  }
  world().barrier();
}

TEST(FailedWrite, NeedsAFolderThatExists) {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/x.h5");
  expect_error(error_of([&] { check_writable(world(), path); }), ErrorKind::usage, "there is no folder");
  expect_error(error_of([&] { write_sample<double>({}, path); }), ErrorKind::usage, "there is no folder");
  EXPECT_TRUE(folder.names().empty());
}

TEST(FailedWrite, DoesNotReplaceWhatIsNoFile) {
  const TemporaryFolder folder;
  expect_error(error_of([&] { check_writable(world(), folder.path()); }), ErrorKind::usage, "is not a file");
  expect_error(error_of([&] { check_writable(world(), "/dev/null"); }), ErrorKind::usage, "is not a file");
  expect_error(error_of([&] { check_writable(world(), ""); }), ErrorKind::usage, "is empty");
}

TEST(FailedWrite, CheckingLeavesNothing) {
  const TemporaryFolder folder;
  check_writable(world(), folder.file("x.h5"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(FailedWrite, RefusesAWrongNumberOfLabels) {
  const TemporaryFolder folder;
  Context context;
  const auto approximation = sample_approximation<double>({});
  const std::vector<std::string> labels(world().rank() + 1, "x");
  const auto error = error_of([&] {
    write_result(context.execution, folder.file("x.h5"), approximation, sample_description("double", 3), labels);
  });
  expect_error(error, ErrorKind::internal, "labels for");
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, IsRemovedWithoutCommit) {
  const TemporaryFolder folder;
  {
    const AtomicFile file(world(), folder.file("x.h5"));
    EXPECT_TRUE(std::filesystem::exists(file.partial_path()));
    world().barrier();
  }
  world().barrier();
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, IsRemovedByASignalHandlerOnAnyRank) {
  const TemporaryFolder folder;
  const AtomicFile file(world(), folder.file("x.h5"));
  if (world().rank() == world().size() - 1) remove_partial_file_from_signal_handler();
  world().barrier();
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, SignalHandlerLeavesAFinishedFile) {
  const TemporaryFolder folder;
  write_sample<double>({}, folder.file("x.h5"));
  remove_partial_file_from_signal_handler();
  world().barrier();
  EXPECT_THAT(folder.names(), testing::ElementsAre("x.h5"));
}

TEST(AtomicFile, KeepsASymbolicLink) {
  const TemporaryFolder folder;
  if (world().is_root()) std::filesystem::create_symlink("target.h5", folder.file("link.h5"));
  world().barrier();
  write_sample<double>({}, folder.file("link.h5"));
  write_sample<double>({.rows = 90}, folder.file("link.h5"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.h5")));
  EXPECT_EQ(read_result_shape(world(), folder.file("target.h5")).rows, 90);
}

}  // namespace
}  // namespace cairn::test::failed_write_test

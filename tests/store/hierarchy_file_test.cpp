// /hierarchy of a result: what is written is read again, and nothing of it is trusted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "edited_file.hpp"
#include "similarity/shared_graphs.hpp"

namespace cairn::test::hierarchy_file_test {
namespace {

constexpr Index vertices = 70;

std::unique_ptr<PathLength> sample_lengths(int longest) {
  return make_path_length(world(), share(vertices, random_graph(vertices, 60, longest, 3), longest > 1), "hierarchy");
}

void write_with(const std::string& path, const PathLength& lengths) {
  Context context;
  const auto part = lengths.stored_hierarchy(world().rank(), world().size());
  write_result(context.execution, path, sample_approximation<double>({.layout = Layout::tiles}),
               sample_description("double", 3), {}, Compression::none, {}, {.hierarchy = &*part});
}

std::vector<double> all_lengths(const PathLength& lengths) {
  std::vector<Index> sources(lengths.size());
  std::iota(sources.begin(), sources.end(), 0);
  std::vector<double> out(sources.size() * sources.size());
  lengths.to_all(sources, {out.data(), lengths.size(), lengths.size()});
  return out;
}

TEST(HierarchyFile, GivesTheLengthsAgain) {
  const TemporaryFolder folder;
  for (const int longest : {1, 1000, 1'000'000, 2'000'000'000}) {
    SCOPED_TRACE(longest);
    const auto made = sample_lengths(longest);
    write_with(folder.file("x.h5"), *made);
    const ResultShape shape = read_result_shape(world(), folder.file("x.h5"));
    EXPECT_TRUE(shape.has_hierarchy());
    EXPECT_GE(shape.hierarchy_arcs, vertices - 1);
    const auto read = read_path_lengths(world(), folder.file("x.h5"));
    ASSERT_NE(nullptr, read);
    EXPECT_EQ(made->traits(), read->traits());
    EXPECT_EQ(all_lengths(*made), all_lengths(*read));
    static_cast<void>(read_result<double>(world(), folder.file("x.h5")));
  }
}

TEST(HierarchyFile, MayBeAbsent) {
  const TemporaryFolder folder;
  write_sample<double>({.layout = Layout::tiles}, folder.file("x.h5"));
  EXPECT_FALSE(read_result_shape(world(), folder.file("x.h5")).has_hierarchy());
  EXPECT_EQ(nullptr, read_path_lengths(world(), folder.file("x.h5")));
}

void expect_refused(const std::string& path, const std::string& reason) {
  std::string message = "nothing was thrown";
  bool is_input = false;
  try {
    static_cast<void>(read_path_lengths(world(), path));
  } catch (const Error& error) {
    message = error.what();
    is_input = error.kind() == ErrorKind::input;
  }
  EXPECT_TRUE(is_input) << message;
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr(reason), testing::HasSubstr(path)));
}

TEST(HierarchyFile, ThatIsDamagedIsRefusedOnAllRanks) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  const auto lengths = sample_lengths(1000);
  const auto expect = [&](const std::function<void(hid_t)>& damage, const std::string& reason) {
    write_with(path, *lengths);
    edit(path, damage);
    expect_refused(path, reason);
  };
  const std::string not_one = "/hierarchy is not a hierarchy of 70 vertices";
  expect([](hid_t f) { H5Ldelete(f, "hierarchy/heads", H5P_DEFAULT); }, "hierarchy/heads");
  expect([](hid_t f) { replace(f, "hierarchy/vertices", {69}, H5T_STD_I32LE); }, not_one);
  expect([](hid_t f) { replace(f, "hierarchy/vertices", {70}, H5T_STD_I64LE); }, not_one);
  expect([](hid_t f) { replace(f, "hierarchy/depths", {70, 1}, H5T_STD_U16LE); }, not_one);
  expect([](hid_t f) { replace(f, "hierarchy/lengths", {5}, H5T_STD_U16LE); }, not_one);
  expect([](hid_t f) { replace(f, "hierarchy/heads", {5}, H5T_STD_U16LE); }, not_one);
  expect([](hid_t f) { replace(f, "hierarchy/vertices", {70}, H5T_STD_I32LE); }, "or a duplicate");
  expect([](hid_t f) { set_first<std::uint16_t>(f, "hierarchy/depths", H5T_NATIVE_UINT16, 9); }, "the depth 9");
  expect([](hid_t f) { set_first<std::uint16_t>(f, "hierarchy/degrees", H5T_NATIVE_UINT16, 9); }, "/hierarchy");
  expect([](hid_t f) { set_first<std::uint16_t>(f, "hierarchy/heads", H5T_NATIVE_UINT16, 9); }, "to depth 9");
}

// One bit, which the checksum tells.
TEST(HierarchyFile, HasChecksums) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  write_with(path, *sample_lengths(1000));
  on_root([&] {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    set_first<std::uint16_t>(file.id(), "hierarchy/lengths", H5T_NATIVE_UINT16, 3);
  });
  expect_refused(path, "hierarchy/lengths");
}

}  // namespace
}  // namespace cairn::test::hierarchy_file_test

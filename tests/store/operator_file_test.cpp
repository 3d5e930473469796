#include "cairn/store/files/operator_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "approximation/interpolation_problem.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/points/generator.hpp"
#include "cairn/operator/neighbor_operator.hpp"
#include "edited_file.hpp"

namespace cairn::operator_file_test {
namespace {

using test::Context;
using test::world;

constexpr std::uint64_t digest = 0xfedcba9876543210ULL;

// A path of its own for each number of ranks, since these run side by side.
std::string path_of(const std::string& name) {
  return (std::filesystem::temp_directory_path() /
          ("cairn_operator_" + name + "_" + std::to_string(world().size()) + ".h5"))
      .string();
}

class OperatorFile : public testing::Test {
 public:
  explicit OperatorFile() : path_(path_of(testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~OperatorFile() override {
    world().barrier();
    if (world().is_root()) std::filesystem::remove(path_);
  }

 protected:
  std::string path_;
  Context context_;
};

template <class T>
bool same(const NodeArray<T>& a, const NodeArray<T>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.values().data(), b.values().data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

void expect_same(const BiharmonicOperator& a, const BiharmonicOperator& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_TRUE(same(a.starts, b.starts));
  EXPECT_TRUE(same(a.neighbors, b.neighbors));
  EXPECT_TRUE(same(a.weights, b.weights));
  EXPECT_TRUE(same(a.degrees, b.degrees));
  EXPECT_TRUE(same(a.inverse_mass, b.inverse_mass));
}

ErrorKind kind_of_reading(const Execution& execution, const std::string& path, const OperatorOrigin& expected,
                          const std::string& words) {
  try {
    static_cast<void>(read_operator(execution, path, expected));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error: " << words;
  return ErrorKind::internal;
}

TEST_F(OperatorFile, GivesTheSameOperatorOnAnyNumberOfRanks) {
  const auto plain = test::grid_graph(23, 31, 0.2, 5);
  for (const auto& graph : {plain, weighted(plain, 5)}) {
    write_operator(context_.execution, path_, test::operator_of(world(), graph), {digest, "none", {{"t", "20"}}});
    expect_same(read_operator(context_.execution, path_, {digest, "none", {}}), test::operator_of(world(), graph));
    const Communicator self(MPI_COMM_SELF);
    const Context alone(self);
    expect_same(read_operator(alone.execution, path_, {digest, "none", {}}), test::operator_of(self, graph));
    world().barrier();
  }
}

TEST_F(OperatorFile, WrittenByOneRankIsReadByAll) {
  const auto graph = weighted(test::grid_graph(23, 31, 0.2, 5), 5);
  if (world().is_root()) {
    const Communicator self(MPI_COMM_SELF);
    const Context alone(self);
    write_operator(alone.execution, path_, test::operator_of(self, graph), {digest, "none", {}});
  }
  world().barrier();
  expect_same(read_operator(context_.execution, path_, {digest, "none", {}}), test::operator_of(world(), graph));
}

TEST_F(OperatorFile, OfOtherDataIsRefused) {
  const auto graph = test::grid_graph(9, 8, 0.2, 5);
  write_operator(context_.execution, path_, test::operator_of(world(), graph), {digest, "standard", {}});
  EXPECT_EQ(kind_of_reading(context_.execution, path_, {digest + 1, "standard", {}}, "other data"), ErrorKind::input);
  EXPECT_EQ(kind_of_reading(context_.execution, path_, {digest, "none", {}}, "parameter scaling = standard"),
            ErrorKind::input);
  EXPECT_EQ(kind_of_reading(context_.execution, path_ + ".not", {digest, "none", {}}, path_ + ".not"),
            ErrorKind::input);
}

TEST_F(OperatorFile, WeightsThatAreNotTheOnesThatItSaysAreRefused) {
  const auto graph = weighted(test::grid_graph(9, 8, 0.2, 5), 5);
  write_operator(context_.execution, path_, test::operator_of(world(), graph), {digest, "none", {}});
  test::edit(path_, [](hid_t file) { test::set_flag(file, "/", "unit_weights", true); });
  EXPECT_EQ(kind_of_reading(context_.execution, path_, {digest, "none", {}}, "/weights holds other numbers than 1"),
            ErrorKind::input);
}

}  // namespace
}  // namespace cairn::operator_file_test

// Rows of tables of path lengths against lengths that are found one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "shared_graphs.hpp"
#include "test_communicator.hpp"

namespace cairn::test::path_rows_test {
namespace {

constexpr Index side = 12, n = side * side;

// More than two sweeps of 16 bits, with repeats, in no order.
std::vector<Index> many_sources() {
  std::vector<Index> sources;
  for (Index k = 0; k < 150; ++k) sources.push_back(k * 37 % n);
  return sources;
}

std::vector<Index> some_targets(bool all) {
  std::vector<Index> targets(all ? n : 75);
  for (std::size_t b = 0; b < targets.size(); ++b)
    targets[b] = all ? static_cast<Index>(b) : (static_cast<Index>(b) * 91 + 5) % n;
  return targets;
}

template <class Number>
void expect_rows(const PathLength& lengths, const std::vector<double>& truth, double scale) {
  const std::vector<Index> sources = many_sources();
  for (const bool all : {false, true}) {
    const std::vector<Index> targets = some_targets(all);
    const auto width = static_cast<Index>(targets.size());
    const Index stride = width + 3;  // the rest is somebody else's
    std::vector<Number> values(sources.size() * static_cast<std::size_t>(stride), Number{7});
    const MatrixView<Number> out(values.data(), std::ssize(sources), width, stride);
    const LengthsFound found = lengths.write_rows(sources, *lengths.prepare(targets), scale, LengthRows(out));
    double longest = 0.0;
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < width; ++b) {
        const double length = truth[sources[a] * n + targets[b]];
        longest = std::max(longest, length);
        const double written = std::is_floating_point_v<Number> ? length / scale : std::nearbyint(length / scale);
        ASSERT_NEAR(static_cast<double>(out(a, b)), written, 1e-6 * written) << a << ", " << b;
      }
      for (Index b = width; b < stride; ++b) ASSERT_EQ(out(a, b), Number{7});
    }
    EXPECT_NEAR(found.longest, longest, 1e-12 * longest);
    EXPECT_EQ(found.without_path, 0);
    EXPECT_FALSE(found.unreached || found.too_long);
  }
}

// @param lengths_of  scales the lengths of edges: 16 bits, 32 bits, doubles
void expect_all_numbers(double edge_scale) {
  Edges edges = grid_graph(side, 0.2, 9, 5);
  for (auto& [edge, length] : edges) length *= edge_scale;
  const std::vector<double> truth = all_path_lengths(n, edges);
  for (const char* method : {"hierarchy", "dijkstra"}) {
    const auto lengths = make_path_length(world(), share(n, edges, true), method);
    const double scale = edge_scale < 1.0 ? edge_scale : 1.0;
    if (edge_scale < 100.0) expect_rows<std::uint16_t>(*lengths, truth, scale);
    expect_rows<std::uint32_t>(*lengths, truth, scale);
    expect_rows<float>(*lengths, truth, 1.0);
    expect_rows<double>(*lengths, truth, 1.0);
    std::vector<Index> order = lengths->order_of(many_sources());
    std::ranges::sort(order);
    std::vector<Index> positions(order.size());
    std::iota(positions.begin(), positions.end(), Index{0});
    EXPECT_EQ(order, positions);
  }
}

TEST(PathRows, AreTheLengthsInEveryNumber) {
  expect_all_numbers(1.0);
  expect_all_numbers(10000.0);
  expect_all_numbers(1.0 / 7.0);
}

TEST(PathRows, SayWhatHasNoPathAndWhatIsTooLong) {
  Edges edges;
  for (Index v = 0; v + 1 < 40; ++v) {
    if (v != 19) add_edge(edges, v, v + 1, 5000.0);
  }
  std::vector<Index> all(40);
  std::iota(all.begin(), all.end(), Index{0});
  for (const char* method : {"hierarchy", "dijkstra"}) {
    const auto lengths = make_path_length(world(), share(40, edges, true), method);
    std::vector<std::uint16_t> values(40 * 40);
    const MatrixView<std::uint16_t> out(values.data(), 40, 40);
    const LengthsFound found = lengths->write_rows(all, *lengths->prepare(all), 1.0, LengthRows(out));
    EXPECT_EQ(found.without_path, 2 * 20 * 20);
    ASSERT_TRUE(found.unreached && found.too_long);
    EXPECT_NE(found.unreached->source / 20, found.unreached->target / 20);
    EXPECT_EQ(found.too_long->length,
              5000.0 * static_cast<double>(std::abs(found.too_long->source - found.too_long->target)));
    EXPECT_GT(found.too_long->length, 65534.0);
    EXPECT_EQ(found.longest, 19 * 5000.0);
    EXPECT_EQ(out(0, 20), no_path<std::uint16_t>);
    EXPECT_EQ(out(3, 7), 20000);
  }
}

}  // namespace
}  // namespace cairn::test::path_rows_test

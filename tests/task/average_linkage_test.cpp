#include "cairn/task/clusters/average_linkage.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/dense/process_grid.hpp"
#include "test_communicator.hpp"

namespace cairn::average_linkage_test {
namespace {

using test::world;

constexpr Index n = 70, p = 5;
constexpr std::uint64_t seed = 31;

double value(Index stream, Index row, Index column) {
  return Random(seed + static_cast<std::uint64_t>(stream), Stream::test)
      .normal(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
}

// Whole numbers with many ties: -1, 0 or 1.
double small(Index row, Index column) {
  const double x = value(7, row / 2, column);
  return x < -0.5 ? -1.0 : x > 0.5 ? 1.0 : 0.0;
}

// Squared distances on a grid of 7 x 10, (|x|², 1, x1, x2, 0) M (|y|², 1, y1, y2, 0)ᵀ: integers with a diagonal of
// zeros, out of factors that are mixed with a skew matrix, whose products are far larger and rounded.
using Entries = std::array<std::array<double, p>, p>;
constexpr Entries upper = {{{1, 3, -1, 2, 2}, {0, 1, 2, -1, 3}, {0, 0, 1, 3, -2}, {0, 0, 0, 1, 2}, {0, 0, 0, 0, 1}}};

double grid_coordinate(Index row, Index column) {
  const auto x = static_cast<double>(row % 7), y = static_cast<double>(row / 7);
  return column == 0 ? x * x + y * y : column == 1 ? 1.0 : column == 2 ? x : column == 3 ? y : 0.0;
}

double grid_entry(Index row, Index column) {
  double sum = 0.0;
  for (Index k = 0; k < p; ++k) {
    sum += grid_coordinate(row, k) * upper[k][column] / 3.0;
  }
  return sum;
}

// x with x upper / 3 = the unit vector of `column`: a column of the inverse, transposed.
std::array<double, p> unmixed(Index column) {
  std::array<double, p> x{};
  for (std::size_t k = 0; k < p; ++k) {
    double sum = static_cast<Index>(k) == column ? 3.0 : 0.0;
    for (std::size_t l = 0; l < k; ++l) sum -= x[l] * upper[l][k];
    x[k] = sum;
  }
  return x;
}

double grid_core(Index a, Index b) {
  const std::array<double, p> x = unmixed(a), y = unmixed(b);
  return x[0] * y[1] + x[1] * y[0] - 2 * x[2] * y[2] - 2 * x[3] * y[3];
}

enum class Kind { identity, signs, dense, cur, stacur, ties, grid };

double left_entry(Kind kind, Index i, Index k) {
  return kind == Kind::grid ? grid_entry(i, k) : kind == Kind::ties ? small(i, k) : value(1, i, k);
}
double right_entry(Kind kind, Index i, Index k) { return kind == Kind::cur ? value(2, i, k) : left_entry(kind, i, k); }
double core_entry(Kind kind, Index a, Index b) {
  switch (kind) {
    case Kind::signs:
      return a != b ? 0.0 : a % 2 == 0 ? 1.0 : -1.0;
    case Kind::dense:
      return value(3, std::min(a, b), std::max(a, b));
    case Kind::cur:
    case Kind::stacur:
      return value(3, a, b);
    case Kind::grid:
      return grid_core(a, b);
    default:
      return a == b ? 1.0 : 0.0;
  }
}

RowBlock<double> rows_of(double (*entry)(Kind, Index, Index), Kind kind) {
  RowBlock<double> rows(RowPartition(n, world().size()), world().rank(), p);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (Index k = 0; k < p; ++k) rows.row(i)[k] = entry(kind, i, k);
  }
  return rows;
}

Approximation<double> make(Kind kind) {
  Approximation<double> approximation;
  approximation.left = rows_of(left_entry, kind);
  if (kind == Kind::identity || kind == Kind::ties) {
    approximation.core_matrix = IdentityCore{p};
  } else if (kind == Kind::signs) {
    approximation.core_matrix = DiagonalCore{{1, -1, 1, -1, 1}};
  } else {
    BlockCyclicMatrix matrix(std::make_shared<ProcessGrid>(world()), p, p);
    matrix.fill([&](Index a, Index b) { return core_entry(kind, a, b); });
    approximation.core_matrix = DenseCore{std::move(matrix)};
  }
  if (kind == Kind::cur) approximation.right = rows_of(right_entry, kind);
  approximation.symmetric = kind != Kind::cur && kind != Kind::stacur;
  return approximation;
}

// (K~ + K~ᵀ) / 2, on every rank; of the grid itself, without rounding.
std::vector<std::vector<double>> matrix_of(Kind kind) {
  std::vector<std::vector<double>> k(n, std::vector<double>(n, 0.0));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (kind == Kind::grid) {
        const double x = grid_coordinate(i, 2) - grid_coordinate(j, 2),
                     y = grid_coordinate(i, 3) - grid_coordinate(j, 3);
        k[i][j] = x * x + y * y;
        continue;
      }
      for (Index a = 0; a < p; ++a) {
        for (Index b = 0; b < p; ++b) {
          const double x = left_entry(kind, i, a) * core_entry(kind, a, b) * right_entry(kind, j, b) / 2.0;
          k[i][j] += x;
          k[j][i] += x;
        }
      }
    }
  }
  return k;
}

// The nearest pair of all clusters, again and again, straight from the definition: averages in the order of merges.
std::vector<double> brute_force(const std::vector<std::vector<double>>& k, double sign,
                                std::vector<std::vector<Index>>* last, std::size_t stop_at) {
  std::vector<std::vector<Index>> clusters;
  for (Index i = 0; i < n; ++i) clusters.push_back({i});
  std::vector<double> averages;
  while (clusters.size() > stop_at) {
    double best = -INFINITY;
    std::size_t x = 0, y = 0;
    for (std::size_t a = 0; a < clusters.size(); ++a) {
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        double sum = 0.0;
        for (const Index i : clusters[a]) {
          for (const Index j : clusters[b]) sum += k[i][j];
        }
        const double average = sign * sum / static_cast<double>(clusters[a].size() * clusters[b].size());
        if (average > best) best = average, x = a, y = b;
      }
    }
    averages.push_back(sign * best);
    clusters[x].insert(clusters[x].end(), clusters[y].begin(), clusters[y].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(y));
  }
  if (last != nullptr) *last = clusters;
  return averages;
}

std::set<std::set<Index>> sets_of(const std::vector<Index>& cluster) {
  std::vector<std::set<Index>> sets(cluster.size());
  for (std::size_t i = 0; i < cluster.size(); ++i) sets[cluster[i]].insert(static_cast<Index>(i));
  std::set<std::set<Index>> result(sets.begin(), sets.end());
  result.erase(std::set<Index>{});
  return result;
}

std::set<std::set<Index>> sets_of(const std::vector<std::vector<Index>>& clusters) {
  std::set<std::set<Index>> result;
  for (const auto& one : clusters) result.insert({one.begin(), one.end()});
  return result;
}

TEST(AverageLinkage, OfFactorsIsThatOfTheDefinition) {
  const test::Context context;
  for (const Kind kind : {Kind::identity, Kind::signs, Kind::dense, Kind::cur, Kind::stacur}) {
    for (const Meaning meaning : {Meaning::similarity, Meaning::distance}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", meaning "
                                      << static_cast<int>(meaning));
      Approximation<double> approximation = make(kind);
      approximation.meaning = meaning;
      const auto clusters = averages_of_factors(context.execution, approximation);
      const std::vector<Merge> merges = average_linkage(context.execution, *clusters);
      constexpr std::size_t left_over = 9;
      std::vector<std::vector<Index>> last;
      const double sign = meaning == Meaning::similarity ? 1.0 : -1.0;
      const auto expected = brute_force(matrix_of(kind), sign, nullptr, 1);
      static_cast<void>(brute_force(matrix_of(kind), sign, &last, left_over));
      ASSERT_EQ(static_cast<std::size_t>(n - 1), merges.size());
      for (std::size_t m = 0; m < merges.size(); ++m) EXPECT_NEAR(expected[m], merges[m].average, 1e-11);
      EXPECT_EQ(sets_of(last), sets_of(cut(merges, static_cast<std::size_t>(n) - left_over, n)));
      const double between = (expected[39] + expected[40]) / 2.0;
      EXPECT_EQ(40U, merges_within(merges, between, meaning));
    }
  }
}

// A similarity of numbered objects, in any number type.
class Table final : public Similarity<double> {
 public:
  explicit Table(Kind kind, Meaning meaning = Meaning::similarity, bool one_sided = false)
      : Similarity<double>({.name = "table", .meaning = meaning, .one_sided = one_sided}), matrix_(matrix_of(kind)) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<double> out) const override {
    for (Index a = 0; a < rows.size(); ++a) {
      for (Index b = 0; b < columns.size(); ++b) out(a, b) = at(rows, a, columns, b);
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<double> out) const override {
    for (std::size_t a = 0; a < out.size(); ++a)
      out[a] = at(first, static_cast<Index>(a), second, static_cast<Index>(a));
  }

 private:
  [[nodiscard]] double at(const ObjectBlock& rows, Index a, const ObjectBlock& columns, Index b) const {
    return matrix_[rows.ids[a]][columns.ids[b]];
  }
  std::vector<std::vector<double>> matrix_;
};

TEST(AverageLinkage, OfTheMatrixIsThatOfItsFactors) {
  const test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  for (const Kind kind : {Kind::signs, Kind::ties}) {
    for (const Meaning meaning : {Meaning::similarity, Meaning::distance}) {
      const Table table(kind, meaning);
      const auto whole = averages_of_matrix(context.execution, table, objects);
      EXPECT_EQ(n * n, world().sum(table.evaluations()));
      Approximation<double> approximation = make(kind);
      approximation.meaning = meaning;
      const auto factors = averages_of_factors(context.execution, approximation);
      const auto a = average_linkage(context.execution, *whole), b = average_linkage(context.execution, *factors);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t m = 0; m < a.size(); ++m) {
        EXPECT_EQ(std::pair(a[m].into, a[m].from), std::pair(b[m].into, b[m].from)) << "merge " << m;
        EXPECT_NEAR(a[m].average, b[m].average, 1e-11);
      }
    }
  }
}

// With ties everywhere: the same merges as on one rank.
TEST(AverageLinkage, BreaksTiesAlikeOnAnyNumberOfRanks) {
  const test::Context context;
  const Communicator self(MPI_COMM_SELF);
  const test::Context alone(self);
  const Table table(Kind::ties);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank()), all(RowPartition(n, 1), 0);
  const auto together = averages_of_matrix(context.execution, table, objects);
  const auto single = averages_of_matrix(alone.execution, table, all);
  const auto a = average_linkage(context.execution, *together), b = average_linkage(alone.execution, *single);
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(std::pair(a[m].into, a[m].from), std::pair(b[m].into, b[m].from)) << "merge " << m;
  }
}

// Ties among distances that the factors give with rounding errors far above those of the numbers themselves.
TEST(AverageLinkage, SeesTiesThroughTheRoundingOfFactors) {
  const test::Context context;
  const Communicator self(MPI_COMM_SELF);
  const test::Context alone(self);
  Approximation<double> approximation = make(Kind::grid);
  approximation.meaning = Meaning::distance;
  const auto factors = averages_of_factors(context.execution, approximation);
  const NumberedObjects all(RowPartition(n, 1), 0);
  const Table table(Kind::grid, Meaning::distance);
  const auto whole = averages_of_matrix(alone.execution, table, all);
  const auto a = average_linkage(context.execution, *factors), b = average_linkage(alone.execution, *whole);
  const auto pairs = [](const std::vector<Merge>& merges) {  // the order among equal averages is that of their rounding
    std::set<std::pair<Index, Index>> result;
    for (const Merge& merge : merges) result.emplace(merge.into, merge.from);
    return result;
  };
  EXPECT_EQ(pairs(b), pairs(a));
  for (std::size_t m = 0; m < a.size(); ++m) EXPECT_NEAR(b[m].average, a[m].average, 1e-7);
}

TEST(AverageLinkage, CutsNumberClustersByTheirFirstObject) {
  const std::vector<Merge> merges = {{1, 4, .9}, {2, 3, .8}, {1, 2, .5}, {0, 1, .1}};
  EXPECT_THAT(cut(merges, 0, 5), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(cut(merges, 2, 5), testing::ElementsAre(0, 1, 2, 2, 1));
  EXPECT_THAT(cut(merges, 3, 5), testing::ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(cut(merges, 4, 5), testing::ElementsAre(0, 0, 0, 0, 0));
  EXPECT_EQ(2U, merges_within(merges, .8, Meaning::similarity));
  EXPECT_EQ(4U, merges_within(merges, -1, Meaning::similarity));
}

TEST(AverageLinkage, RefusesWhatHasNoAverages) {
  const test::Context context;
  Approximation<double> rooted = make(Kind::identity);
  rooted.transform = Transform::sqrt;
  EXPECT_THROW(static_cast<void>(averages_of_factors(context.execution, rooted)), Error);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const Table sided(Kind::identity, Meaning::distance, true);
  EXPECT_THROW(static_cast<void>(averages_of_matrix(context.execution, sided, objects)), Error);
}

}  // namespace
}  // namespace cairn::average_linkage_test

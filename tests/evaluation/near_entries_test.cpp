#include "cairn/approximation/near/near_entries.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "cairn/evaluation/near_check.hpp"
#include "cairn/evaluation/near_search.hpp"
#include "landmark/function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::near_entries_test {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

constexpr Index n = 200, near = 4;

// Two objects in each place, so that there are equal entries.
EntryFunction distance() {
  return [points = TestPoints(n / 2, 2)](Index i, Index j) { return std::sqrt(points.squared_distance(i / 2, j / 2)); };
}
EntryFunction kernel() {
  return [d = distance()](Index i, Index j) { return std::exp(-d(i, j)); };
}

struct Case {
  const char* name;
  Meaning meaning;
  bool symmetric;
  [[nodiscard]] EntryFunction exact() const { return meaning == Meaning::distance ? distance() : kernel(); }
  [[nodiscard]] EntryFunction approximate() const {
    return [k = exact(), same = symmetric](Index i, Index j) {
      const auto [a, b] = same ? std::minmax(i, j) : std::pair<const Index&, const Index&>(i, j);
      return k(i, j) + 0.2 * std::sin(static_cast<double>(3 * a + 7 * b));
    };
  }
};

template <class T>
Approximation<T> approximation_of(const Case& of) {  // L = K~, R = I
  Approximation<T> approximation;
  const EntryFunction value = of.approximate();
  const RowPartition partition(n, world().size());
  RowBlock<T> left(partition, world().rank(), n), right(partition, world().rank(), n);
  for (Index i = left.range().begin; i < left.range().end; ++i) {
    for (Index j = 0; j < n; ++j) {
      left.row(i)[j] = static_cast<T>(value(i, j));
      right.row(i)[j] = i == j ? T{1} : T{0};
    }
  }
  approximation.left = std::move(left);
  approximation.right = std::move(right);
  approximation.core_matrix = IdentityCore{n};
  approximation.meaning = of.meaning;
  approximation.symmetric = of.symmetric;
  return approximation;
}

// The `count` others that `value` calls nearest, of equal ones the first.
std::vector<Index> best(const Case& of, std::vector<Index> others, std::size_t count,
                        const std::function<double(Index)>& value) {
  const double sign = of.meaning == Meaning::distance ? 1.0 : -1.0;
  std::ranges::sort(others, {}, [&](Index a) { return std::pair(sign * value(a), a); });
  others.resize(std::min(others.size(), count));
  return others;
}

// Which entries are kept, by the definition.
std::set<std::pair<Index, Index>> expected_pattern(const Case& of) {
  const EntryFunction exact = of.exact(), approximate = of.approximate();
  std::vector<std::set<Index>> candidates(n);
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> others(n);
    std::iota(others.begin(), others.end(), Index{0});
    std::erase(others, i);
    for (const Index j : best(of, others, 3 * near, [&](Index o) { return approximate(i, o); })) {
      candidates[i].insert(j);
      candidates[j].insert(i);
    }
  }
  std::set<std::pair<Index, Index>> pattern;
  for (Index i = 0; i < n; ++i) {
    const auto& own = candidates[i];
    pattern.insert({i, i});
    for (const Index j : best(of, {own.begin(), own.end()}, near, [&](Index o) { return exact(i, o); })) {
      pattern.insert({i, j});
      pattern.insert({j, i});
    }
  }
  return pattern;
}

template <class T>
NearEntries<T> found(const Case& of, test::Context& context) {
  const FunctionSimilarity<T> similarity(of.exact(), of.meaning);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const NearEntries<T> entries =
      find_near_entries(context.execution, approximation_of<T>(of), similarity, objects, near);
  // Each pair once: no more than all candidates and the diagonal.
  EXPECT_LE(world().sum(similarity.evaluations()), n * (3 * near + 1));
  return entries;
}

class NearEntriesOf : public testing::TestWithParam<Case> {
 public:
  template <class T>
  void expect_definition(double tolerance) {
    test::Context context;
    const NearEntries<T> entries = found<T>(GetParam(), context);
    const EntryFunction exact = GetParam().exact(), approximate = GetParam().approximate();
    const auto expected = expected_pattern(GetParam());
    EXPECT_EQ(std::ssize(expected), kept_entries(world(), entries));
    for (Index i = entries.rows.range().begin; i < entries.rows.range().end; ++i) {
      const SparseRow<T> row = entries.rows.row(i);
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        const Index j = row.columns[e];
        ASSERT_TRUE(expected.contains({i, j})) << i << ' ' << j;
        EXPECT_NEAR(exact(i, j) - approximate(i, j), static_cast<double>(row.values[e]), tolerance) << i << ' ' << j;
      }
    }
  }
};

TEST_P(NearEntriesOf, AreThoseOfTheDefinition) { expect_definition<double>(1e-14); }
TEST_P(NearEntriesOf, AreThoseOfTheDefinitionInSinglePrecision) { expect_definition<float>(2e-6); }

TEST_P(NearEntriesOf, AreAskedForByPairRowColumnAndProduct) {
  test::Context context;
  const NearEntries<double> entries = found<double>(GetParam(), context);
  const EntryFunction exact = GetParam().exact(), approximate = GetParam().approximate();
  const auto pattern = expected_pattern(GetParam());
  const auto value = [&](Index i, Index j) { return pattern.contains({i, j}) ? exact(i, j) - approximate(i, j) : 0.0; };
  const Index row = 57;
  std::vector<Index> rows(n, row), columns(n);  // another list on every rank
  std::iota(columns.begin(), columns.end(), Index{0});
  std::rotate(columns.begin(), columns.begin() + world().rank(), columns.end());
  const KeptValues kept = kept_values(world(), entries, rows, columns);
  for (std::size_t p = 0; p < columns.size(); ++p) {
    EXPECT_EQ(pattern.contains({row, columns[p]}), kept.kept[p] != 0);
    EXPECT_NEAR(value(row, columns[p]), kept.values[p], 1e-14);
  }
  const Range own = entries.rows.range();
  const auto size = static_cast<std::size_t>(own.size());
  std::vector<double> values(size, 1.0), x(size), y(size, 2.0), transposed(size, 3.0);
  EXPECT_EQ(std::ranges::count(kept.kept, 1), std::ssize(kept_columns(world(), entries, row)));
  add_near_row(world(), entries, row, values);
  RowBlock<double> block(entries.rows.partition(), world().rank(), 2);
  std::fill_n(block.local().data, 2 * own.size(), 0.0);
  add_near_columns(entries, std::vector<Index>{row, 3}, block);
  const auto vector = [](Index i) { return std::cos(static_cast<double>(i)); };
  for (std::size_t k = 0; k < size; ++k) x[k] = vector(own.begin + static_cast<Index>(k));
  add_near_product(world(), entries, x.data(), y.data(), false);
  add_near_product(world(), entries, x.data(), transposed.data(), true);
  for (std::size_t k = 0; k < size; ++k) {
    const Index i = own.begin + static_cast<Index>(k);
    double product = 2.0, other = 3.0;
    for (Index j = 0; j < n; ++j) {
      product += value(i, j) * vector(j);
      other += value(j, i) * vector(j);
    }
    EXPECT_NEAR(1.0 + value(row, i), values[k], 1e-14);
    EXPECT_NEAR(value(i, row), block.row(i)[0], 1e-14);
    EXPECT_NEAR(value(i, 3), block.row(i)[1], 1e-14);
    EXPECT_NEAR(product, y[k], 1e-12);
    EXPECT_NEAR(other, transposed[k], 1e-12);
  }
}

// Shares and errors of the checked rows, by brute force.
TEST_P(NearEntriesOf, AreCheckedOnWholeRows) {
  test::Context context;
  const Case& of = GetParam();
  const NearEntries<double> entries = found<double>(of, context);
  const EntryFunction exact = of.exact(), approximate = of.approximate();
  const auto pattern = expected_pattern(of);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const NearCheck check = check_near_entries(context.execution, approximation_of<double>(of), entries,
                                             FunctionSimilarity<double>(exact, of.meaning), objects);
  ASSERT_EQ(near_check_rows, check.rows);
  const double sign = of.meaning == Meaning::distance ? 1.0 : -1.0;
  double kept = 0, by_factors = 0, error = 0, factor_error = 0, norm = 0;
  for (const Index j : sample_without_replacement(n, check.rows, Random(0, Stream::evaluation_rows))) {
    std::vector<Index> others(n);
    std::iota(others.begin(), others.end(), Index{0});
    std::erase(others, j);
    const auto factors = [&](Index i) { return approximate(i, j); };
    const auto both = [&](Index i) { return pattern.contains({i, j}) ? exact(i, j) : approximate(i, j); };
    const double last = sign * exact(best(of, others, near, [&](Index i) { return exact(i, j); }).back(), j);
    const auto is_true = [&](Index i) { return sign * exact(i, j) <= last; };
    kept += std::min<double>(near, std::ranges::count_if(others, [&](Index i) {
                               return pattern.contains({i, j}) && is_true(i);
                             }));
    by_factors += static_cast<double>(std::ranges::count_if(best(of, others, near, factors), is_true));
    for (Index i = 0; i < n; ++i) {
      error += std::pow(both(i) - exact(i, j), 2);
      factor_error += std::pow(factors(i) - exact(i, j), 2);
      norm += exact(i, j) * exact(i, j);
    }
  }
  const auto all = static_cast<double>(near * check.rows);
  EXPECT_DOUBLE_EQ(kept / all, check.found);
  EXPECT_DOUBLE_EQ(by_factors / all, check.found_by_factors);
  EXPECT_GT(check.found, check.found_by_factors);
  EXPECT_NEAR(std::sqrt(error / norm), check.error.relative_error, 1e-10);
  EXPECT_NEAR(std::sqrt(factor_error / norm), check.factor_error.relative_error, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NearEntriesOf,
                         testing::Values(Case{"Similarity", Meaning::similarity, true},
                                         Case{"Distance", Meaning::distance, true},
                                         Case{"Asymmetric", Meaning::similarity, false}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(NearEntries, OfAllObjectsAreK) {
  const Case of{"", Meaning::distance, true};
  test::Context context;
  const FunctionSimilarity<double> similarity(of.exact(), of.meaning);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const NearEntries<double> entries =
      find_near_entries(context.execution, approximation_of<double>(of), similarity, objects, n - 1);
  EXPECT_EQ(n * n, kept_entries(world(), entries));
}

// A run that goes on takes what was evaluated from its ledger, but never values of other pairs.
TEST(NearEntries, AreTakenFromALedgerOnlyForTheSamePairs) {
  class Remembered final : public TileLedger {
   public:
    void begin(const char* /*name*/, Index /*tiles*/) override {}
    bool get(Index tile, std::span<std::byte> bytes) override {
      const auto found = tiles.find(tile);
      if (found == tiles.end() || found->second.size() != bytes.size()) return false;
      std::ranges::copy(found->second, bytes.begin());
      return true;
    }
    void put(Index tile, std::span<const std::byte> bytes) override { tiles[tile] = {bytes.begin(), bytes.end()}; }
    std::map<Index, std::vector<std::byte>> tiles;
  };
  const Case of{"", Meaning::similarity, true}, other{"", Meaning::distance, true};
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  Phases phases;
  Remembered ledger;
  const Execution execution{world(), phases, ledger, 1, 0};
  const auto evaluations = [&](const Case& which) {
    const FunctionSimilarity<double> similarity(which.exact(), which.meaning);
    const auto entries = find_near_entries(execution, approximation_of<double>(which), similarity, objects, near);
    EXPECT_EQ(std::ssize(expected_pattern(which)), kept_entries(world(), entries));
    return std::pair(world().sum(similarity.evaluations()), world().sum(similarity.restored()));
  };
  const auto first = evaluations(of), second = evaluations(of), third = evaluations(other);
  EXPECT_GT(first.first, 0);
  EXPECT_EQ(0, first.second);
  EXPECT_EQ(0, second.first);
  EXPECT_EQ(first.first, second.second);
  EXPECT_GT(third.first, 0);
  EXPECT_EQ(0, third.second);
}

}  // namespace
}  // namespace cairn::near_entries_test

#include "cairn/similarity/cooccurrence/pmi.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/random.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/cooccurrence/symmetric_rows.hpp"
#include "test_communicator.hpp"
#include "word_objects.hpp"

namespace cairn::pmi_test {
namespace {

using test::world;

constexpr Index n = test::counted_words;

using test::count_of;

// Equations 15 and 16, by their letter; smoothing as the mean of both directions.
double expected(Index i, Index j, double smoothing, double shift, bool positive) {
  if (count_of(i, j) == 0) return 0.0;
  double sum = 0, smoothed = 0, r_i = 0, r_j = 0;
  for (Index k = 0; k < n; ++k) {
    double row = 0;
    for (Index l = 0; l < n; ++l) row += static_cast<double>(count_of(k, l));
    sum += row;
    smoothed += row > 0 ? std::pow(row, smoothing) : 0.0;
    if (k == i) r_i = row;
    if (k == j) r_j = row;
  }
  const auto direction = [&](double word, double context) {
    return std::log(static_cast<double>(count_of(i, j)) * smoothed / (word * std::pow(context, smoothing)));
  };
  const double value = 0.5 * (direction(r_i, r_j) + direction(r_j, r_i)) - shift;
  if (smoothing == 1.0) {
    EXPECT_NEAR(value + shift, std::log(static_cast<double>(count_of(i, j)) / (r_i * r_j) * sum), 1e-12);
  }
  return positive ? std::max(value, 0.0) : value;
}

std::unique_ptr<Similarity<double>> make(const Execution& execution, const WordSet& words, double smoothing,
                                         double shift, bool positive) {
  SimilarityChoice choice("pmi");
  choice.set("smoothing", std::to_string(smoothing)).set("shift", std::to_string(shift));
  choice.set("positive", positive ? "true" : "false");
  return make_similarity<double>(execution, choice, words);
}

TEST(Pmi, IsThePapersEquationForEveryPair) {
  const WordSet words = test::make_counted_words();
  test::Context context;
  for (const auto& [smoothing, shift, positive] :
       {std::tuple(1.0, 0.0, false), std::tuple(0.75, 0.5, false), std::tuple(0.75, 1.0, true)}) {
    const auto pmi = make(context.execution, words, smoothing, shift, positive);
    const std::vector<Index> columns = {70, 3, 12, 89, 0, 12};
    const auto objects = words.gather(world(), columns);
    const RowBlock<double> rows = evaluate_columns(context.execution, *pmi, words, *objects, "p", "columns");
    for (Index i = rows.range().begin; i < rows.range().end; ++i) {
      for (std::size_t b = 0; b < columns.size(); ++b) {
        EXPECT_NEAR(rows.row(i)[b], expected(i, columns[b], smoothing, shift, positive), 1e-12);
      }
    }
    std::vector<Index> first = {1, 44, 88, 5}, second = {30, 44, 2, 89};
    std::vector<double> values(first.size());
    const auto left = words.gather(world(), first), right = words.gather(world(), second);
    pmi->pairs(*left, *right, values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(values[k], expected(first[k], second[k], smoothing, shift, positive), 1e-12);
    }
  }
}

// Messages of one row, and of all rows, give the same.
TEST(Pmi, SendsRowsInAnyNumberOfRounds) {
  const WordSet words = test::make_counted_words();
  test::Context context;
  const CooccurrenceCounts& counts = words.counts(context.execution);
  const auto values = [](Index i, const CountRow& row, double* out) {
    for (std::size_t k = 0; k < row.others.size(); ++k) out[k] = static_cast<double>(i * n + row.others[k]);
  };
  for (const Index most : {Index{1}, Index{40}, Index{1} << 20U}) {
    const BalancedRows<double> rows = symmetric_rows<double>(world(), counts, values, most);
    for (Index i = rows.rows.begin; i < rows.rows.end; ++i) {
      const BalancedRows<double>::Row row = rows.row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const Index j = row.columns[k];
        ASSERT_GT(count_of(i, j), 0);
        ASSERT_EQ(row.values[k], static_cast<double>(std::max(i, j) * n + std::min(i, j)));
      }
    }
  }
}

TEST(Pmi, OfPairsNeedsTheirEntriesAlone) {
  const WordSet words = test::make_counted_words();
  test::Context context;
  const auto pmi = make(context.execution, words, 1.0, 0.0, false);
  std::vector<Index> first, second;
  for (Index k = world().rank(); k < 200; ++k) {
    first.push_back(k * k % n);
    second.push_back((7 * k + 3) % n);
  }
  const ObjectPairs pairs = words.gather_pairs(world(), first, second);
  EXPECT_EQ(pairs.first->ids, first);
  EXPECT_EQ(pairs.second->ids, second);
  std::vector<double> values(first.size());
  pmi->pairs(*pairs.first, *pairs.second, values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_NEAR(values[k], expected(first[k], second[k], 1.0, 0.0, false), 1e-12);
    const auto& left = dynamic_cast<const WordBlock&>(*pairs.first);
    const auto& right = dynamic_cast<const WordBlock&>(*pairs.second);
    EXPECT_EQ(left.rows[k].others.size() + right.rows[k].others.size(), count_of(first[k], second[k]) > 0 ? 1U : 0U);
  }
}

TEST(Pmi, GivesItsNonzerosWithBothTriangles) {
  const WordSet words = test::make_counted_words();
  test::Context context;
  const auto pmi = make(context.execution, words, 1.0, 0.0, false);
  const auto rows = pmi->nonzeros(world());
  ASSERT_TRUE(rows.has_value());
  const Index entries = world().sum(rows->own_entries());
  EXPECT_EQ(n, world().sum(rows->rows.size()));
  for (Index i = rows->rows.begin; i < rows->rows.end; ++i) {
    const BalancedRows<double>::Row row = rows->row(i);
    EXPECT_LE(rows->own_entries(), entries / world().size() + n);  // of one row more at most
    std::vector<Index> together;
    for (Index j = 0; j < n; ++j) {
      if (count_of(i, j) > 0) together.push_back(j);
    }
    ASSERT_THAT(row.columns, testing::ElementsAreArray(together));
    for (std::size_t k = 0; k < together.size(); ++k) {
      EXPECT_NEAR(row.values[k], expected(i, together[k], 1.0, 0.0, false), 1e-12);
    }
  }
}

}  // namespace
}  // namespace cairn::pmi_test

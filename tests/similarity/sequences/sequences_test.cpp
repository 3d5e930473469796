// Similarities of sequences against their definitions: all common subsequences enumerated, the published recursion, the
// table of distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "cairn/base/error.hpp"
#include "cairn/data/sequences/sequence_reader.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::test::sequences_test {
namespace {

using Sequence = std::vector<std::int32_t>;
using List = std::vector<Sequence>;

// All places of `x` that are subsequences of `length` symbols, one after another.
void for_each_choice(Index size, int length, const std::function<void(const std::vector<Index>&)>& use) {
  std::vector<Index> chosen;
  const std::function<void(Index)> choose = [&](Index from) {
    if (static_cast<int>(chosen.size()) == length) return use(chosen);
    for (Index i = from; i < size; ++i) {
      chosen.push_back(i);
      choose(i + 1);
      chosen.pop_back();
    }
  };
  choose(0);
}

double by_enumeration(const Sequence& x, const Sequence& y, int length, double decay) {
  double sum = 0;
  for (int l = 1; l <= length; ++l) {
    for_each_choice(std::ssize(x), l, [&](const std::vector<Index>& i) {
      for_each_choice(std::ssize(y), l, [&](const std::vector<Index>& j) {
        for (std::size_t k = 0; k < i.size(); ++k) {
          if (x[i[k]] != y[j[k]]) return;
        }
        sum += std::pow(decay, static_cast<double>(i.back() - i.front() + j.back() - j.front() + 2));
      });
    });
  }
  return sum;
}

// K'_l(s x, t) = decay K'_l(s, t) + K''_l(s x, t), K''_l(s x, t u) = decay (K''_l(s x, t) + [x = u] decay K'_{l-1}(s,
// t)), K_l(s x, t) = K_l(s, t) + sum over j of [t_j = x] decay² K'_{l-1}(s, t up to j).
double by_recursion(const Sequence& x, const Sequence& y, int length, double decay) {
  const std::size_t n = x.size(), m = y.size();
  std::vector<double> primed((n + 1) * (m + 1), 1.0);
  double sum = 0;
  for (int l = 1; l <= length; ++l) {
    std::vector<double> next((n + 1) * (m + 1), 0.0);
    for (std::size_t i = 1; i <= n; ++i) {
      double second = 0;
      for (std::size_t j = 1; j <= m; ++j) {
        const bool same = x[i - 1] == y[j - 1];
        const double before = primed[(i - 1) * (m + 1) + j - 1];
        if (same) sum += decay * decay * before;
        second = decay * (second + (same ? decay * before : 0.0));
        next[i * (m + 1) + j] = decay * next[(i - 1) * (m + 1) + j] + second;
      }
    }
    primed = std::move(next);
  }
  return sum;
}

Index by_table(const Sequence& x, const Sequence& y) {
  std::vector<Index> row(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) row[j] = static_cast<Index>(j);
  for (std::size_t i = 1; i <= x.size(); ++i) {
    Index corner = row[0];
    row[0] = static_cast<Index>(i);
    for (std::size_t j = 1; j <= y.size(); ++j) {
      const Index replaced = corner + (x[i - 1] == y[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[y.size()];
}

List random_sequences(std::size_t count, int shortest, int longest, std::int32_t symbols, unsigned seed) {
  std::mt19937 random(seed);
  List all;
  for (std::size_t a = 0; a < count; ++a) {
    all.emplace_back();
    const int length = std::uniform_int_distribution(shortest, longest)(random);
    for (int k = 0; k < length; ++k) {
      all.back().push_back(std::uniform_int_distribution<std::int32_t>(0, symbols - 1)(random));
    }
  }
  return all;
}

SharedAlphabet alphabet_of(std::int32_t symbols) {
  std::vector<std::string> names;
  for (std::int32_t k = 0; k < symbols; ++k) names.push_back(std::to_string(10000 + k));
  return std::make_shared<const Alphabet>(std::move(names));
}

Sequences joined(const List& list, Index begin, Index end) {
  Sequences all;
  for (Index a = begin; a < end; ++a) all.append(list[a]);
  return all;
}

// Over the ranks.
SequenceSet set_of(const List& list, std::int32_t symbols) {
  const RowPartition partition(std::ssize(list), world().size());
  const Range own = partition.range(world().rank());
  return {partition, world().rank(), alphabet_of(symbols), joined(list, own.begin, own.end)};
}

SimilarityChoice subsequences(int length, const std::string& decay, bool normalize) {
  SimilarityChoice choice("subsequence");
  choice.set("length", std::to_string(length)).set("lambda", decay).set("normalize", normalize ? "true" : "false");
  return choice;
}

// Of all sequences with some of them, on every rank.
template <class T>
void expect_values(const SimilarityChoice& choice, const List& list, std::int32_t symbols,
                   const std::function<double(const Sequence&, const Sequence&)>& value, double tolerance) {
  const SequenceSet set = set_of(list, symbols);
  Context context;
  const auto similarity = make_similarity<T>(context.execution, choice, set);
  std::vector<Index> ids;
  for (Index b = 0; b < std::min<Index>(set.size(), 19); ++b) ids.push_back((7 * b + 3) % set.size());
  const auto columns = set.gather(world(), ids);
  double worst = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second finds what the first has kept
    const RowBlock<T> found = evaluate_columns<T>(context.execution, *similarity, set, *columns, "columns", "columns");
    for (Index i = found.range().begin; i < found.range().end; ++i) {
      for (std::size_t b = 0; b < ids.size(); ++b) {
        const double expected = value(list[i], list[ids[b]]);
        worst = std::max(worst, std::abs(static_cast<double>(found.row(i)[b]) - expected) / std::max(1.0, expected));
      }
    }
  }
  std::vector<Index> first, second;
  for (Index a = 0; a < 40; ++a) first.push_back(a * 5 % set.size()), second.push_back(a * 3 % set.size());
  const auto pairs = set.gather_pairs(world(), first, second);
  std::vector<T> values(first.size());
  similarity->pairs(*pairs.first, *pairs.second, values);
  for (std::size_t a = 0; a < first.size(); ++a) {
    const double expected = value(list[first[a]], list[second[a]]);
    worst = std::max(worst, std::abs(static_cast<double>(values[a]) - expected) / std::max(1.0, expected));
  }
  EXPECT_LE(worst, tolerance) << "of " << symbols << " symbols";
}

TEST(Subsequence, IsTheSumOverAllCommonSubsequences) {
  for (const int length : {1, 2, 3, 5, 7, 9}) {
    expect_values<double>(
        subsequences(length, "0.7", false), random_sequences(30, 0, 9, 3, 1), 3,
        [&](const Sequence& x, const Sequence& y) { return by_enumeration(x, y, length, 0.7); }, 1e-12);
  }
}

// Few and many common symbols, short and long sequences.
TEST(Subsequence, IsWhatThePublishedRecursionGives) {
  for (const std::int32_t symbols : {2, 20, 300}) {
    for (const int length : {1, 4, 8}) {
      const auto value = [&](const Sequence& x, const Sequence& y) { return by_recursion(x, y, length, 0.75); };
      expect_values<double>(subsequences(length, "0.75", false), random_sequences(60, 0, 12, symbols, 2), symbols,
                            value, 1e-13);
      expect_values<double>(subsequences(length, "0.75", false), random_sequences(40, 1, 150, symbols, 3), symbols,
                            value, 1e-12);
    }
  }
}

TEST(Subsequence, HasOnesForEqualSequencesIfNormalized) {
  const List list = random_sequences(50, 1, 40, 9, 4);
  const auto value = [&](const Sequence& x, const Sequence& y) {
    return by_recursion(x, y, 4, 0.5) / std::sqrt(by_recursion(x, x, 4, 0.5) * by_recursion(y, y, 4, 0.5));
  };
  expect_values<double>(subsequences(4, "0.5", true), list, 9, value, 1e-13);
  expect_values<float>(subsequences(4, "0.5", true), list, 9, value, 1e-6);
  EXPECT_NEAR(value(list[0], list[0]), 1, 1e-14);
}

// With one symbol and lambda = 1, K of n and m symbols is a sum of binom(n, l) binom(m, l).
TEST(Subsequence, IsNormalizedWhereTheProductOfTwoSelvesIsNoNumber) {
  CAIRN_UP_TO_RANKS(1);
  const Sequence longer(600, 0), shorter(560, 0);
  const auto logarithm = [](const Sequence& x, const Sequence& y) {
    const auto binomial = [](double n, double l) {
      return std::lgamma(n + 1) - std::lgamma(l + 1) - std::lgamma(n - l + 1);
    };
    std::vector<double> terms;
    for (int l = 1; l <= 64; ++l) terms.push_back(binomial(std::ssize(x), l) + binomial(std::ssize(y), l));
    const double largest = *std::ranges::max_element(terms);
    double sum = 0;
    for (const double term : terms) sum += std::exp(term - largest);
    return largest + std::log(sum);
  };
  EXPECT_GT(logarithm(longer, longer), 0.5 * std::log(std::numeric_limits<double>::max()));
  List list;
  for (int k = 0; k < 2; ++k) list.push_back(longer), list.push_back(shorter);
  const auto value = [&](const Sequence& x, const Sequence& y) {
    return std::exp(logarithm(x, y) - 0.5 * (logarithm(x, x) + logarithm(y, y)));
  };
  expect_values<double>(subsequences(64, "1", true), list, 1, value, 1e-10);
  expect_values<float>(subsequences(64, "1", true), list, 1, value, 1e-6);
  // And where it is 0 to double precision.
  const List three = {{0}, {0, 1}, {1, 0}};
  List small;
  for (int k = 0; k < 8; ++k) small.insert(small.end(), three.begin(), three.end());
  const auto of_single_symbols = [](const Sequence& x, const Sequence& y) {
    return x.size() == y.size() ? 1.0 : 1.0 / std::sqrt(2.0);
  };
  expect_values<double>(subsequences(4, "1e-50", true), small, 2, of_single_symbols, 1e-14);
}

TEST(Subsequence, NamesASequenceWhoseKernelWithItselfIsNoNumber) {
  CAIRN_UP_TO_RANKS(1);
  const auto refused = [](const Sequence& sequence, const std::string& decay,
                          std::initializer_list<const char*> parts) {
    List list(10, Sequence{0});
    list[7] = sequence;
    const SequenceSet set = set_of(list, 1);
    Context context;
    const auto similarity = make_similarity<double>(context.execution, subsequences(64, decay, true), set);
    const auto one = set.gather(world(), std::vector<Index>{0}), both = set.gather(world(), std::vector<Index>{0, 7});
    std::vector<double> values(2);
    expect_error([&] { similarity->tile(*one, *both, MatrixView<double>(values.data(), 1, 2)); }, ErrorKind::numeric,
                 parts);
    if (sequence.size() > 1) return;  // once is enough
    expect_error([&] { similarity->pairs(*both, *both, values); }, ErrorKind::numeric, parts);
  };
  refused(Sequence(6400, 0), "1", {"of object 7", "normalize", "6400 symbols", "smaller", "length"});
  refused({}, "1", {"= 0 of object 7", "no symbol"});
  refused({0}, "1e-160", {"of object 0", "lambda", "too small"});
}

TEST(Subsequence, RefusesToNormalizeASequenceWithoutSymbols) {
  List list = random_sequences(40, 1, 5, 4, 5);
  list[11].clear();
  const SequenceSet set = set_of(list, 4);
  Context context;
  const auto similarity = make_similarity<double>(context.execution, subsequences(4, "0.5", true), set);
  const auto some = set.gather(world(), std::vector<Index>{1, 11, 2}), one = set.gather(world(), std::vector<Index>{1});
  std::vector<double> values(3);
  const auto compare = [&](const ObjectBlock& rows, const ObjectBlock& columns) {
    similarity->tile(rows, columns, MatrixView<double>(values.data(), rows.size(), columns.size()));
  };
  expect_error([&] { compare(*some, *one); }, ErrorKind::numeric, {"K(x, x) = 0 of object 11", "normalize"});
  expect_error([&] { compare(*one, *some); }, ErrorKind::numeric, {"K(x, x) = 0 of object 11", "normalize"});
}

TEST(Subsequence, RefusesParametersOutOfRange) {
  const SequenceSet set = set_of(random_sequences(20, 1, 5, 4, 5), 4);
  Context context;
  for (const auto& [name, value] : {std::pair("length", "0"), std::pair("length", "65"), std::pair("lambda", "0"),
                                    std::pair("lambda", "1.01"), std::pair("lambda", "-1")}) {
    expect_error(
        [&] {
          (void)make_similarity<double>(context.execution, SimilarityChoice("subsequence").set(name, value), set);
        },
        ErrorKind::usage, {name});
  }
}

// Line i is the normalized kernel of questions i - 1 and i: words of `quest`, length 4, lambda .75, computed by KeLP in
// single precision.
TEST(Subsequence, AgreesWithKelpOnQuestions) {
  const std::string folder = std::string(CAIRN_TEST_DATA) + "/trees/";
  const auto read =
      read_sequences(world(), {.path = folder + "TREC_10.coarse.klp.gz", .format = "kelp", .sequence = "quest"});
  const SequenceSet& set = *read.sequences;
  ASSERT_EQ(set.size(), 500);
  Context context;
  const auto similarity = make_similarity<double>(context.execution, subsequences(4, "0.75", true), set);
  std::vector<Index> first, second;
  for (Index i = 1; i < set.size(); ++i) first.push_back(i - 1), second.push_back(i);
  const auto pairs = set.gather_pairs(world(), first, second);
  std::vector<double> values(first.size());
  similarity->pairs(*pairs.first, *pairs.second, values);
  std::ifstream file(folder + "kelp-seqk-scores.txt");
  double expected = 0, largest = 0;
  for (const double value : values) {
    ASSERT_TRUE(file >> expected);
    largest = std::max(largest, std::abs(value - expected));
  }
  EXPECT_LT(largest, 1e-6);
  EXPECT_FALSE(file >> expected);
}

TEST(EditDistance, IsThatOfTheTable) {
  const auto value = [](const Sequence& x, const Sequence& y) { return static_cast<double>(by_table(x, y)); };
  const SimilarityChoice choice("edit-distance");
  for (const std::int32_t symbols : {2, 5, 400}) {
    expect_values<double>(choice, random_sequences(60, 0, 12, symbols, 6), symbols, value, 0);
    expect_values<double>(choice, random_sequences(60, 60, 68, symbols, 7), symbols, value, 0);
    expect_values<double>(choice, random_sequences(40, 0, 300, symbols, 8), symbols, value, 0);
    expect_values<float>(choice, random_sequences(40, 120, 130, symbols, 9), symbols, value, 0);
  }
}

TEST(EditDistance, IsWhatTheExponentialIsAFunctionOf) {
  const List list = random_sequences(70, 1, 90, 6, 10);
  SimilarityChoice choice("edit");
  choice.set("gamma", "0.03");
  expect_values<double>(
      choice, list, 6, [](const Sequence& x, const Sequence& y) { return std::exp(-0.03 * by_table(x, y)); }, 1e-14);
  const SequenceSet set = set_of(list, 6);
  Context context;
  const auto median = make_similarity<double>(context.execution, SimilarityChoice("edit"), set);
  std::vector<double> distances;
  for (std::size_t a = 0; a < list.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) distances.push_back(static_cast<double>(by_table(list[a], list[b])));
  }
  std::ranges::sort(distances);
  const double found = 1 / std::stod(median->parameters().front().second);
  EXPECT_NEAR(found, distances[distances.size() / 2], 1.0);
  const auto columns = set.gather(world(), std::vector<Index>{5, 3});
  std::vector<double> values(4);
  median->base_tile(*columns, *columns, MatrixView<double>(values.data(), 2, 2));
  EXPECT_EQ(values[1], static_cast<double>(by_table(list[5], list[3])));
  EXPECT_EQ(values[0], 0);
}

}  // namespace
}  // namespace cairn::test::sequences_test

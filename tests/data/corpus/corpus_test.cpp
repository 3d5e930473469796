#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/corpus/corpus_generator.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/corpus/pair_estimate.hpp"
#include "cairn/data/corpus/window_counts.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/documents/markup.hpp"
#include "landmark/remembering_ledger.hpp"
#include "test_communicator.hpp"

namespace cairn::corpus_test {
namespace {

using test::world;

using Pair = std::pair<Index, Index>;  // i <= j
using Counts = std::map<Pair, Index>;

// Words of text a, drawn so that few are frequent.
std::vector<std::int32_t> text_of(Index a, Index words) {
  const Random random(21, Stream::test);
  const auto address = static_cast<std::uint64_t>(a);
  std::vector<std::int32_t> text;
  for (Index p = 0; p < random.below(40, address, 0); ++p) {
    const Index first = random.below(words, address, static_cast<std::uint64_t>(2 * p + 1));
    const Index second = random.below(words, address, static_cast<std::uint64_t>(2 * p + 2));
    text.push_back(static_cast<std::int32_t>(std::min(first, second)));
  }
  return text;
}

// By enumeration of the windows.
void enumerate_windows(const std::vector<std::int32_t>& text, Index window, Counts& counts) {
  const Index length = std::ssize(text);
  for (Index begin = 0; begin == 0 || begin + window <= length; ++begin) {
    std::map<Index, Index> times;
    for (Index p = begin; p < std::min(begin + window, length); ++p) ++times[text[p]];
    for (const auto& [i, often] : times) {
      if (often > 1) ++counts[{i, i}];
      for (const auto& [j, also] : times) {
        if (i < j && also > 0) ++counts[{i, j}];
      }
    }
  }
}

void enumerate_pairs(const std::vector<std::int32_t>& text, const Counting& counting, Counts& counts) {
  for (Index p = 0; p < std::ssize(text); ++p) {
    for (Index q = p + 1; q < std::ssize(text) && q - p <= counting.window; ++q) {
      const Index i = text[p], j = text[q];
      counts[{std::min(i, j), std::max(i, j)}] += counting.weight(q - p);
    }
  }
}

struct TestCorpus {
  CorpusWords words;
  CorpusText text;  // of this rank
  Counts expected;
};

TestCorpus corpus_of(Index words, Index texts, const Counting& counting) {
  TestCorpus corpus;
  for (Index w = 0; w < words; ++w) {
    corpus.words.words.push_back("w" + std::to_string(w));
    corpus.words.counts.push_back(words - w);
  }
  for (Index a = 0; a < texts; ++a) {
    const std::vector<std::int32_t> text = text_of(a, words);
    if (counting.what == "windows") {
      enumerate_windows(text, counting.window, corpus.expected);
    } else {
      enumerate_pairs(text, counting, corpus.expected);
    }
    if (a % world().size() != world().rank()) continue;
    corpus.text.tokens.insert(corpus.text.tokens.end(), text.begin(), text.end());
    corpus.text.starts.push_back(std::ssize(corpus.text.tokens));
  }
  return corpus;
}

Counts own_counts(const CooccurrenceCounts& counts) {
  Counts own;
  for (Index i = counts.range().begin; i < counts.range().end; ++i) {
    const CountRow row = counts.row(i);
    for (std::size_t k = 0; k < row.others.size(); ++k) own[{row.others[k], i}] = row.count(k);
  }
  return own;
}

Counts own_part(const Counts& all, Range rows) {
  Counts own;
  for (const auto& [pair, count] : all) {
    if (rows.contains(pair.second)) own[pair] = count;
  }
  return own;
}

TEST(Counting, IsTheEnumerationOfAllWindows) {
  for (const Index window : {2, 3, 7, 30, 100}) {
    for (const Index words : {2, 9, 60}) {
      const Counting counting{.window = window};
      TestCorpus corpus = corpus_of(words, 60, counting);
      test::Context context;
      const CooccurrenceCounts counts = count_cooccurrences(context.execution, corpus.text, corpus.words, counting);
      EXPECT_EQ(own_counts(counts), own_part(corpus.expected, counts.range())) << window << ", " << words << " words";
    }
  }
}

// More words than the dense triangle has, so that buckets are used, too, and sums travel in several rounds.
TEST(Counting, IsTheSameInSeveralRoundsAndBeyondTheFrequentWords) {
  const Counting counting{.window = 5};
  TestCorpus corpus = corpus_of(3000, 3000, counting);
  test::Context context;
  for (const CountingMemory memory : {CountingMemory(), {.sums = 1}, {.additions = 1}, {.additions = 1, .sums = 1}}) {
    const CooccurrenceCounts counts =
        count_cooccurrences(context.execution, corpus.text, corpus.words, counting, memory);
    EXPECT_EQ(own_counts(counts), own_part(corpus.expected, counts.range()));
  }
}

// One that is counted in several steps, which stands on one rank.
// A ledger in which a state is always due, and which ends the run with each of them.
class StoppingLedger final : public test::RememberingLedger {
 public:
  bool due(double /*begun*/) override { return true; }
  void settle() override { throw Error(ErrorKind::interrupted, "stopped"); }
};

TEST(Counting, GoesOnWhereItWasStopped) {
  for (const char* what : {"windows", "pairs"}) {
    const Counting counting{.what = what, .window = 5};
    TestCorpus corpus = corpus_of(3000, 500, counting);
    // One text takes several steps, which end within it.
    std::vector<std::int32_t> long_text;
    for (Index k = 0; k < 40000; ++k) long_text.push_back(static_cast<std::int32_t>(k * k % 2999));
    if (world().is_root()) {
      corpus.text.tokens.insert(corpus.text.tokens.end(), long_text.begin(), long_text.end());
      corpus.text.starts.push_back(std::ssize(corpus.text.tokens));
    }
    if (counting.what == "windows") {
      enumerate_windows(long_text, counting.window, corpus.expected);
    } else {
      enumerate_pairs(long_text, counting, corpus.expected);
    }
    StoppingLedger ledger;
    Phases phases;
    const Execution execution{world(), phases, ledger, 1, 0};
    std::optional<CooccurrenceCounts> counts;
    int stops = 0;
    while (!counts && stops < 1000) {
      try {
        counts = count_cooccurrences(execution, corpus.text, corpus.words, counting, {.additions = 1});
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::interrupted);
        ++stops;
      }
    }
    EXPECT_GT(stops, 2) << what;
    ASSERT_TRUE(counts);
    EXPECT_EQ(own_counts(*counts), own_part(corpus.expected, counts->range())) << what;
  }
}

TEST(Counting, OfALongTextIsTheEnumerationOfAllWindows) {
  for (const char* what : {"windows", "pairs"}) {
    const Counting counting{what, 90, false};
    TestCorpus corpus = corpus_of(12, 1, counting);
    const Random random(8, Stream::test);
    std::vector<std::int32_t> text;
    for (std::uint64_t p = 0; p < 3000; ++p) text.push_back(static_cast<std::int32_t>(random.below(12, p, 1)));
    corpus.expected.clear();
    if (counting.what == "windows") {
      enumerate_windows(text, counting.window, corpus.expected);
    } else {
      enumerate_pairs(text, counting, corpus.expected);
    }
    corpus.text = {};
    if (world().is_root()) corpus.text = {.starts = {0, std::ssize(text)}, .tokens = text};
    test::Context context;
    const CooccurrenceCounts counts = count_cooccurrences(context.execution, corpus.text, corpus.words, counting);
    EXPECT_EQ(own_counts(counts), own_part(corpus.expected, counts.range())) << what;
  }
}

// Of generated texts, whose words are drawn independently, it is what is counted; of parts of the rows, too.
TEST(PairEstimate, IsTheNumberThatIsCounted) {
  for (const Counting& counting :
       {Counting{"windows", 8, false}, Counting{"pairs", 3, false}, Counting{"windows", 400, false}}) {
    CorpusText text;
    CorpusCounts read;
    const CorpusWords words = generate_corpus(world(), {2500, 60000, 150, 7}, {.minimum_count = 2}, text, read);
    test::Context context;
    const CooccurrenceCounts counts = count_cooccurrences(context.execution, text, words, counting);
    const auto counted = static_cast<double>(world().sum(counts.own_entries()));
    const EstimatedPairs estimate = estimated_pairs(words.counts, read.texts, counting);
    EXPECT_NEAR(static_cast<double>(estimate.all), counted, 0.02 * counted) << counting.what << " " << counting.window;
    std::vector<Index> parts(pair_parts, 0);
    for (Index i = counts.range().begin; i < counts.range().end; ++i) {
      parts[i * pair_parts / words.size()] += std::ssize(counts.row(i).others);
    }
    world().sum(std::span<Index>(parts));
    ASSERT_EQ(estimate.of_rows.size(), parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto expected = static_cast<double>(parts[k]);
      EXPECT_NEAR(static_cast<double>(estimate.of_rows[k]), expected, 0.1 * expected + 20) << k;
    }
  }
}

TEST(Counting, WeighsPairsByTheInverseOfTheirDistanceExactly) {
  for (const bool harmonic : {false, true}) {
    const Counting counting{"pairs", 6, harmonic};
    TestCorpus corpus = corpus_of(12, 50, counting);
    test::Context context;
    const CooccurrenceCounts counts = count_cooccurrences(context.execution, corpus.text, corpus.words, counting);
    EXPECT_EQ(own_counts(counts), own_part(corpus.expected, counts.range()));
    for (Index d = 1; harmonic && d <= 6; ++d) EXPECT_EQ(counting.weight(d) * d, counting.unit());
  }
}

TEST(Counting, HoldsCountsBeyond32Bits) {
  CooccurrenceCounts::Piece piece;
  const Index large = Index{5} << 32U;
  piece.append(0, 7);
  piece.append(1, large);
  piece.append(2, 9);
  piece.end_row();
  EXPECT_EQ(piece.row(0).count(0), 7);
  EXPECT_EQ(piece.row(0).count(1), large);
  EXPECT_EQ(piece.row(0).count(2), 9);
}

TEST(Counting, SumsRowsOverBothTriangles) {
  const Counting counting{.window = 4};
  TestCorpus corpus = corpus_of(40, 80, counting);
  test::Context context;
  const CooccurrenceCounts counts = count_cooccurrences(context.execution, corpus.text, corpus.words, counting);
  std::vector<Index> expected(40, 0);
  double sum = 0, trace = 0;
  for (const auto& [pair, count] : corpus.expected) {
    expected[pair.first] += count;
    if (pair.first != pair.second) expected[pair.second] += count;
    sum += static_cast<double>(pair.first == pair.second ? count : 2 * count);
    if (pair.first == pair.second) trace += static_cast<double>(count);
  }
  EXPECT_EQ(counts.row_sums(world()), expected);
  const CountSummary summary = summary_of(world(), counts);
  EXPECT_EQ(summary.entries, std::ssize(corpus.expected));
  EXPECT_EQ(summary.sum, sum);
  EXPECT_EQ(summary.trace, trace);
}

TEST(WordSet, HandsOutRowsHoweverTheyTravel) {
  const Counting counting{.window = 5};
  TestCorpus corpus = corpus_of(70, 90, counting);
  test::Context context;
  const WordSet words(world(), corpus.words, corpus.text, counting);
  EXPECT_THROW(static_cast<void>(words.block(words.range())), Error);
  static_cast<void>(words.counts(context.execution));
  const auto check = [&](const ObjectBlock& block) {
    const auto& rows = dynamic_cast<const WordBlock&>(block);
    for (std::size_t k = 0; k < rows.ids.size(); ++k) {
      Counts found;
      for (std::size_t e = 0; e < rows.rows[k].others.size(); ++e) {
        found[{rows.rows[k].others[e], rows.ids[k]}] = rows.rows[k].count(e);
      }
      EXPECT_EQ(found, own_part(corpus.expected, {rows.ids[k], rows.ids[k] + 1}));
    }
  };
  check(*words.block(words.range()));
  check(*words.unpack(words.range(), words.pack(words.range())));
  const std::vector<Index> ids = {69, 0, 13, 13, 40 + world().rank()};
  const auto gathered = words.gather(world(), ids);
  EXPECT_EQ(gathered->ids, ids);
  check(*gathered);
}

}  // namespace
}  // namespace cairn::corpus_test

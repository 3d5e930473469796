#include "cairn/evaluation/word_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/evaluation/correlation.hpp"
#include "cairn/evaluation/word_rows.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr Index fewest_pairs = 3;

// The two rows of a pair; -1 for a word without one.
struct RowPair {
  Index first = -1, second = -1;
  std::size_t pair = 0;  // index of the pair in the file
};

// Pairs whose words both have a row. Collective.
std::vector<RowPair> known_pairs(const Communicator& communicator, const RowPartition& partition,
                                 std::span<const std::string> labels, const WordPairs& words) {
  std::vector<std::string> texts;
  for (const ScoredWords& pair : words.pairs) texts.insert(texts.end(), {pair.first, pair.second});
  const std::size_t count = texts.size();
  const std::vector<std::string> lower = in_lower_case(texts);
  texts.insert(texts.end(), lower.begin(), lower.end());
  const std::vector<LabelRows> found = find_labels(communicator, partition, labels, texts);
  const auto row_of = [&](std::size_t k) {
    const std::string where = fmt::format("{}:{}", words.path, words.pairs[k / 2].line);
    const Index row = single_row(found[k], texts[k], where);
    return row >= 0 ? row : single_row(found[count + k], texts[count + k], where);
  };
  std::vector<RowPair> known;
  for (std::size_t p = 0; p < words.pairs.size(); ++p) {
    const RowPair rows{row_of(2 * p), row_of(2 * p + 1), p};
    if (rows.first >= 0 && rows.second >= 0) known.push_back(rows);
  }
  return known;
}

template <class T>
double largest_magnitude(std::span<const T> values) {
  double largest = 0.0;
  for (const T value : values) {
    if (!std::isfinite(value)) throw Error(ErrorKind::numeric, "holds a value that is not finite");
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

// None if one of the vectors is 0. Values are divided by the largest one, so that squares stay in the range of doubles.
// cosine(a, b) equals cosine(b, a), and cosine(a, a) is 1, so that ties are exact.
template <class T>
std::optional<double> cosine(std::span<const T> a, std::span<const T> b) {
  const double scale_a = largest_magnitude(a), scale_b = largest_magnitude(b);
  if (scale_a == 0.0 || scale_b == 0.0) return std::nullopt;
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = static_cast<double>(a[k]) / scale_a, y = static_cast<double>(b[k]) / scale_b;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

// The cosines of all pairs, on every rank. Each rank computes a block of them. Collective.
template <class T>
std::vector<std::optional<double>> cosines(const Communicator& communicator, const RowBlock<T>& vectors,
                                           const std::vector<RowPair>& known, const WordPairs& words) {
  const std::size_t ranks = static_cast<std::size_t>(communicator.size());
  const std::size_t rank = static_cast<std::size_t>(communicator.rank());
  const std::size_t begin = known.size() * rank / ranks, end = known.size() * (rank + 1) / ranks;
  std::vector<Index> rows;
  for (std::size_t p = begin; p < end; ++p) rows.insert(rows.end(), {known[p].first, known[p].second});
  const Buffer<T> values = fetch_rows(communicator, vectors, rows);
  const auto width = static_cast<std::size_t>(vectors.columns());
  const auto mine = collectively(communicator, [&] {
    std::vector<std::optional<double>> part;
    for (std::size_t p = begin; p < end; ++p) {
      const auto both = values.span().subspan(2 * (p - begin) * width, 2 * width);
      try {
        part.push_back(cosine<T>(both.first(width), both.last(width)));
      } catch (const Error& error) {
        const ScoredWords& pair = words.pairs[known[p].pair];
        throw Error(error.kind(), fmt::format("the vector of '{}' or '{}' {}", pair.first, pair.second, error.what()));
      }
    }
    return part;
  });
  return communicator.all_gather(mine);
}

}  // namespace

template <class T>
WordScores score_words(const Communicator& communicator, const RowBlock<T>& vectors,
                       std::span<const std::string> labels, const WordPairs& words) {
  const std::vector<RowPair> known = known_pairs(communicator, vectors.partition(), labels, words);
  const auto found = cosines(communicator, vectors, known, words);
  WordScores result;
  result.pairs = static_cast<Index>(words.pairs.size());
  result.known = static_cast<Index>(known.size());
  std::vector<double> ours, theirs;
  for (std::size_t p = 0; p < known.size(); ++p) {
    if (!found[p]) {
      ++result.zero_vectors;
      continue;
    }
    ours.push_back(*found[p]);
    theirs.push_back(words.pairs[known[p].pair].score);
  }
  if (static_cast<Index>(ours.size()) < fewest_pairs) {
    throw Error(
        ErrorKind::input,
        fmt::format(
            "{}: of its {} pairs, {} have two words that are labels of rows{}; a correlation needs at least {}",
            words.path, grouped(result.pairs), grouped(result.known),
            result.zero_vectors > 0 ? fmt::format(", {} of them with a vector of 0", grouped(result.zero_vectors)) : "",
            fewest_pairs));
  }
  result.spearman = spearman(ours, theirs);
  return result;
}

template WordScores score_words(const Communicator&, const RowBlock<float>&, std::span<const std::string>,
                                const WordPairs&);
template WordScores score_words(const Communicator&, const RowBlock<double>&, std::span<const std::string>,
                                const WordPairs&);

}  // namespace cairn

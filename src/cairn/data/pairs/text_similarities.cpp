#include "cairn/data/pairs/text_similarities.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace cairn {

namespace {

using Counts = std::map<std::vector<std::int32_t>, double>;

Counts ngrams(Words words, std::size_t n) {
  Counts counts;
  for (std::size_t i = 0; i + n <= words.size(); ++i) {
    const Words one = words.subspan(i, n);
    counts[{one.begin(), one.end()}] += 1;
  }
  return counts;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

double squared_length(const Counts& counts) {
  double sum = 0;
  for (const auto& [ngram, count] : counts) sum += count * count;
  return sum;
}

struct Run {
  std::size_t left = 0, right = 0, length = 0;
};

// The longest common run of unmarked words, the first of several.
Run longest_run(Words left, Words right, const std::vector<char>& left_marks, const std::vector<char>& right_marks) {
  Run best;
  std::vector<std::size_t> before(right.size() + 1, 0), row(right.size() + 1, 0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      const bool common = left[i] == right[j] && left_marks[i] == 0 && right_marks[j] == 0;
      row[j + 1] = common ? before[j] + 1 : 0;
      if (row[j + 1] > best.length) best = {i + 1 - row[j + 1], j + 1 - row[j + 1], row[j + 1]};
    }
    std::swap(before, row);
  }
  return best;
}

double longer(Words left, Words right) { return static_cast<double>(std::max(left.size(), right.size())); }

}  // namespace

NgramOverlap ngram_overlap(Words left, Words right, std::size_t n) {
  const Counts x = ngrams(left, n), y = ngrams(right, n);
  double common = 0, product = 0;
  for (const auto& [ngram, count] : x) {
    const auto other = y.find(ngram);
    if (other == y.end()) continue;
    common += 1;
    product += count * other->second;
  }
  const auto of_x = static_cast<double>(x.size()), of_y = static_cast<double>(y.size());
  return {ratio(common, of_x + of_y - common), ratio(common, of_x), ratio(common, of_y),
          ratio(product, std::sqrt(squared_length(x) * squared_length(y)))};
}

double common_subsequence(Words left, Words right) {
  std::vector<double> row(right.size() + 1, 0.0);
  for (const std::int32_t word : left) {
    double corner = 0;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const double above = row[j + 1];
      row[j + 1] = word == right[j] ? corner + 1 : std::max(above, row[j]);
      corner = above;
    }
  }
  return ratio(row.back(), longer(left, right));
}

double common_run(Words left, Words right) {
  const std::vector<char> none_left(left.size(), 0), none_right(right.size(), 0);
  return ratio(static_cast<double>(longest_run(left, right, none_left, none_right).length), longer(left, right));
}

double tiling(Words left, Words right, std::size_t shortest) {
  std::vector<char> left_marks(left.size(), 0), right_marks(right.size(), 0);
  double marked = 0;
  for (;;) {
    const Run run = longest_run(left, right, left_marks, right_marks);
    if (run.length < std::max<std::size_t>(shortest, 1)) break;
    std::fill_n(left_marks.begin() + static_cast<std::ptrdiff_t>(run.left), run.length, 1);
    std::fill_n(right_marks.begin() + static_cast<std::ptrdiff_t>(run.right), run.length, 1);
    marked += static_cast<double>(run.length);
  }
  return ratio(2 * marked, static_cast<double>(left.size() + right.size()));
}

double weighted_cosine(Words left, Words right, std::span<const double> weights) {
  std::map<std::int32_t, double> x, y;
  for (const std::int32_t word : left) x[word] += weights[word];
  for (const std::int32_t word : right) y[word] += weights[word];
  double product = 0, of_x = 0, of_y = 0;
  for (const auto& [word, weight] : x) {
    of_x += weight * weight;
    if (const auto other = y.find(word); other != y.end()) product += weight * other->second;
  }
  for (const auto& [word, weight] : y) of_y += weight * weight;
  return ratio(product, std::sqrt(of_x * of_y));
}

}  // namespace cairn

#include "cairn/data/corpus/pair_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cairn {

namespace {

constexpr double likeness = 0.97;  // ratio of frequencies that are treated as equal
constexpr Index most_in_class = 1000;

// Consecutive words of about equal frequency in one part of the rows.
struct Class {
  double words = 0;
  double frequency = 0;  // mean
  std::size_t part = 0;
};

std::vector<Class> classes_of(std::span<const Index> frequencies) {
  std::vector<Class> classes;
  const auto n = std::ssize(frequencies);
  for (Index begin = 0; begin < n;) {
    const Index part = begin * pair_parts / n;
    const double first = static_cast<double>(frequencies[begin]);
    double sum = 0;
    Index end = begin;
    while (end < n && end - begin < most_in_class && end * pair_parts / n == part &&
           static_cast<double>(frequencies[end]) >= likeness * first) {
      sum += static_cast<double>(frequencies[end++]);
    }
    const auto words = static_cast<double>(end - begin);
    classes.push_back({words, sum / words, static_cast<std::size_t>(part)});
    begin = end;
  }
  return classes;
}

// Number of places before a token that it is paired with: for windows, window - 1.
Index reach_of(const Counting& counting) { return counting.what == "windows" ? counting.window - 1 : counting.window; }

}  // namespace

EstimatedPairs estimated_pairs(std::span<const Index> frequencies, Index texts, const Counting& counting) {
  const std::vector<Class> classes = classes_of(frequencies);
  const auto tokens = static_cast<double>(std::accumulate(frequencies.begin(), frequencies.end(), Index{0}));
  const double length = tokens / static_cast<double>(std::max<Index>(1, texts));
  const auto reach = static_cast<double>(reach_of(counting));  // fewer at the beginning of a text
  const double before = length > reach ? reach * (1.0 - (reach + 1.0) / (2.0 * length)) : (length - 1.0) / 2.0;
  const double places = tokens * std::max(0.0, before);
  std::vector<double> parts(pair_parts, 0.0);
  for (std::size_t b = 0; b < classes.size(); ++b) {
    const Class& rarer = classes[b];
    double& part = parts[rarer.part];
    const double share = rarer.frequency / tokens;
    part += rarer.words * -std::expm1(-places * share * share);  // i = j
    part += 0.5 * rarer.words * (rarer.words - 1.0) * -std::expm1(-2.0 * places * share * share);
    for (std::size_t a = 0; a < b; ++a) {
      part += classes[a].words * rarer.words * -std::expm1(-2.0 * places * share * classes[a].frequency / tokens);
    }
  }
  EstimatedPairs estimate;
  for (const double part : parts) {
    estimate.of_rows.push_back(std::llround(part));
    estimate.all += estimate.of_rows.back();
  }
  return estimate;
}

void set_corpus_size(DataSize& size, std::span<const Index> frequencies, Index texts, Index longest,
                     const Counting& counting) {
  EstimatedPairs pairs = estimated_pairs(frequencies, texts, counting);
  size.tokens = std::accumulate(frequencies.begin(), frequencies.end(), Index{0});
  size.texts = texts;
  size.text_tokens = longest;
  size.compared_places = reach_of(counting);
  size.count_pairs = pairs.all;
  size.row_pairs = std::move(pairs.of_rows);
}

}  // namespace cairn

#include "cairn/evaluation/pair_scores.hpp"

#include <algorithm>
#include <span>

#include "cairn/evaluation/correlation.hpp"
#include "cairn/evaluation/threshold.hpp"

namespace cairn {

bool ScoredPairs::binary() const {
  return std::all_of(scores.begin(), scores.end(), [](double s) { return s == 0.0 || s == 1.0; });
}

std::vector<char> ScoredPairs::positive() const {
  std::vector<char> flags;
  for (const double score : scores) flags.push_back(score == 1.0 ? 1 : 0);
  return flags;
}

namespace {

Decisions decide(std::span<const double> chosen_on, std::span<const char> chosen_truth, std::span<const double> values,
                 std::span<const char> truth) {
  Decisions decisions;
  decisions.f1_threshold = best_threshold(chosen_on, chosen_truth, ThresholdGoal::f1);
  decisions.accuracy_threshold = best_threshold(chosen_on, chosen_truth, ThresholdGoal::accuracy);
  decisions.f1 = count_at(values, truth, decisions.f1_threshold).f1();
  decisions.accuracy = count_at(values, truth, decisions.accuracy_threshold).accuracy();
  return decisions;
}

}  // namespace

PairScores score(const ScoredPairs& pairs, const std::optional<ScoredPairs>& others,
                 std::vector<double> ScoredPairs::*which) {
  PairScores found;
  const std::vector<double>& values = pairs.*which;
  found.pearson = pearson(values, pairs.scores);
  found.spearman = spearman(values, pairs.scores);
  if (!pairs.binary() || (others && !others->binary())) return found;
  const std::vector<char> truth = pairs.positive();
  if (others) {
    found.decisions = decide((*others).*which, others->positive(), values, truth);
  } else if (values.size() > 1) {
    const std::span<const double> all(values);
    const std::span<const char> flags(truth);
    const std::size_t half = values.size() / 2;
    found.decisions = decide(all.first(half), flags.first(half), all.subspan(half), flags.subspan(half));
  }
  return found;
}

}  // namespace cairn

// Compares human scores of pairs with values of an approximation and of K.
#pragma once

#include <optional>
#include <vector>

namespace cairn {

/// Scores of pairs, and their values in K~ and K, which are larger for nearer objects. Pairs of all ranks.
struct ScoredPairs {
  std::vector<double> scores, approximate, exact;

  /// True if all scores are 0 or 1. Local.
  [[nodiscard]] bool binary() const;
  /// 1 or 0 for each pair. Local.
  [[nodiscard]] std::vector<char> positive() const;
};

/// F1 and accuracy, each at the threshold that is best for it on other pairs.
struct Decisions {
  double f1 = 0.0, f1_threshold = 0.0, accuracy = 0.0, accuracy_threshold = 0.0;
};

/// Scores of K~ or of K.
struct PairScores {
  std::optional<double> pearson, spearman;
  std::optional<Decisions> decisions;  ///< if all scores are 0 or 1
};

/// @param others  pairs for the choice of thresholds; none: thresholds are chosen on the first half of `pairs` and used
///   on the second
/// @param which   K~ or K
/// Local.
[[nodiscard]] PairScores score(const ScoredPairs& pairs, const std::optional<ScoredPairs>& others,
                               std::vector<double> ScoredPairs::*which);

}  // namespace cairn

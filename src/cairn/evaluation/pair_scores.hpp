// What people say of pairs, against what an approximation and K say.
#pragma once

#include <optional>
#include <vector>

namespace cairn {

/// Scores of pairs, and what K~ and K say of them, larger where objects are nearer: of all ranks.
struct ScoredPairs {
  std::vector<double> scores, approximate, exact;

  /// Whether all scores are 0 or 1. Local.
  [[nodiscard]] bool binary() const;
  /// 1 or 0 a pair. Local.
  [[nodiscard]] std::vector<char> positive() const;
};

/// F1 and accuracy, each at the threshold that is best for it elsewhere.
struct Decisions {
  double f1 = 0.0, f1_threshold = 0.0, accuracy = 0.0, accuracy_threshold = 0.0;
};

/// What is found of one of K~ and K.
struct PairScores {
  std::optional<double> pearson, spearman;
  std::optional<Decisions> decisions;  ///< if all scores are 0 or 1
};

/// @param others  pairs on which thresholds are chosen; nothing: the first half of `pairs`, and the second is decided
/// @param which  of K~ and K. Local.
[[nodiscard]] PairScores score(const ScoredPairs& pairs, const std::optional<ScoredPairs>& others,
                               std::vector<double> ScoredPairs::*which);

}  // namespace cairn

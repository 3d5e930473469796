// Similarity of two clusterings, by the metrics of coreference resolution.
#pragma once

#include <span>

#include "cairn/base/index.hpp"

namespace cairn {

/// Recall, precision and their harmonic mean; 0 if nothing can be found.
struct RecallPrecision {
  double recall = 0.0, precision = 0.0;
  [[nodiscard]] double f1() const { return recall + precision > 0 ? 2 * recall * precision / (recall + precision) : 0; }
};

/// Scores of found clusters F against gold clusters G; |.| is the number of objects.   [Pradhan et al. 2014, section 2]
///   MUC     recall = sum over G of (|G| - number of parts into which F divides it) / sum of (|G| - 1); an object
///           that is not in F is a part of its own; precision with G and F exchanged. Singletons have no effect.
///   B-cubed recall = sum over G and F of |G ∩ F|² / |G|, divided by the number of gold objects; precision with |F|.
///   CEAF-e  the sum of 2 |G ∩ F| / (|G| + |F|) over the best one-to-one matching of clusters, divided by the number of
///           gold clusters (recall) and of found clusters (precision).
struct ClusterScores {
  RecallPrecision muc, b_cubed, ceaf_e;
  /// Mean of the three F1s.
  [[nodiscard]] double conll_f1() const { return (muc.f1() + b_cubed.f1() + ceaf_e.f1()) / 3.0; }
};

/// Entry i of a list is the cluster of object i: any number from 0, or negative if the object is in no cluster of that
/// side. Clusters of one object count as any other, as in the reference scorer (v8.01) if both sides have them. Local.
[[nodiscard]] ClusterScores score_clusters(std::span<const Index> gold, std::span<const Index> found);

}  // namespace cairn

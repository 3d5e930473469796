// Choice of the entries of K that a probe compares. Private to probe_error.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Objects that are a uniform sample without replacement, and pairs of different ones among them, both in batches.
///
/// The pairs of a batch are drawn with replacement from the present objects: half uniformly, half with each object
/// taken with probability a_i = r_i / sum of r, r_i = |K~_ii - K_ii|. Draws by residual that give the same object twice
/// are replaced by uniform ones. The weight of a pair is the density of a uniform pair of all objects over the density
/// with which it was drawn, which is the mean over all pairs of their batches' densities (the balance heuristic of
/// multiple importance sampling, Veach and Guibas 1995; Owen and Zhou 2000): the last batch can draw every pair, which
/// bounds the weights.
///
/// The same on every rank, and for every number of ranks up to the rounding of residuals. Local.
class ProbeDraws {
 public:
  ProbeDraws(Index population, const Random& random) : population_(population), random_(random) {}

  /// Grows the sample to its first `count` objects; returns the new ones. @pre count is not below the present number
  std::vector<Index> grow_objects(Index count);
  /// Adds their residuals, one for each new object.
  void add_residuals(const std::vector<ComparedEntry>& diagonal);
  /// Draws up to `count` pairs in total; returns the new ones.
  EntryList grow_pairs(Index count);

  [[nodiscard]] Index objects() const { return static_cast<Index>(objects_.size()); }
  [[nodiscard]] Index pairs() const { return static_cast<Index>(pairs_.size()); }
  /// All pairs, as numbers of objects in the sample.
  [[nodiscard]] const std::vector<std::array<Index, 2>>& members() const { return pairs_; }
  /// The weights of all pairs.
  [[nodiscard]] std::vector<double> weights() const;

 private:
  struct Batch {
    Index objects = 0, uniform = 0, by_residual = 0;
    double total = 0.0;     // of the residuals
    double distinct = 1.0;  // probability that the two objects of a pair by residual differ
  };

  [[nodiscard]] std::array<Index, 2> uniform_pair(Index number) const;
  [[nodiscard]] std::array<Index, 2> pair_by_residual(Index number, const std::vector<double>& cumulative) const;

  Index population_;
  Random random_;
  std::vector<Index> objects_;
  std::vector<double> residuals_;
  std::vector<std::array<Index, 2>> pairs_;
  std::vector<Batch> batches_;
};

/// Pair `number` of `n` objects, the two different. Local.
[[nodiscard]] std::array<Index, 2> draw_uniform_pair(const Random& random, Index n, Index number);

/// "probe-pairs-" and a digest: pairs depend on the residuals, whose rounding may differ in a run resumed from a
/// ledger; stored values belong to exactly these pairs.
[[nodiscard]] std::string name_of_pairs(const EntryList& pairs);

}  // namespace cairn

// Which entries of K a probe compares. Private to probe_error.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Objects that are a uniform sample without replacement, and pairs of different ones among them, both in batches.
///
/// The pairs of a batch are drawn with replacement from the objects that are there: half uniform, half with each object
/// taken with probability a_i = r_i / sum of r, r_i = |K~_ii - K_ii|. Draws by residual that met one object twice are
/// replaced by uniform ones. A pair weighs what a uniform pair of all objects weighs over what it was drawn with, that
/// is the mean over all pairs of their batches' densities (the balance heuristic of multiple importance sampling, Veach
/// and Guibas 1995; Owen and Zhou 2000): the last batch can meet every pair, which bounds the weights.
///
/// The same on every rank, and for every number of ranks but for the rounding of residuals. Local.
class ProbeDraws {
 public:
  ProbeDraws(Index population, const Random& random) : population_(population), random_(random) {}

  /// The first `count` objects of the sample: those that were not there. @pre count is not below what was
  std::vector<Index> grow_objects(Index count);
  /// Their residuals, one for each new object.
  void add_residuals(const std::vector<ComparedEntry>& diagonal);
  /// Draws up to `count` pairs in all: those that are new.
  EntryList grow_pairs(Index count);

  [[nodiscard]] Index objects() const { return static_cast<Index>(objects_.size()); }
  [[nodiscard]] Index pairs() const { return static_cast<Index>(pairs_.size()); }
  /// Of all pairs, as numbers of objects in the sample.
  [[nodiscard]] const std::vector<std::array<Index, 2>>& members() const { return pairs_; }
  /// Of all pairs.
  [[nodiscard]] std::vector<double> weights() const;

 private:
  struct Batch {
    Index objects = 0, uniform = 0, by_residual = 0;
    double total = 0.0;     // of the residuals
    double distinct = 1.0;  // probability that the two of a pair by residual differ
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

/// "probe-pairs-" and a digest: pairs follow the residuals, whose rounding may differ in a run that goes on from a
/// ledger, and values that it kept are those of these pairs alone.
[[nodiscard]] std::string name_of_pairs(const EntryList& pairs);

}  // namespace cairn

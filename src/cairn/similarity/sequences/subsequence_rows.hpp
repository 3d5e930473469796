// The subsequence kernel of one sequence with many. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/similarity/sequences/subsequence_lanes.hpp"
#include "cairn/similarity/sequences/symbol_index.hpp"

namespace cairn {

/// Rows of K (SubsequenceLanes). What a thread needs for them. Not thread-safe.
///
/// Where few symbols are common, as among words, K is a sum over the places of equal symbols alone, which the index
/// finds: O(length m²) for m such pairs of places. Where many are, as among letters, all places are visited in
/// lanes. Which of both is faster is decided for each pair from m and the lengths.
class SubsequenceRows {
 public:
  explicit SubsequenceRows(const SubsequenceRule& rule) : rule_(rule), lanes_(rule) {}

  /// out[b] = K of x and sequence b of the block that `index` is of.
  void row(std::span<const std::int32_t> x, const SequenceBlock& block, const SymbolIndex& index,
           std::span<double> out);
  /// out[k] = K of x[k] and y[k].
  void pairs(std::span<const SubsequenceLanes::Sequence> x, std::span<const SubsequenceLanes::Sequence> y,
             std::span<double> out);

 private:
  struct Match {
    std::int32_t x = 0, y = 0;  // places
  };
  void find_matches(std::span<const std::int32_t> x, const SymbolIndex& index);
  double of_matches(std::span<const Match> matches);
  void in_lanes(std::span<const std::int32_t> x, const SequenceBlock& block, std::span<const Index> columns,
                std::span<double> out);

  SubsequenceRule rule_;
  SubsequenceLanes lanes_;
  std::vector<double> powers_;  // of the decay
  std::vector<Index> starts_;   // of the matches of each sequence, by rank
  std::vector<Match> matches_;
  std::vector<double> terms_;  // s^1 to s^length at each match
  std::vector<Index> many_;    // columns that go in lanes
};

}  // namespace cairn

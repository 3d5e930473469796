// Lower bounds of word mover's distances: relaxed ones, of both sides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/similarity/word_movers/bound_kernels.hpp"
#include "cairn/similarity/word_movers/ground_costs.hpp"

namespace cairn {

/// Lower bounds of the word mover's distances between some texts (the queries) and a block of others (the targets):
///
///     b(x, y) = max( Σ_i x_i min_j |v_i - v_j|,  Σ_j y_j min_i |v_i - v_j| )        [Kusner et al. 2015, RWMD]
///
/// the larger of two relaxed transports, in which every word of one text moves to the nearest word of the other. In
/// single precision; every step is rounded down, so that no bound is above the distance. One pair takes about two
/// products per word: the words of 16 texts stand side by side in a table, so that a word is one vector of it.
///
/// Memory: 4 bytes per pair of a query's word and a target's word (take_targets() is limited by it), 4 bytes per target
/// word and query. An object serves one rank; its functions are local.
class RelaxedBounds {
 public:
  /// Most words and texts of a block of queries, pairs of words, and words times queries of a block of targets.
  static constexpr Index query_words = 2048, queries = 1024, pairs_of_words = Index{1} << 24;
  /// Texts that bounds() processes together.
  static constexpr Index together = 512;

  /// Takes queries of `documents` from `begin` on: at most so many as above, and at least one. @return those taken
  Range take_queries(const DocumentBlock& documents, Index begin);
  /// Number of distinct words of the queries.
  [[nodiscard]] Index words() const { return query_group_.words(); }
  /// Number of words that a block of targets may have beside queries with `words` words.
  [[nodiscard]] static Index target_words(Index words);
  /// Takes targets of `documents` from `begin` on, at most `most_words` distinct words and at least one text, and
  /// computes the distances of their words to those of the queries. @return those taken
  Range take_targets(const DocumentBlock& documents, Index begin, Index most_words, int threads);

  /// A target whose bound for some query of a group of 16 is no larger than that query's limit.
  struct Hit {
    Index target = 0;               ///< position in the block of targets
    const float* bounds = nullptr;  ///< of the 16 queries of the group
  };
  /// Prepares the bounds of targets [begin, end) of the block, at most `together`.
  void prepare(Range targets, int threads);
  /// Number of groups of 16 queries.
  [[nodiscard]] Index groups() const;
  /// Calls use(hit) for the prepared targets that have a bound within the limits of group `group`, in their order.
  /// Groups may be processed by several threads. @param limits  16, of the queries of the group; below 0 for none
  template <class Use>
  void each_hit(Index group, const float* limits, const Use& use) const {
    alignas(64) float bounds[together * bound_kernels::lanes];
    std::int32_t hits[together];
    const Index found = near(group, limits, bounds, hits);
    for (Index h = 0; h < found; ++h) use(Hit{prepared_.begin + hits[h], bounds + hits[h] * bound_kernels::lanes});
  }

 private:
  // Texts of a block: their words as numbers in a group, with weights.
  struct Texts {
    std::vector<Index> starts;
    std::vector<std::int32_t> words;
    std::vector<float> weights;
    void take(const DocumentGroup& group, const DocumentBlock& documents, Range taken);
  };
  void compute_distances(int threads);
  void take_nearest(Index word, const float* distances);
  Index near(Index group, const float* limits, float* bounds, std::int32_t* hits) const;

  std::vector<std::int32_t> marks_;
  DocumentGroup query_group_, target_group_;
  std::vector<float> query_vectors_, query_norms_, target_vectors_;
  Texts queries_, targets_;
  Index stride_ = 0;         // words of queries, rounded up
  Buffer<float> distances_;  // for each 16 words of queries: words of targets x 16
  Buffer<float> nearest_;    // for each group of queries: words of targets x 16, the distance to the nearest query word
  Buffer<float> minima_;     // for each 16 prepared targets: words of queries x 16, to the nearest word of the target
  Buffer<float> others_;     // prepared targets x queries, the side of the queries' words
  Range prepared_{};
  std::vector<std::vector<float>> workspaces_;  // one per thread
  [[nodiscard]] std::vector<float>& workspace(Index size);
};

}  // namespace cairn

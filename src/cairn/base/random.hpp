// Random numbers addressed by (seed, stream, index): the same on any number of ranks, in any order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Purpose of a draw. The streams of one seed are independent.
enum class Stream : std::uint64_t {
  landmarks = 1,
  second_sample = 2,
  probe = 3,
  validation_probe = 4,
  noise = 5,
  generator = 6,
  scaling = 7,
  lanczos = 8,
  evaluation_rows = 9,
  folds = 12,
  start_vectors = 13,
  subsampling = 14,
  transport_anchors = 15,
  transport_rows = 16,
  held_out_rows = 17,
  descent = 18,
  certificate = 19,
  vecchia_order = 20,
  test = 100,
};

/// Philox4x64-10 (Salmon et al. 2011, Random123): a pure function of its address.
class Random {
 public:
  Random(std::uint64_t seed, Stream stream) : seed_(seed), stream_(static_cast<std::uint64_t>(stream)) {}

  /// Four words of 64 random bits at address (i, j); the first is bits(i, j).
  [[nodiscard]] std::array<std::uint64_t, 4> block(std::uint64_t i, std::uint64_t j = 0) const;
  /// 64 random bits at address (i, j).
  [[nodiscard]] std::uint64_t bits(std::uint64_t i, std::uint64_t j = 0) const;
  /// Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform(std::uint64_t i, std::uint64_t j = 0) const;
  /// Uniform integer in [0, bound), bound > 0, without bias beyond 2^-64 * bound.
  [[nodiscard]] Index below(Index bound, std::uint64_t i, std::uint64_t j = 0) const;
  /// Standard normal (Box-Muller on two words of one block).
  [[nodiscard]] double normal(std::uint64_t i, std::uint64_t j = 0) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

/// `count` distinct numbers below `population`, in random order; the first k of them are a uniform sample of size k.
/// Partial Fisher-Yates on a sparse permutation: O(count) time and memory.
/// @throws Error(usage) unless 0 <= count <= population
[[nodiscard]] std::vector<Index> sample_without_replacement(Index population, Index count, const Random& random);

}  // namespace cairn

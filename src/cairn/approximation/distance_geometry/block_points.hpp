// The blocks of divide and conquer, and their points. Private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/base/buffer.hpp"

namespace cairn {

/// Consecutive blocks of an order: adjacent blocks share `common` places. A remainder of fewer than 2 `common` places
/// is added to the block before it. @pre first, size >= 2 common. Local.
[[nodiscard]] std::vector<Range> consecutive_blocks(Index objects, Index first, Index size, Index common);

/// @param name  of the parameter with the size
/// @throws Error(resource) for a block of more than most_optimal_objects if K is not sparse. Local.
void require_few_in_block(Index objects, const char* name, const Values& values);

/// A row-major matrix held by one rank.
struct LocalPoints {
  Index rows = 0;
  Index columns = 0;
  Buffer<double> values;

  [[nodiscard]] MatrixView<double> view() { return {values.data(), rows, columns}; }
  [[nodiscard]] MatrixView<const double> rows_of(Range range) const {
    return {values.data() + range.begin * columns, range.size(), columns};
  }
};

/// Points of all blocks: V_b = U_K (Λ_K^+)^(1/2); columns of eigenvalues that are not positive are 0.
struct BlockPoints {
  RowBlock<double> first;           ///< of block 0, over all ranks
  Range own;                        ///< other blocks on this rank
  std::vector<LocalPoints> others;  ///< their points
  Index deficient = 0;              ///< number of blocks on all ranks with fewer than K positive eigenvalues
};

/// The blocks after the first that a rank holds. Local.
[[nodiscard]] Range blocks_of(Index blocks, int ranks, int rank);

/// Block 0 is decomposed by all ranks together, the others in parallel, one per rank. A sparse K is used through its
/// entries only; distances are converted to inner products block by block.
/// @param order  of all objects, replicated. Memory per rank: its largest block, squared, and its share of the first
/// @throws Error(resource) if K is not sparse and the first block has more than most_optimal_objects. Collective.
template <class T>
[[nodiscard]] BlockPoints block_points(const Problem<T>& problem, const std::vector<Range>& blocks,
                                       const std::vector<Index>& order, Index dimension);

}  // namespace cairn

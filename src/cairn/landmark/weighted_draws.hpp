// Draws with probability proportional to distributed weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// `count` rows, drawn with replacement with probability proportional to their weights: the inverse of the cumulative
/// sum at random.uniform(first), random.uniform(first + 1), ... Sums are formed per RowPartition::unit and added in
/// global order, so that the draws do not depend on the number of ranks.
/// @param weights  of this rank's rows of `partition`, finite and >= 0
/// @return the same on every rank; empty if all weights are 0. Collective.
[[nodiscard]] std::vector<Index> draw_by_weight(const Communicator& communicator, const RowPartition& partition,
                                                std::span<const double> weights, Index count, const Random& random,
                                                std::uint64_t first);

/// The sum of the weights, as draw_by_weight adds them. Collective.
[[nodiscard]] double sum_of_weights(const Communicator& communicator, const RowPartition& partition,
                                    std::span<const double> weights);

}  // namespace cairn

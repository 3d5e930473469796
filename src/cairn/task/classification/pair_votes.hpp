// Combines pairwise comparisons of classes into votes and a winning class.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cairn {

struct PairVotes {
  std::vector<int> votes;  ///< of each class
  std::size_t winner = 0;  ///< the class with most votes; of equal ones the one with the larger sum of its values, then
                           ///< the one with the smaller label
};

/// The value of a pair votes for its first class if it is above 0, else for the second. The result does not depend on
/// the order of the classes, except for values that are exactly 0.
/// @param labels  of the classes, all different
/// @param values  of their pairs (0, 1), (0, 2), ..., (1, 2), ... Local.
[[nodiscard]] PairVotes count_pair_votes(std::span<const int> labels, std::span<const double> values);

}  // namespace cairn

// Classes that are compared in pairs: votes, and which class wins.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cairn {

struct PairVotes {
  std::vector<int> votes;  ///< of each class
  std::size_t winner = 0;  ///< the class with most votes; of equal ones that with the larger sum of its values, then
                           ///< the one with the smaller label
};

/// A pair's value votes for its first class if it is above 0, else for its second one. The result does not depend on
/// the order in which the classes come, but for values that are exactly 0.
/// @param labels  of the classes, all different
/// @param values  of their pairs (0, 1), (0, 2), ..., (1, 2), ... Local.
[[nodiscard]] PairVotes count_pair_votes(std::span<const int> labels, std::span<const double> values);

}  // namespace cairn

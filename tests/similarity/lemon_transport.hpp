// The transportation problem by another program's network simplex.
#pragma once

#include <vector>

namespace cairn::test {

/// min sum f c, f >= 0, row sums `supply`, column sums `demand` (integers of equal sums); costs row by row. By
/// LEMON's NetworkSimplex, on costs rounded to 2^-45 of the largest: with costs that are not integers it may go
/// round in circles where there are ties.
/// @return NaN where it finds no optimum
double lemon_transport(const std::vector<double>& costs, const std::vector<long long>& supply,
                       const std::vector<long long>& demand);

}  // namespace cairn::test

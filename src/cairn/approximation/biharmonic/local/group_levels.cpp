#include "cairn/approximation/biharmonic/local/group_levels.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

constexpr double rim_share =
    0.3;  // of the least value that is kept: what a vertex may hold at most for the regions next
          // to it not to be looked at; beyond it a column that crosses 0 there rises again

}  // namespace

void GroupLevels::add(const Patch& patch, PartialSolver& solver, std::span<const std::int32_t> regions) {
  wanted_.clear();
  for (const std::int32_t region : regions) {
    if (!patch.holds(region)) continue;
    const auto nodes = patch.nodes_of(region);
    wanted_.insert(wanted_.end(), nodes.begin(), nodes.end());
  }
  solver.extend(wanted_);
  for (const std::int32_t region : regions) {
    std::array<double, lanes>& largest = largest_.emplace_back();
    if (!patch.holds(region)) continue;
    for (const std::int32_t node : patch.nodes_of(region)) {
      const double* const values = solver.at(node);
      for (std::size_t lane = 0; lane < columns_; ++lane) {
        counts_[lane].add(values[lane]);
        largest[lane] = std::max(largest[lane], std::abs(values[lane]));
      }
    }
  }
}

GroupLevels::Least GroupLevels::least() const {
  Least least{};
  for (std::size_t lane = 0; lane < columns_; ++lane) {
    const double smallest_kept = kept_ == 0 ? tolerance_ : counts_[lane].at_least(kept_);
    least[lane] = smallest_kept > 0.0 ? std::max(rim_share * smallest_kept, tolerance_) : 0.0;
  }
  return least;
}

bool GroupLevels::exceed(const double* values, const Least& least) const {
  bool exceeds = false;
  for (std::size_t lane = 0; lane < columns_; ++lane) exceeds = exceeds || std::abs(values[lane]) > least[lane];
  return exceeds;
}

}  // namespace cairn

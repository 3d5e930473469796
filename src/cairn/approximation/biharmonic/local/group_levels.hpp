// How large some columns of P are around their landmarks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/local/partial_solve.hpp"
#include "cairn/approximation/biharmonic/local/patch.hpp"

namespace cairn {

/// Columns that are solved for together, while the regions of a patch where they are known grow in number.
class GroupLevels {
 public:
  /// @param columns  at most `lanes` @param tolerance  values up to it count for nothing @param kept  entries of a
  /// column that will be kept; 0: all
  GroupLevels(std::size_t columns, double tolerance, Index kept)
      : columns_(columns), tolerance_(tolerance), kept_(kept) {}

  /// Computes the columns on more regions; what is not held by the patch counts for nothing.
  void add(const Patch& patch, PartialSolver& solver, std::span<const std::int32_t> regions);

  /// Of each column what a value must exceed for more to be looked for next to it.
  using Least = std::array<double, lanes>;
  [[nodiscard]] Least least() const;
  /// Whether some value does in the k-th region that was added.
  [[nodiscard]] bool exceeds(std::size_t k, const Least& least) const { return exceed(largest_[k].data(), least); }
  /// Whether one of these values, one a column, does.
  [[nodiscard]] bool exceed(const double* values, const Least& least) const;

 private:
  std::size_t columns_;
  double tolerance_;
  Index kept_;
  std::array<MagnitudeCounts, lanes> counts_;
  std::vector<std::array<double, lanes>> largest_;  // by region
  std::vector<std::int32_t> wanted_;
};

}  // namespace cairn

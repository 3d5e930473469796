#include "cairn/approximation/biharmonic/column_selection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cairn {

namespace {

// The kept-th largest magnitude, and how many entries of exactly this magnitude are kept.
struct Threshold {
  double magnitude = 0.0;
  Index equal = 0;
};

Threshold threshold_of(std::span<const double> values, Index kept) {
  if (kept == 0 || kept >= static_cast<Index>(values.size())) return {};
  MagnitudeCounts counts;
  for (const double value : values) counts.add(value);
  auto [bin, above] = counts.place(kept);
  std::vector<double> magnitudes;
  for (const double value : values) {
    if (MagnitudeCounts::bin_of(value) == bin) magnitudes.push_back(std::abs(value));
  }
  const auto last = magnitudes.begin() + (kept - above - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>());
  const double magnitude = *last;
  above += std::count_if(magnitudes.begin(), last, [&](double m) { return m > magnitude; });
  return {magnitude, kept - above};
}

}  // namespace

MagnitudeCounts::Place MagnitudeCounts::place(Index kept) const {
  std::size_t bin = bins - 1;
  Index above = 0;
  for (; bin > 0 && above + counts_[bin] < kept; --bin) above += counts_[bin];
  return {bin, above};
}

double MagnitudeCounts::at_least(Index kept) const {
  const std::size_t bin = place(kept).bin;
  return bin == 0 ? 0.0 : std::bit_cast<double>((first_bin + bin) << 48);
}

ColumnSolver::Column select_largest(Index landmark, std::span<const std::int32_t> vertices,
                                    std::span<const double> values, Index kept) {
  const Threshold threshold = threshold_of(values, kept);
  ColumnSolver::Column column;
  column.landmark = landmark;
  column.smallest = threshold.magnitude;
  const auto budget = kept == 0 ? values.size() : std::min(values.size(), static_cast<std::size_t>(kept));
  column.vertices.reserve(budget);
  column.values.reserve(budget);
  Index equal = threshold.equal;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double magnitude = std::abs(values[k]);
    column.all += magnitude * magnitude;
    if (magnitude > threshold.magnitude || (magnitude == threshold.magnitude && magnitude > 0.0 && equal-- > 0)) {
      column.vertices.push_back(vertices[k]);
      column.values.push_back(values[k]);
    } else {
      column.dropped += magnitude * magnitude;
    }
  }
  return column;
}

}  // namespace cairn

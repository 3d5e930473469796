#include "approximation/column_selection.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

// The kept-th largest magnitude, and how many entries have just this magnitude and are kept.
struct Threshold {
  double magnitude = 0.0;
  Index equal = 0;
};

Threshold threshold_of(std::span<const double> values, Index kept) {
  std::vector<double> magnitudes;
  magnitudes.reserve(values.size());
  for (const double value : values) {
    if (value != 0.0) magnitudes.push_back(std::abs(value));
  }
  if (kept == 0 || kept >= static_cast<Index>(magnitudes.size())) return {};
  const auto last = magnitudes.begin() + (kept - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>());
  const double magnitude = *last;
  const auto above = std::count_if(magnitudes.begin(), last, [&](double m) { return m > magnitude; });
  return {magnitude, kept - static_cast<Index>(above)};
}

}  // namespace

ColumnSolver::Column select_largest(Index landmark, std::span<const std::int32_t> vertices,
                                    std::span<const double> values, Index kept) {
  const Threshold threshold = threshold_of(values, kept);
  ColumnSolver::Column column;
  column.landmark = landmark;
  column.smallest = threshold.magnitude;
  const auto room = kept == 0 ? values.size() : std::min(values.size(), static_cast<std::size_t>(kept));
  column.vertices.reserve(room);
  column.values.reserve(room);
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

// Correlation of two lists of numbers.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace cairn {

/// Pearson's correlation of two lists of equal length; none if one of them is constant. Local.
[[nodiscard]] std::optional<double> pearson(std::span<const double> a, std::span<const double> b);

/// Ranks from 1; equal values get their mean rank. Local.
[[nodiscard]] std::vector<double> mean_ranks(std::span<const double> values);

/// Spearman's correlation: Pearson's of the mean ranks. Local.
[[nodiscard]] std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace cairn

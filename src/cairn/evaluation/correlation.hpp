// How two lists of numbers go together.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace cairn {

/// Pearson's correlation of two lists of one length; nothing if one of them does not vary. Local.
[[nodiscard]] std::optional<double> pearson(std::span<const double> a, std::span<const double> b);

/// Ranks from 1; equal values share the mean of theirs. Local.
[[nodiscard]] std::vector<double> mean_ranks(std::span<const double> values);

/// Spearman's correlation: Pearson's of the mean ranks. Local.
[[nodiscard]] std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace cairn

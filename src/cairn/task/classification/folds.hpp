// Folds for cross-validation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// The fold, from 0, of each of some rows: stratified, so that the rows of a class, and all rows, are spread evenly
/// (numbers differ by one at most).
///
/// The rows of each class are dealt in a random order, class after class; the order depends on the rows' numbers and
/// the seed alone. Local: every rank that is given the same rows finds the same folds.
/// @param classes, rows  class and global number of each
[[nodiscard]] std::vector<std::int32_t> stratified_folds(std::span<const std::int32_t> classes,
                                                         std::span<const Index> rows, Index folds, std::uint64_t seed);

}  // namespace cairn

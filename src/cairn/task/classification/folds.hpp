// Folds for cross-validation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// The fold, from 0, of each of some rows: stratified, so that the rows of a class, and all rows, are spread evenly
/// (numbers differ by one at most).
///
/// The rows of each class are dealt in a random order, class after class; the order depends on the rows' numbers and
/// the seed alone. Local: every rank that is given the same rows finds the same folds.
/// @param classes, rows  class and global number of each
[[nodiscard]] std::vector<std::int32_t> stratified_folds(std::span<const std::int32_t> classes,
                                                         std::span<const Index> rows, Index folds, std::uint64_t seed);

/// The same in the order of the rows: the first rows / folds rows are fold 0, and so on, sizes differ by one at most.
/// Local.
[[nodiscard]] std::vector<std::int32_t> consecutive_folds(std::size_t rows, Index folds);

/// @param present  classes that have rows @throws Error(input) that names a class all of whose rows are in one fold: it
/// cannot be both learned and tested. Local.
void require_several_folds(std::span<const std::int32_t> classes, std::span<const std::int32_t> folds,
                           const std::vector<std::string>& names);

/// How rows are dealt to folds.
enum class FoldOrder { random, file };

/// The folds that cross-validation takes: stratified_folds(), or consecutive_folds() of which no class fills one alone.
/// @param names  of the classes @param keys  of a parameter `folds`, which messages name
/// @throws Error(usage) for more folds than rows; as require_several_folds(). Local.
[[nodiscard]] std::vector<std::int32_t> deal_folds(FoldOrder order, std::span<const std::int32_t> classes,
                                                   std::span<const Index> rows, const std::vector<std::string>& names,
                                                   Index folds, std::uint64_t seed, const KeyNames& keys);

}  // namespace cairn

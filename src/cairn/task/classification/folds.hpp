// Folds for cross-validation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Order in which rows are assigned to folds.
enum class FoldOrder { random, file };

/// Fold number, from 0, of each row. Stratified: the rows of each class, and all rows, are spread evenly (numbers
/// differ by at most one).
///
/// The rows of each class are assigned in a random order, class after class. The order depends only on the rows'
/// numbers and the seed. Local: every rank computes the same folds for the same rows.
/// @param classes, rows  class and global number of each row
[[nodiscard]] std::vector<std::int32_t> stratified_folds(std::span<const std::int32_t> classes,
                                                         std::span<const Index> rows, Index folds, std::uint64_t seed);

/// As stratified_folds, in the order of the rows: the first rows / folds rows are fold 0, and so on; sizes differ by at
/// most one. Local.
[[nodiscard]] std::vector<std::int32_t> consecutive_folds(std::size_t rows, Index folds);

/// Folds of whole groups. Random order: groups are placed in a random order, each in the fold with the fewest rows, so
/// that folds have nearly as many rows each. File order: nearly as many groups each, in the order of their first rows.
/// Local.
/// @param groups, rows  number of the group, and global number, of each row @pre no fewer groups than folds
[[nodiscard]] std::vector<std::int32_t> folds_of_groups(FoldOrder order, std::span<const Index> groups,
                                                        std::span<const Index> rows, Index folds, std::uint64_t seed);

/// @param present  classes that have rows @throws Error(input) that names a class with all rows in one fold: it cannot
/// be both learned and tested. Local.
void require_several_folds(std::span<const std::int32_t> classes, std::span<const std::int32_t> folds,
                           const std::vector<std::string>& names);

/// Rows to be assigned to folds. Lists of equal length.
struct FoldRows {
  std::span<const std::int32_t> classes;
  std::span<const Index> rows;      ///< global numbers
  std::span<const Index> groups{};  ///< numbers of their groups, which are not split; empty: no groups
};

/// The folds for cross-validation: stratified_folds(), or consecutive_folds() or folds_of_groups() with no class
/// entirely in one fold.
/// @param names  of the classes @param keys  names of a parameter `folds` in messages
/// @throws Error(usage) for more folds than rows, or than groups; as require_several_folds(). Local.
[[nodiscard]] std::vector<std::int32_t> deal_folds(FoldOrder order, const FoldRows& dealt,
                                                   const std::vector<std::string>& names, Index folds,
                                                   std::uint64_t seed, const KeyNames& keys);

}  // namespace cairn

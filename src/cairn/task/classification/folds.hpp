// Folds for cross-validation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// How rows are dealt to folds.
enum class FoldOrder { random, file };

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

/// Folds of whole groups: of nearly as many rows each, by groups in a random order, each put where there are fewest
/// rows; or of nearly as many groups each, in the order of their first rows. Local.
/// @param groups, rows  number of the group, and global number, of each row @pre no fewer groups than folds
[[nodiscard]] std::vector<std::int32_t> folds_of_groups(FoldOrder order, std::span<const Index> groups,
                                                        std::span<const Index> rows, Index folds, std::uint64_t seed);

/// @param present  classes that have rows @throws Error(input) that names a class all of whose rows are in one fold: it
/// cannot be both learned and tested. Local.
void require_several_folds(std::span<const std::int32_t> classes, std::span<const std::int32_t> folds,
                           const std::vector<std::string>& names);

/// Rows that are dealt. Lists of equal length.
struct FoldRows {
  std::span<const std::int32_t> classes;
  std::span<const Index> rows;      ///< global numbers
  std::span<const Index> groups{};  ///< numbers of their groups, which stay whole; none: there are none
};

/// The folds that cross-validation takes: stratified_folds(), or consecutive_folds() or folds_of_groups() of which no
/// class fills one alone.
/// @param names  of the classes @param keys  of a parameter `folds`, which messages name
/// @throws Error(usage) for more folds than rows, or groups; as require_several_folds(). Local.
[[nodiscard]] std::vector<std::int32_t> deal_folds(FoldOrder order, const FoldRows& dealt,
                                                   const std::vector<std::string>& names, Index folds,
                                                   std::uint64_t seed, const KeyNames& keys);

}  // namespace cairn

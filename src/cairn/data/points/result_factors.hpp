// Factors of a result file as points: U = L J, V = R. Private to this folder.
#pragma once

#include <memory>
#include <string>

#include "cairn/base/execution.hpp"
#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// Where the factors of the result at `path` are. @param keys  of the path
/// @throws Error(input) if it is no result, or K~ is no product of its factors that are dense: its left factor is
///   sparse, its entries are roots of those of L J Rᵀ, or means of two. Local.
[[nodiscard]] PointSource result_left(const std::string& path, const KeyNames& keys);
/// R, or L if the result has no other.
[[nodiscard]] PointSource result_right(const std::string& path, const KeyNames& keys);
/// Rows and columns of L J. Local.
[[nodiscard]] PointShape result_left_shape(const std::string& path, const KeyNames& keys);

/// L J for L, and its labels. @throws Error(input) if J is not sound. Collective.
template <class T>
[[nodiscard]] PointSet<T> joined_left(const Execution& execution, const std::string& path, PointSet<T> left,
                                      const KeyNames& keys);

}  // namespace cairn

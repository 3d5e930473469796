// Entries and columns of K~ whose L is evaluated when it is asked for.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/base/buffer.hpp"

namespace cairn {

/// As approximate_entries, where L is LandmarkRows: each rank evaluates the rows that its entries need, some MiB of
/// them at a time. @param core  J on every rank; empty: its columns come in panels. Collective.
template <class T>
[[nodiscard]] std::vector<double> entries_by_landmarks(const Execution& execution,
                                                       const Approximation<T>& approximation,
                                                       const Buffer<double>& core, std::span<const Index> rows,
                                                       std::span<const Index> columns);

/// As approximate_columns, where L is LandmarkRows: takes n s + s columns.size() evaluations. Collective.
template <class T>
[[nodiscard]] RowBlock<double> columns_by_landmarks(const Execution& execution, const Approximation<T>& approximation,
                                                    std::span<const Index> columns);

}  // namespace cairn

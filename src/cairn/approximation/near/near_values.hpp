// Entries of K~ + S.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"

namespace cairn {

/// Entries (rows[p], columns[p]) of K~ + S, of the pairs that this rank asks for (another list on every rank).
/// @param near  S, or null @throws as approximate_entries. Collective.
template <class T>
[[nodiscard]] std::vector<double> entries_with_near(const Execution& execution, const Approximation<T>& approximation,
                                                    const NearEntries<T>* near, std::span<const Index> rows,
                                                    std::span<const Index> columns);

}  // namespace cairn

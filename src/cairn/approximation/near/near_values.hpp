// Entries of K~ + S.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"

namespace cairn {

/// Entries (rows[p], columns[p]) of K~ + S for the pairs that this rank requests (each rank has its own list). @param
/// near  S, or null @throws as approximate_entries. Collective.
template <class T>
[[nodiscard]] std::vector<double> entries_with_near(const Execution& execution, const Approximation<T>& approximation,
                                                    const NearEntries<T>* near, std::span<const Index> rows,
                                                    std::span<const Index> columns);

}  // namespace cairn

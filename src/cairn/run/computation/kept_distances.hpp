// Distances of an earlier run, and distances that this run keeps for later ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/computation/run_keys.hpp"
#include "cairn/similarity/distance_table.hpp"

namespace cairn {

/// Distances that a run reuses and keeps.
struct DistanceUse {
  std::string reuse{};  ///< a result of the same data whose distances are not evaluated again; empty: none
  bool keep = false;    ///< returns the run's own distances
};

/// Table for the similarity of `exact`, which uses it from now on; null if no distances are reused or kept.
/// @throws Error(input) for a file of other data or another scaling, or one without distances or with others;
/// Error(usage) if its precision is not that of the run. Collective.
template <class T>
[[nodiscard]] std::shared_ptr<DistanceTable<T>> use_distances(const Execution& execution, const Data<T>& data,
                                                              const ExactMatrix<T>& exact, const DistanceUse& use,
                                                              const RunKeys& keys);

/// Outcome of reusing distances, one sentence each; empty if none were read. The same on every rank. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const DistanceTable<T>* table, const DistanceUse& use);

}  // namespace cairn

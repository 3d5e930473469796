// Distances of an earlier run, and those that this one keeps for later ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/run_keys.hpp"
#include "cairn/similarity/distance_table.hpp"

namespace cairn {

/// Which distances a run takes and keeps.
struct DistanceUse {
  std::string reuse{};  ///< a result of the same data that has distances, which are not evaluated again; empty: none
  bool keep = false;    ///< the run's own are handed back
};

/// A table for the similarity of `exact`, which uses it from now on; null if no distances are taken or kept.
/// @throws Error(input) for a file of other data or another scaling, or one that holds no distances or others;
///   Error(usage) if its precision is not that of the run. Collective.
template <class T>
[[nodiscard]] std::shared_ptr<DistanceTable<T>> use_distances(const Execution& execution, const Data<T>& data,
                                                              const ExactMatrix<T>& exact, const DistanceUse& use,
                                                              const RunKeys& keys);

/// What came of the distances that were read, a sentence each; none if none were. The same on every rank. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const DistanceTable<T>* table, const DistanceUse& use);

}  // namespace cairn

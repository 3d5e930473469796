// Factor rows of objects that were not in the data.
#pragma once

#include <string>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// Rows of a factor for `unseen` objects: K(unseen, landmarks) * map, or features(unseen), distributed as `unseen`.
///
/// For objects of the data set these are the factor's own rows, except those of SMS-Nystrom's landmarks with shift =
/// both, which include the shift.
/// @param loop  name of the loop over tiles, unique within a run
/// Collective. Memory: two blocks of unseen.size() x landmarks if the origin has a map.
template <class T>
[[nodiscard]] RowBlock<T> extend_factor(const Execution& execution, const Similarity<T>& similarity,
                                        const ObjectSet& unseen, const FactorOrigin& origin,
                                        const std::string& loop = "extend");

/// Replaces the factors of `approximation` by those of `unseen` objects. The landmarks of the left factor are evaluated
/// once if they are among those of the right one. For a rectangular result only one factor is replaced, the right one
/// if `right`. @pre it has a left_origin, and a right_origin if it has a right factor Collective. Memory: three blocks
/// of unseen.size() x landmarks at most.
template <class T>
void extend_factors(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& unseen,
                    Approximation<T>& approximation, bool right = false);

}  // namespace cairn

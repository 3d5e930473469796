// The mean of both directions of a similarity that is not symmetric.
#pragma once

#include <memory>

#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// (k(x, y) + k(y, x)) / 2, at two evaluations of `directed` an entry, which must give (x, y) where it is asked for it
/// and never (y, x) instead. Its name and parameters are those of `directed`, and symmetrize = true.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_symmetrized(std::unique_ptr<Similarity<T>> directed);

}  // namespace cairn

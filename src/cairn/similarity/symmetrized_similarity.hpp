// Mean of both directions of a similarity that is not symmetric.
#pragma once

#include <memory>

#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// (k(x, y) + k(y, x)) / 2, two evaluations of `directed` per entry. For (x, y), `directed` must return k(x, y), never
/// k(y, x). The name and parameters are those of `directed`, with symmetrize = true.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_symmetrized(std::unique_ptr<Similarity<T>> directed);

}  // namespace cairn

// The memory of kernel ridge regression on K itself.
#pragma once

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"

namespace cairn {

/// Bytes of a rank, without the core matrix and its eigenvectors.
struct FullRidgeBytes {
  Index objects = 0, vectors = 0, preconditioner = 0;
  [[nodiscard]] Index sum() const { return objects + vectors + preconditioner; }
};

/// @param rows  to train on, over all ranks @param columns  right sides @param features  columns of a dense L
/// Collective.
template <class T>
[[nodiscard]] FullRidgeBytes bytes_of_full_ridge(const Execution& execution, const ObjectSet& objects, Index rows,
                                                 Index columns, Index features);

}  // namespace cairn

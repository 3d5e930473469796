// P of an earlier result, for another similarity of the same objects.
#pragma once

#include <memory>
#include <string>

#include "cairn/landmark/landmarks.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/run/computation/run_keys.hpp"

namespace cairn {

template <class T>
struct ReusedRows {
  SparseRows<T> rows;                           ///< P
  Landmarks<T> landmarks;                       ///< its columns: only the numbers
  std::string selection;                        ///< of the landmarks
  std::string path;                             ///< of the result
  std::shared_ptr<const HangingTrees> trees{};  ///< as in Approximation
};

/// P and the landmarks of the result named by the method's `reuse`, on any number of ranks.
/// @throws Error(input) if it has no P, or belongs to other data or another scaling; Error(usage) if it has another
/// precision. Collective.
template <class T>
[[nodiscard]] ReusedRows<T> read_reused_rows(const Execution& execution, const Data<T>& data,
                                             const MethodChoice& method, const RunKeys& keys = {});

/// Its sizes, for a plan.
struct ReusedShape {
  Index landmarks = 0;
  Index entries = 0;  ///< of P
};
/// @param similarity  its kind @throws Error(input) as read_reused_rows(); Error(usage) if P has pendant trees, which
/// are not exact for this similarity and transform. Collective.
[[nodiscard]] ReusedShape reused_shape(const Communicator& communicator, const MethodChoice& method,
                                       const std::string& similarity);

}  // namespace cairn

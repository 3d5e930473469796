// Rigid motions that align point sets. Private to this folder.
#pragma once

#include <vector>

#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// x -> Q x + t in K dimensions.
struct Motion {
  std::vector<double> rotation;  ///< Q, K x K, row-major; reflections are allowed
  std::vector<double> shift;     ///< t

  [[nodiscard]] Index dimension() const { return static_cast<Index>(shift.size()); }
};

[[nodiscard]] Motion no_motion(Index dimension);

/// x -> outer(inner(x)). Local.
[[nodiscard]] Motion composed(const Motion& outer, const Motion& inner);

/// Moves points, one per row, in place. Local.
void move(MatrixView<double> points, const Motion& motion);

struct Alignment {
  Motion motion;
  double residual = 0;  ///< Frobenius norm of what remains, relative to that of the centered targets
  Index rank = 0;       ///< of AᵀB: if below K, the rotation is not unique
};

/// The motion that minimizes Σ |a_k - (Q b_k + t)|² over the rows a_k, b_k. [Schönemann 1966: Q = U Vᵀ, AᵀB = U Σ Vᵀ, A
/// and B centered] Where A and B do not determine Q, it is completed by the rotation nearest to the identity.
/// @param translate  false: t = 0, and nothing is centered
/// @throws Error(numeric) for entries that are not finite. Local.
[[nodiscard]] Alignment align(MatrixView<const double> a, MatrixView<const double> b, bool translate);

}  // namespace cairn

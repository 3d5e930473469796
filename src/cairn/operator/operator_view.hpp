// The arrays of a biharmonic operator, for inner loops.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// Plain pointers into a BiharmonicOperator, which must outlive it.
struct OperatorView {
  OperatorView() = default;
  explicit OperatorView(const BiharmonicOperator& op)
      : size(op.size()),
        starts(op.starts.values().data()),
        neighbors(op.neighbors.values().data()),
        weights(op.weights.empty() ? nullptr : op.weights.values().data()),
        degrees(op.degrees.values().data()),
        inverse_masses(op.inverse_mass.empty() ? nullptr : op.inverse_mass.values().data()) {}

  [[nodiscard]] double weight(Index arc) const { return weights == nullptr ? 1.0 : weights[arc]; }
  [[nodiscard]] double inverse_mass(Index vertex) const {
    return inverse_masses == nullptr ? 1.0 : inverse_masses[vertex];
  }

  Index size = 0;
  const Index* starts = nullptr;
  const std::int32_t* neighbors = nullptr;
  const double* weights = nullptr;  ///< null: all 1
  const double* degrees = nullptr;
  const double* inverse_masses = nullptr;  ///< null: all 1
};

/// The lower triangle of a symmetric matrix by columns, rows ascending, the diagonal first. I: CHOLMOD's integer.
template <class I>
struct LowerTriangle {
  std::vector<I> starts{0};
  std::vector<I> rows;
  std::vector<double> values;
  double norm = 0.0;  ///< 1-norm of the whole matrix
};

/// M = (V - A)ᵀ D⁻¹ (V - A) on some vertices: rows of V - A outside them contribute, columns do not.
/// @param vertices  the matrix's rows, in its order
/// @param position  for every vertex its row, or -1
/// @throws Error(resource) if the number of entries exceeds the range of I. Local.
template <class I>
[[nodiscard]] LowerTriangle<I> principal_submatrix(const OperatorView& op, const std::vector<std::int32_t>& vertices,
                                                   const std::int32_t* position);

/// L = V - A on some vertices, likewise. Local.
template <class I>
[[nodiscard]] LowerTriangle<I> laplacian_submatrix(const OperatorView& op, const std::vector<std::int32_t>& vertices,
                                                   const std::int32_t* position);

/// Number of entries of that triangle, estimated from a thousand of its rows. Local. Memory: 9 bytes per row.
[[nodiscard]] double estimated_entries(const OperatorView& op, const std::vector<std::int32_t>& vertices,
                                       const std::int32_t* position);

}  // namespace cairn

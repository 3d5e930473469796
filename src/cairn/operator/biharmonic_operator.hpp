// The discrete biharmonic operator M = (V - A)ᵀ D⁻¹ (V - A), kept as its parts.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// Edge flips on a mesh, which make all weights inside the surface nonnegative.
struct EdgeFlips {
  Index edges = 0;    ///< number of edges of the triangulation
  Index flipped = 0;  ///< number of these that are not edges of the mesh
};

/// A (weighted, symmetric, in compressed rows, without diagonal) and the lumped mass D, once per node.
/// [Turek and Huth 2022, equation 7.] V is the diagonal of A's row sums. Fewer than 2^31 vertices.
struct BiharmonicOperator {
  std::string kind;                   ///< graph, cotangent, neighbors
  NodeArray<Index> starts;            ///< n + 1
  NodeArray<std::int32_t> neighbors;  ///< ascending within a row
  NodeArray<double> weights;          ///< A_ij; empty: all 1
  NodeArray<double> degrees;          ///< V_ii
  NodeArray<double> inverse_mass;     ///< 1 / D_ii; empty: all 1
  EdgeFlips flips{};                  ///< cotangent: edge flips on the mesh

  [[nodiscard]] Index size() const { return starts.size() - 1; }
  [[nodiscard]] double weight(Index arc) const { return weights.empty() ? 1.0 : weights[arc]; }
  [[nodiscard]] double inverse_mass_of(Index vertex) const { return inverse_mass.empty() ? 1.0 : inverse_mass[vertex]; }
};

}  // namespace cairn

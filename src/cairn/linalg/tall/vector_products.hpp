// Matrices that are small compared with the tall factors, times a vector that every rank holds.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"

namespace cairn {

/// A x, or Aᵀ x if `transpose` is set: each rank multiplies its part, every rank gets the sum.
/// @param x  as long as op(A) has columns, the same on every rank
/// @throws Error(internal) for another length. Collective.
[[nodiscard]] std::vector<double> multiply_vector(const BlockCyclicMatrix& matrix, bool transpose,
                                                  std::span<const double> x);

/// W x for a symmetric W in tiles: each rank multiplies its own, in one pass over them (with one thread if they are on
/// disk).
/// Memory: as many vectors as threads. @throws Error(internal) for another length, what SymmetricTiles::read throws.
/// Collective.
[[nodiscard]] std::vector<double> multiply_vector(const Communicator& communicator, const SymmetricTiles& matrix,
                                                  std::span<const double> x, int threads);

}  // namespace cairn

// Products with V - A by all ranks together.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/approximation/biharmonic/operator_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/sparse/petsc_object.hpp"

namespace cairn {

/// The rows of V - A of this rank's vertices, as distributed by RowPartition(n, ranks), and the data to fetch the
/// values of their neighbors. Memory: 12 bytes (16 with weights) per arc and 24 per own vertex.
class LaplacianRows {
 public:
  /// @param communicator  must outlive this, as must `op`
  /// @throws Error(resource) for more vertices than PETSc can count. Collective.
  LaplacianRows(const Communicator& communicator, const OperatorView& op);

  [[nodiscard]] Index size() const { return partition_.rows(); }
  [[nodiscard]] Range range() const { return range_; }
  /// A zero vector with one value per vertex. Collective.
  [[nodiscard]] PetscVector vector() const;
  /// y = (V - A) x by sums of weighted differences: constants cancel before multiplication. `y` may be `x`. Collective.
  void multiply(Vec x, Vec y);
  /// x = D⁻¹ x, or D x.
  void divide_by_mass(Vec x) const;
  void multiply_by_mass(Vec x) const;

  /// V - A with some rows and columns replaced by those of the identity times V, for a preconditioner.
  /// @param fixed     by own vertex: true if its row is replaced
  /// @param diagonal  by own vertex: value added to the diagonal; empty: nothing
  /// Collective.
  [[nodiscard]] PetscMatrix matrix(const std::vector<char>& fixed, const std::vector<double>& diagonal);

 private:
  void gather(Vec x);
  void find_ghosts();
  void check(PetscErrorCode code, const char* call) const;

  const Communicator& communicator_;
  OperatorView op_;
  RowPartition partition_;
  Range range_;
  std::vector<std::int32_t> ghosts_;     // vertices of other ranks adjacent to own ones, ascending
  std::vector<std::int32_t> neighbors_;  // by arc of own vertices: positions in values_
  std::vector<double> values_;           // of own vertices, then of ghosts
  PetscVector global_, ghost_values_;
  PetscTransfer transfer_;
};

}  // namespace cairn

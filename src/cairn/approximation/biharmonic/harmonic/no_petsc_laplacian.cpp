// In place of petsc_laplacian.cpp where CAIRN_PETSC is OFF.
#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

std::unique_ptr<LaplacianSolver> make_petsc_laplacian(const LaplacianRows& rows,
                                                      const std::vector<Index>& /*landmarks*/,
                                                      const PetscChoice& /*choice*/) {
  start_slepc(rows.communicator());  // which says that there is none
  return nullptr;
}

}  // namespace cairn

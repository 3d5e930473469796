// In place of krylov_schur.cpp where CAIRN_PETSC is OFF.
#include "cairn/linalg/krylov/krylov_schur.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

EigenPairs extreme_eigenpairs(const Communicator& communicator, const SymmetricOperator& /*product*/,
                              const EigenRequest& /*request*/, const std::string& /*progress*/) {
  start_slepc(communicator);
  return {};
}

}  // namespace cairn

// In place of petsc.cpp and slepc_session.cpp where CAIRN_PETSC is OFF.
#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

void start_slepc(const Communicator& /*communicator*/) {
  throw Error(ErrorKind::resource,
              "this build of Cairn has no PETSc and SLEPc (CAIRN_PETSC = OFF), which this step needs");
}

bool has_petsc() { return false; }

Index slepc_bytes() { return 0; }

}  // namespace cairn

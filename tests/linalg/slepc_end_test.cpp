// MPI_Finalize ends SLEPc: where that fails, the results are written already, and the program says it and goes on.
#include <mpi.h>
#include <slepcsys.h>

#include <cstdio>

#include "cairn/linalg/sparse/slepc_session.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const cairn::Communicator world(MPI_COMM_WORLD);
    cairn::start_slepc(world);
    // This program is linked with PETSc and may have a copy of its variable; a session has a communicator of its own.
    if (PETSC_COMM_WORLD == MPI_COMM_WORLD) return 2;
    if (SlepcFinalize() != 0) return 1;  // the second one, in MPI_Finalize, fails
    world.barrier();
  }
  MPI_Finalize();
  std::puts("ended");
  return 0;
}

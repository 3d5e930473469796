#include "report/version.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <boost/version.hpp>

#include "build_facts.hpp"
#include "cairn/linalg/dense/blas_kernels.hpp"

namespace cairn::app {

std::string version() { return build_version; }
std::string commit() { return build_commit; }

std::string libraries() {
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(mpi, &length);  // one of the few calls that MPI allows before its initialization
  std::string name(mpi, static_cast<std::size_t>(length));
  name = name.substr(0, name.find_first_of(",\n"));  // of MPICH "MPICH Version:\t4.0.2" and its configuration
  if (const auto mark = name.find(" Version:\t"); mark != std::string::npos) name.replace(mark, 10, " ");
  const std::string kernels = blas_kernels();
  return fmt::format("{}, HDF5 {}, PETSc {}, SLEPc {}, Boost {}.{}.{}, {}{}", name, build_hdf5, build_petsc,
                     build_slepc, BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100,
                     build_compiler, kernels.empty() ? "" : fmt::format(", OpenBLAS with kernels for {}", kernels));
}

std::string version_text() { return fmt::format("cairn {} ({})\n{}\n", version(), commit(), libraries()); }

}  // namespace cairn::app

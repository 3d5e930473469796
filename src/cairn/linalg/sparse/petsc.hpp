// The functions of PETSc and SLEPc that Cairn calls. The libraries are loaded on first use: Debian's PETSc loads fifty
// others, which added 60 ms and 15 MB to every start on every rank.
#pragma once

// Without this, PETSc's headers would count MPI calls in variables of the library.
#ifndef PETSC_HAVE_BROKEN_RECURSIVE_MACRO
#define PETSC_HAVE_BROKEN_RECURSIVE_MACRO 1
#endif
#include <slepceps.h>

#include <string>
#include <vector>

// clang-format off
#define CAIRN_PETSC_FUNCTIONS(of) \
  of(BVSetType) \
  of(EPSComputeError) of(EPSCreate) of(EPSDestroy) of(EPSGetBV) of(EPSGetConverged) of(EPSGetEigenvalue) \
  of(EPSGetEigenvector) of(EPSGetIterationNumber) of(EPSMonitorSet) of(EPSSetConvergenceTestFunction) \
  of(EPSSetDeflationSpace) of(EPSSetDimensions) of(EPSSetInitialSpace) of(EPSSetOperators) of(EPSSetProblemType) \
  of(EPSSetStoppingTestFunction) of(EPSSetTolerances) of(EPSSetType) of(EPSSetWhichEigenpairs) of(EPSSolve) \
  of(EPSStoppingBasic) \
  of(KSPComputeExtremeSingularValues) of(KSPCreate) of(KSPDestroy) of(KSPGetIterationNumber) of(KSPGetPC) \
  of(KSPGetTolerances) of(KSPMonitorSet) of(KSPSetComputeSingularValues) of(KSPSetFromOptions) of(KSPSetNormType) of(KSPSetOperators) \
  of(KSPSetOptionsPrefix) of(KSPSetTolerances) of(KSPSetType) of(KSPSetUp) of(KSPSolve) \
  of(MatCreateMPIAIJWithArrays) of(MatCreateShell) of(MatCreateVecs) of(MatDestroy) of(MatSetOption) \
  of(MatShellGetContext) of(MatShellSetOperation) \
  of(PCApply) of(PCSetType) \
  of(PetscErrorMessage) of(PetscOptionsClearValue) of(PetscOptionsSetValue) of(PetscOptionsUsed) \
  of(PetscPopErrorHandler) of(PetscPushErrorHandler) of(PetscReturnErrorHandler) \
  of(SlepcFinalize) of(SlepcInitialize) \
  of(VecDestroy) of(VecDot) of(VecDuplicate) of(VecGetArrayRead) of(VecGetArrayWrite) of(VecRestoreArrayRead) \
  of(VecRestoreArrayWrite) of(VecSet)
// clang-format on

/// petsc::VecSet(x, 0.0) calls PETSc's VecSet, once load() has returned.
namespace cairn::petsc {

#define CAIRN_DECLARE(function) extern decltype(&::function) function;
CAIRN_PETSC_FUNCTIONS(CAIRN_DECLARE)
#undef CAIRN_DECLARE

/// The variable PETSC_COMM_WORLD. Null until load() has succeeded.
extern MPI_Comm* communicator_of_all;

/// Path of SLEPc when Cairn was configured, then its name alone, for which the system searches (the first ignores
/// LD_LIBRARY_PATH). Empty if it is linked: a static library cannot be loaded.
[[nodiscard]] std::vector<std::string> library_files();

/// Loads SLEPc, and PETSc with it, once. Local.
/// @param files  the first one that can be loaded is taken
/// @throws Error(resource) that names all files and the error of each, or the missing function
void load(const std::vector<std::string>& files = library_files());

}  // namespace cairn::petsc

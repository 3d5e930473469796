#include "cairn/approximation/biharmonic/iterative/interpolation_system.hpp"

#include <gtest/gtest.h>
#include <petscksp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "interpolation_problem.hpp"

namespace cairn {
namespace {

using test::grid_graph;
using test::operator_of;
using test::some_landmarks;
using test::world;

int applications_left = 0;              // of the preconditioner, until it fails
std::vector<std::string> failed_calls;  // functions of PETSc that saw an error code

PetscErrorCode apply(PC /*pc*/, Vec x, Vec y) {
  PetscFunctionBeginUser;
  if (applications_left-- == 0) PetscFunctionReturn(PETSC_ERR_USER);
  PetscCall(VecCopy(x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode do_nothing(PC /*pc*/) { return 0; }

PetscErrorCode make_failing(PC pc) {
  PetscFunctionBeginUser;
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetSetUp(pc, do_nothing));
  PetscFunctionReturn(0);
}

PetscErrorCode note_call(MPI_Comm /*communicator*/, int /*line*/, const char* function, const char* /*file*/,
                         PetscErrorCode code, PetscErrorType /*type*/, const char* /*message*/, void* /*context*/) {
  failed_calls.emplace_back(function);
  return code;
}

// PETSc's solver is C: an exception that crossed it would leave it in the midst of its work.
TEST(InterpolationSystem, AnErrorInACallbackPassesPetscAsACode) {
  start_slepc(world());
  const Communicator alone(MPI_COMM_SELF);  // on several ranks an error of PETSc ends all of them
  const auto graph = grid_graph(9, 7, 0.2, 3);
  const BiharmonicOperator op = operator_of(alone, graph);
  const std::vector<Index> landmarks = some_landmarks(graph.vertices, 6, 3);
  ASSERT_EQ(PCRegister("failing", make_failing), 0);
  ASSERT_EQ(PetscOptionsSetValue(nullptr, "-cairn_interpolation_pc_type", "failing"), 0);
  ASSERT_EQ(PetscPushErrorHandler(note_call, nullptr), 0);
  for (const int good : {5, 8}) {  // an application of the operator and its preconditioner takes two
    InterpolationSystem system(alone, OperatorView(op), landmarks, "gamg", 0.0);
    applications_left = good;
    failed_calls.clear();
    const std::vector<Index> first{0};
    try {
      static_cast<void>(system.solve(first, 1e-8));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_NE(std::string(error.what()).find("PCApply failed"), std::string::npos) << error.what();
    }
    EXPECT_EQ(std::ranges::count(failed_calls, "KSPSolve"), 1) << "the error did not go through KSPSolve";
  }
  EXPECT_EQ(PetscPopErrorHandler(), 0);
  EXPECT_EQ(PetscOptionsClearValue(nullptr, "-cairn_interpolation_pc_type"), 0);
}

}  // namespace
}  // namespace cairn

#include "linalg/slepc_session.hpp"

#include <slepcsys.h>

#include <cstdio>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace cairn {

namespace {

enum class State { untouched, running, ended };
State state = State::untouched;
std::optional<Communicator> session;

}  // namespace

void check_petsc(int code, const char* call, const Communicator& communicator) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(static_cast<PetscErrorCode>(code), &text, nullptr);
  const Error error(ErrorKind::internal,
                    std::string(call) + " failed: " + (text != nullptr ? text : "error " + std::to_string(code)));
  if (communicator.size() == 1) throw error;
  std::fprintf(stderr, "cairn: %s\n", error.what());
  MPI_Abort(communicator.handle(), error.exit_code());
}

void start_slepc(const Communicator& communicator) {
  if (state == State::running) return;
  if (state == State::ended) throw Error(ErrorKind::internal, "SLEPc was ended already");
  session.emplace(communicator.handle());
  PETSC_COMM_WORLD = session->handle();
  check_petsc(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"), "PetscOptionsSetValue", *session);
  check_petsc(SlepcInitializeNoArguments(), "SlepcInitialize", *session);
  // Codes alone are wanted: PETSc's own handler prints a page of text on every rank.
  check_petsc(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), "PetscPushErrorHandler", *session);
  state = State::running;
}

void finalize_slepc() {
  if (state != State::running) return;
  state = State::ended;
  check_petsc(PetscPopErrorHandler(), "PetscPopErrorHandler", *session);
  check_petsc(SlepcFinalize(), "SlepcFinalize", *session);
  session.reset();
}

}  // namespace cairn

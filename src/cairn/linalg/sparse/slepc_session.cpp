#include "cairn/linalg/sparse/slepc_session.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/abort.hpp"
#include "cairn/linalg/sparse/petsc.hpp"

namespace cairn {

bool has_petsc() { return true; }

namespace {

std::optional<Communicator> session;

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else, while MPI still works. [MPI 3.1, 8.7.1]
/// It is called from C, which no exception may cross; results are written by then, so a failure is only reported.
int end_slepc(MPI_Comm /*self*/, int /*key*/, void* /*value*/, void* /*extra*/) noexcept {
  const auto say = [](int code, const char* call) {
    if (code != 0) std::fprintf(stderr, "cairn: warning: %s returns %d at the end of the program\n", call, code);
  };
  say(petsc::PetscPopErrorHandler(), "PetscPopErrorHandler");
  say(petsc::SlepcFinalize(), "SlepcFinalize");
  session.reset();
  return MPI_SUCCESS;
}

void end_slepc_with_mpi() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_slepc, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
}

// Unsets an environment variable during its lifetime.
class Unset {
 public:
  explicit Unset(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) value_ = value;
    ::unsetenv(name_);
  }
  ~Unset() {
    if (value_) ::setenv(name_, value_->c_str(), 1);
  }
  Unset(const Unset&) = delete;
  Unset& operator=(const Unset&) = delete;

 private:
  const char* name_;
  std::optional<std::string> value_;
};

// PETSc options may start programs (-start_in_debugger) and print pages: options from files in the working and home
// folders (.petscrc, petscrc) and from the environment are ignored. Cairn keeps its signal handlers.
int initialize() {
  const Unset options("PETSC_OPTIONS"), more("PETSC_OPTIONS_YAML");
  static std::array<std::string, 3> words = {"cairn", "-skip_petscrc", "-no_signal_handler"};  // PETSc keeps them
  static std::array<char*, words.size() + 1> pointers{};
  std::ranges::transform(words, pointers.begin(), [](std::string& word) { return word.data(); });
  static int count = static_cast<int>(words.size());
  static char** arguments = pointers.data();
  return petsc::SlepcInitialize(&count, &arguments, nullptr, nullptr);
}

}  // namespace

void check_petsc(int code, const char* call, const Communicator& communicator) {
  if (code == 0) return;
  const char* text = nullptr;
  petsc::PetscErrorMessage(static_cast<PetscErrorCode>(code), &text, nullptr);
  const bool memory = code == PETSC_ERR_MEM;
  const Error error(memory ? ErrorKind::resource : ErrorKind::internal,
                    std::string(call) + " failed: " + (text != nullptr ? text : "error " + std::to_string(code)));
  if (communicator.size() == 1) throw error;
  std::fprintf(stderr, "cairn: error: %s\n", error.what());
  end_all_ranks(communicator.handle(), error.kind());
}

void start_slepc(const Communicator& communicator) {
  collectively(communicator, [] {
    if (session) return;
    petsc::load();
    // Each process separately: the next communicator may have other ranks. Objects have their own communicators.
    Communicator own(MPI_COMM_SELF);
    *petsc::communicator_of_all = own.handle();
    check_petsc(initialize(), "SlepcInitialize", own);
    // Only error codes are wanted: PETSc's own handler prints a page of text on every rank.
    check_petsc(petsc::PetscPushErrorHandler(petsc::PetscReturnErrorHandler, nullptr), "PetscPushErrorHandler", own);
    end_slepc_with_mpi();
    session.emplace(std::move(own));
  });
}

Index slepc_bytes() {
  constexpr Index loaded = Index{24} << 20, started = Index{12} << 20;
  return petsc::library_files().empty() ? started : loaded + started;
}

}  // namespace cairn

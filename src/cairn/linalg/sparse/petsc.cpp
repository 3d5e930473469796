#include "cairn/linalg/sparse/petsc.hpp"

#include <dlfcn.h>

#include "cairn/base/error.hpp"
#include "cairn/base/heap.hpp"

namespace cairn::petsc {

#define CAIRN_DEFINE(function) decltype(&::function) function = nullptr;
CAIRN_PETSC_FUNCTIONS(CAIRN_DEFINE)
#undef CAIRN_DEFINE

MPI_Comm* communicator_of_all = nullptr;

#ifdef CAIRN_LINK_PETSC

std::vector<std::string> library_files() { return {}; }

void load(const std::vector<std::string>& /*files*/) {
#define CAIRN_TAKE(function) function = &::function;
  CAIRN_PETSC_FUNCTIONS(CAIRN_TAKE)
#undef CAIRN_TAKE
  communicator_of_all = &PETSC_COMM_WORLD;
}

#else

namespace {

// As if they were linked: all libraries that they load see their symbols.
void* open(const std::string& file) { return dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL); }

// Opened libraries stay open for the life of the process.
void* open_first(const std::vector<std::string>& files) {
  std::string wrong;
  for (const std::string& file : files) {
    // SLEPc uses the PETSc that is loaded; it reports an error if there is none.
    if (file == library_files().front()) static_cast<void>(open(CAIRN_PETSC_PATH));
    void* const library = open(file);
    const char* const message = library == nullptr ? dlerror() : nullptr;
    if (message != nullptr) wrong += std::string("; ") + message;
    return_large_blocks_again();
    if (library != nullptr) return library;
  }
  throw Error(ErrorKind::resource, "the libraries SLEPc and PETSc cannot be loaded" + wrong);
}

void* find(void* library, const char* name) {
  if (void* const found = dlsym(library, name)) return found;
  throw Error(ErrorKind::resource, std::string("the libraries SLEPc and PETSc that were loaded have no ") + name +
                                       "; they are not of the version that Cairn was built with");
}

}  // namespace

std::vector<std::string> library_files() {
  return {std::string(CAIRN_SLEPC_FOLDER) + "/" + CAIRN_SLEPC_FILE, CAIRN_SLEPC_FILE};
}

void load(const std::vector<std::string>& files) {
  if (communicator_of_all != nullptr) return;
  void* const library = open_first(files);
#define CAIRN_TAKE(function) function = reinterpret_cast<decltype(function)>(find(library, #function));
  CAIRN_PETSC_FUNCTIONS(CAIRN_TAKE)
#undef CAIRN_TAKE
  // Searches all libraries: a program linked with PETSc may have a copy, which PETSc then reads instead of its own.
  communicator_of_all = static_cast<MPI_Comm*>(find(RTLD_DEFAULT, "PETSC_COMM_WORLD"));
}

#endif

}  // namespace cairn::petsc

// Allocations that fail: any operator new of the program and its C++ libraries, and large blocks however they are asked
// for. Those of MPI, and of what lies below it, are left alone: their failures are theirs.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "fault_plan.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

using namespace cairn::faults;

constexpr std::size_t large = std::size_t{64} << 10;

const char* library_of(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

bool of_the_program(void* caller) { return std::strstr(library_of(caller), ".so") == nullptr; }

bool of_mpi(void* caller) {
  const char* library = library_of(caller);
  for (const char* part : {"libmpi", "libopen-", "mca_", "pmix", "libuc", "hwloc", "libevent", "libfabric", "libpsm",
                           "ld-linux", "libcairn_faults"}) {
    if (std::strstr(library, part) != nullptr) return true;
  }
  return false;
}

bool large_fails(std::size_t bytes, void* caller) {
  if (bytes < large) return false;
  const char* library = nullptr;
  {
    const Inside inside;  // what the lookup itself allocates
    if (of_mpi(caller)) return false;
    library = library_of(caller);
  }
  const char* slash = std::strrchr(library, '/');
  return fails(Point::large_allocation, slash != nullptr ? slash + 1 : library);
}

void* new_block(std::size_t bytes, std::size_t alignment, void* caller) {
  if (large_fails(bytes, caller) || fails(Point::allocation, "operator new")) return nullptr;
  if (bytes == 0) bytes = 1;
  return alignment == 0 ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
}

void* required(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

#define CAIRN_CALLER __builtin_return_address(0)

void* operator new(std::size_t n) { return required(new_block(n, 0, CAIRN_CALLER)); }
void* operator new[](std::size_t n) { return required(new_block(n, 0, CAIRN_CALLER)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return new_block(n, 0, CAIRN_CALLER); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return new_block(n, 0, CAIRN_CALLER); }
void* operator new(std::size_t n, std::align_val_t a) {
  return required(new_block(n, static_cast<std::size_t>(a), CAIRN_CALLER));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return required(new_block(n, static_cast<std::size_t>(a), CAIRN_CALLER));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" {

void* malloc(std::size_t bytes) {
  if (large_fails(bytes, CAIRN_CALLER)) return errno = ENOMEM, nullptr;
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  if (count > 0 && bytes >= large / count && large_fails(large, CAIRN_CALLER)) return errno = ENOMEM, nullptr;
  return __libc_calloc(count, bytes);
}

void* realloc(void* block, std::size_t bytes) {
  if (large_fails(bytes, CAIRN_CALLER)) return errno = ENOMEM, nullptr;
  return __libc_realloc(block, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (large_fails(bytes, CAIRN_CALLER)) return errno = ENOMEM, nullptr;
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (large_fails(bytes, CAIRN_CALLER)) return ENOMEM;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  using Function = void* (*)(void*, std::size_t, int, int, int, off_t);
  static const auto next = reinterpret_cast<Function>(next_function("mmap"));
  if ((flags & MAP_ANONYMOUS) != 0 && bytes >= large && of_the_program(CAIRN_CALLER) &&
      fails(Point::large_allocation, "mmap"))
    return errno = ENOMEM, MAP_FAILED;
  return next(address, bytes, protection, flags, file, offset);
}

}  // extern "C"

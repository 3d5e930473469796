// Functions that only some BLAS have. The BLAS is chosen when the program is loaded (Debian's alternatives), so they
// are looked up at run time.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace cairn {

/// The first of these functions that the process has; null if it has none of them.
template <class Signature>
Signature* find_blas(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* symbol = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Signature*>(symbol);
  return nullptr;
}

}  // namespace cairn

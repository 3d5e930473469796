#include "base/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace cairn::detail {

void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* pointer = rounded >= bytes ? std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded) : nullptr;
  if (pointer == nullptr) {
    throw Error(ErrorKind::resource, "cannot allocate " + std::to_string(bytes) +
                                         " bytes; use more ranks or nodes, fewer landmarks, or single precision");
  }
  if (alignment == huge_page) madvise(pointer, rounded, MADV_HUGEPAGE);  // advice: its failure changes nothing
  return pointer;
}

void free_aligned(void* pointer) noexcept { std::free(pointer); }

}  // namespace cairn::detail

#include "cairn/base/buffer.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "cairn/base/error.hpp"

namespace cairn::detail {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large = 2 * huge_page;

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// A mapping aligned to a huge page: maps one extra huge page and unmaps the excess on both sides.
void* map_pages(std::size_t bytes) {
  const std::size_t rounded = round_up(bytes, huge_page);
  void* mapped = mmap(nullptr, rounded + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before =
      round_up(reinterpret_cast<std::uintptr_t>(begin), huge_page) - reinterpret_cast<std::uintptr_t>(begin);
  if (before > 0) munmap(begin, before);
  if (before < huge_page) munmap(begin + before + rounded, huge_page - before);
  madvise(begin + before, rounded, MADV_HUGEPAGE);  // advice: its failure changes nothing
  return begin + before;
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t most = SIZE_MAX / 2;
  void* pointer = nullptr;
  if (bytes < large)
    pointer = std::aligned_alloc(cache_line, round_up(bytes == 0 ? 1 : bytes, cache_line));
  else if (bytes < most)
    pointer = map_pages(bytes);
  if (pointer == nullptr) {
    throw AllocationError(ErrorKind::resource,
                          "cannot allocate " + std::to_string(bytes) +
                              " bytes; use more ranks or nodes, fewer landmarks, or single precision");
  }
  return pointer;
}

void free_aligned(void* pointer, std::size_t bytes) noexcept {
  if (bytes < large)
    std::free(pointer);
  else
    munmap(pointer, round_up(bytes, huge_page));
}

}  // namespace cairn::detail

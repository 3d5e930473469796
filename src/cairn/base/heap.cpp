#include "cairn/base/heap.hpp"

#include <malloc.h>

namespace cairn {

namespace {
bool asked_for = false;
}

void return_large_blocks() {
  constexpr int large = 1 << 20, most_blocks = 65536, kept_bytes = 16 << 20;
  mallopt(M_MMAP_MAX, most_blocks);
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, kept_bytes);
  asked_for = true;
}

void return_large_blocks_again() {
  if (asked_for) return_large_blocks();
}

}  // namespace cairn

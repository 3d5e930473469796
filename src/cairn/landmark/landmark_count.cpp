#include "cairn/landmark/landmark_count.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"

namespace cairn {

void require_landmark_count(Index count, Index objects, const KeyNames& keys) {
  if (count >= 1 && count <= objects) return;
  throw Error(ErrorKind::usage, fmt::format("{} is {}; it must be between 1 and the number of objects, {}",
                                            keys("count"), count, objects));
}

}  // namespace cairn

#include "cairn/plan/countable_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

void require_countable(const PlanInput& input) {
  constexpr double most = 1e17;  // numbers; an Index counts to 9.2e18
  Index widest = std::max(input.landmarks, input.data.dimension);
  for (const char* name : {"dimension", "features"}) {
    if (input.method->has(name)) widest = std::max(widest, input.values.integer_or(name, 0));
  }
  const Index longest = std::max({input.data.objects, input.data.right_objects, widest});
  if (static_cast<double>(longest) * static_cast<double>(widest) <= most) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("a matrix of {} rows and {} columns has more than the {:g} numbers that a plan counts; take fewer "
                  "objects or landmarks",
                  longest, widest, most));
}

}  // namespace cairn

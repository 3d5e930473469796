#include "cairn/plan/countable_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn {

void require_countable(const PlanInput& input) {
  constexpr double most = 1e17;  // numbers; an Index counts to 9.2e18
  Index features = 0;
  for (const char* name : {"dimension", "features", "s2", "block"}) {
    if (input.method->has(name)) features = std::max(features, input.values.integer_or(name, 0));
  }
  const Index landmarks = input.method->needs.order ? 0 : input.landmarks;  // an order of all is a list
  const Index widest = std::max({landmarks, features, input.near, input.estimate.rows});
  const Index objects = std::max(input.data.objects, input.data.right_objects);
  // Factors, compared rows and dense matrices of their order; points, and what maps their coordinates to features.
  for (const auto& [rows, columns] :
       {std::pair(std::max(objects, widest), widest), std::pair(std::max(objects, features), input.data.dimension)}) {
    if (static_cast<double>(rows) * static_cast<double>(columns) <= most) continue;
    throw Error(
        ErrorKind::resource,
        fmt::format("a matrix of {} rows and {} columns has more than the {:g} numbers that a plan counts; take fewer "
                    "objects, landmarks or compared rows",
                    rows, columns, most));
  }
}

}  // namespace cairn

#include "cairn/linalg/library_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cairn/base/error.hpp"

namespace cairn {

int to_library_int(Index value, const char* what) {
  constexpr Index largest = std::numeric_limits<int>::max();
  if (value < 0) throw Error(ErrorKind::internal, std::string("a negative number of ") + what);
  if (value > largest)
    throw Error(ErrorKind::resource, std::string(what) + ": " + std::to_string(value) + " is more than the " +
                                         std::to_string(largest) +
                                         " that the 32-bit integers of ScaLAPACK, LAPACK and PETSc can count: use more "
                                         "ranks, or fewer landmarks");
  return static_cast<int>(value);
}

int workspace_size(double queried, Index documented, const char* routine) {
  const std::string what = std::string("numbers of workspace of ") + routine + " on a rank";
  if (!std::isfinite(queried) || queried < 0.0)
    throw Error(ErrorKind::internal, std::string(routine) + " did not tell its workspace");
  constexpr double far_above = 1e18;
  return to_library_int(std::max({static_cast<Index>(std::ceil(std::min(queried, far_above))), documented, Index{1}}),
                        what.c_str());
}

double silent_seconds(double operations, int ranks) {
  constexpr double slowest_rate = 2e8;
  return operations / (slowest_rate * ranks);
}

double seconds_of_analysis(double entries) {
  constexpr double slowest = 1e-4;  // per entry; some 30 times what METIS was measured to take
  return slowest * entries;
}

}  // namespace cairn

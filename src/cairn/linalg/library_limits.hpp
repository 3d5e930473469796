// The 32-bit integers of BLAS, ScaLAPACK and PETSc: checked here and nowhere else.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn {

/// `value` as the 32-bit integer that the libraries below take. Local.
/// @param what  names the number in the message: "rows of a matrix"
/// @throws Error(resource) if it does not fit
[[nodiscard]] int to_library_int(Index value, const char* what);

/// The length of a work array: the larger of the library's answer to a query, which comes in floating point, and of the
/// documented formula, which some versions of the query fall short of. Local.
/// @throws Error(resource) if it does not fit into 32 bits, Error(internal) if the answer is not a number
[[nodiscard]] int workspace_size(double queried, Index documented, const char* routine);

/// Seconds that a library call of `operations` floating-point operations may be silent on `ranks` ranks: what a rank
/// takes that runs at a hundredth of a present core's rate, so that the watchdog ends no call that still computes.
[[nodiscard]] double silent_seconds(double operations, int ranks);

/// The same of a library call that orders a sparse matrix of so many entries: METIS, and CHOLMOD's symbolic analysis.
[[nodiscard]] double seconds_of_analysis(double entries);

}  // namespace cairn

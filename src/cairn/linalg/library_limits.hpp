// Checks of the 32-bit integers of BLAS, ScaLAPACK and PETSc, made here and nowhere else.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn {

/// `value` as the 32-bit integer that the libraries take. Local.
/// @param what  names the number in the message: "rows of a matrix"
/// @throws Error(resource) if it does not fit
[[nodiscard]] int to_library_int(Index value, const char* what);

/// The length of a work array: the larger of the library's answer to a query, a floating-point number, and the
/// documented formula; in some versions the query gives too little. Local.
/// @throws Error(resource) if it does not fit into 32 bits, Error(internal) if the answer is not a number
[[nodiscard]] int workspace_size(double queried, Index documented, const char* routine);

/// Seconds that a library call of `operations` floating-point operations may be silent on `ranks` ranks: the time on
/// ranks that run at a hundredth of a present core's rate, so that the watchdog does not end a call that still
/// computes.
[[nodiscard]] double silent_seconds(double operations, int ranks);

/// The same for a library call that orders a sparse matrix with `entries` entries: METIS, and CHOLMOD's symbolic
/// analysis.
[[nodiscard]] double seconds_of_analysis(double entries);

}  // namespace cairn

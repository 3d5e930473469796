// Polynomials that are not fitted to K. Private to this folder.
#pragma once

#include <vector>

#include "cairn/approximation/random_features/prepared_points.hpp"

namespace cairn {

/// Whether the coefficients are those of a polynomial that is known before entries of K are. Local.
[[nodiscard]] bool polynomial_is_given(const Values& values);

/// c_0 .. c_degree, of powers of products of the points as they are (at most 1): of f's Taylor series about 0, of the
/// polynomial that has f's values in the Chebyshev nodes of [-a, a], or those of a file (a line each), as
/// `coefficients` says. Powers of a file, and of Taylor's series, are of products before points were scaled.
/// @throws Error(usage) if f has no Taylor series about 0, or one that is not known; Error(input) with file and line
/// if a line is not a number, or there are more than degree + 1; Error(numeric) if one is not finite. Collective.
[[nodiscard]] std::vector<double> given_polynomial(const Execution& execution, const PreparedPoints& prepared,
                                                   const Values& values);

}  // namespace cairn

// Polynomials that are not fitted to K. Private to this folder.
#pragma once

#include <vector>

#include "cairn/approximation/random_features/prepared_points.hpp"

namespace cairn {

/// True if the polynomial is known before entries of K are. Local.
[[nodiscard]] bool polynomial_is_given(const Values& values);

/// c_0 .. c_degree of powers of products of the prepared points (at most 1): from f's Taylor series about 0, from the
/// polynomial with f's values at the Chebyshev nodes of [-a, a], or from a file (one per line), as selected by
/// `coefficients`. Powers of a file, and of Taylor's series, refer to products before points were scaled.
/// @throws Error(usage) if f has no Taylor series about 0, or an unknown one; Error(input) with file and line if a line
/// is not a number, or there are more than degree + 1; Error(numeric) if one is not finite. Collective.
[[nodiscard]] std::vector<double> given_polynomial(const Execution& execution, const PreparedPoints& prepared,
                                                   const Values& values);

}  // namespace cairn

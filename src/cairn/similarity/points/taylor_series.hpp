// Taylor series of functions of a number. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn::taylor {

// Each returns the coefficients of t^0 .. t^degree of f(scale t + shift), from differential equations of f. Local.

[[nodiscard]] std::vector<double> exponential(double scale, double shift, Index degree);
[[nodiscard]] std::vector<double> logistic(double scale, double shift, Index degree);
[[nodiscard]] std::vector<double> tanh(double scale, double shift, Index degree);
[[nodiscard]] std::vector<double> softplus(double scale, double shift, Index degree);
/// For a polynomial with these coefficients.
[[nodiscard]] std::vector<double> series(std::span<const double> coefficients, double scale, double shift,
                                         Index degree);
/// Empty if there is no series: the exponent is not an integer and shift is not above 0.
[[nodiscard]] std::vector<double> power(double exponent, double scale, double shift, Index degree);

}  // namespace cairn::taylor

#include "cairn/similarity/points/taylor_series.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::taylor {

namespace {

std::vector<double> zeros(Index degree) { return std::vector<double>(static_cast<std::size_t>(degree) + 1, 0.0); }

// Turns coefficients of f(shift + s) into those of f(scale t + shift).
std::vector<double> scaled(std::vector<double> coefficients, double scale) {
  double factor = 1;
  for (double& c : coefficients) {
    c *= factor;
    factor *= scale;
  }
  return coefficients;
}

// y' = a + b y + c y²
std::vector<double> riccati(double start, double a, double b, double c, Index degree) {
  std::vector<double> y = zeros(degree);
  y[0] = start;
  for (std::size_t k = 0; k + 1 < y.size(); ++k) {
    double square = 0;
    for (std::size_t i = 0; i <= k; ++i) square += y[i] * y[k - i];
    y[k + 1] = ((k == 0 ? a : 0.0) + b * y[k] + c * square) / static_cast<double>(k + 1);
  }
  return y;
}

double logistic_of(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }

}  // namespace

std::vector<double> exponential(double scale, double shift, Index degree) {
  return scaled(riccati(std::exp(shift), 0, 1, 0, degree), scale);
}

std::vector<double> logistic(double scale, double shift, Index degree) {
  return scaled(riccati(logistic_of(shift), 0, 1, -1, degree), scale);
}

std::vector<double> tanh(double scale, double shift, Index degree) {
  return scaled(riccati(std::tanh(shift), 1, 0, -1, degree), scale);
}

std::vector<double> softplus(double scale, double shift, Index degree) {
  const std::vector<double> slope = riccati(logistic_of(shift), 0, 1, -1, degree);
  std::vector<double> y = zeros(degree);
  y[0] = std::max(shift, 0.0) + std::log1p(std::exp(-std::abs(shift)));
  for (std::size_t k = 0; k + 1 < y.size(); ++k) y[k + 1] = slope[k] / static_cast<double>(k + 1);
  return scaled(std::move(y), scale);
}

// Horner's scheme in powers of s.
std::vector<double> series(std::span<const double> coefficients, double scale, double shift, Index degree) {
  std::vector<double> y = zeros(std::max(degree, std::ssize(coefficients)));
  for (std::size_t k = coefficients.size(); k-- > 0;) {
    for (std::size_t i = y.size(); i-- > 0;) y[i] = y[i] * shift + (i > 0 ? y[i - 1] : 0.0);
    y[0] += coefficients[k];
  }
  y.resize(static_cast<std::size_t>(degree) + 1);
  return scaled(std::move(y), scale);
}

std::vector<double> power(double exponent, double scale, double shift, Index degree) {
  const bool integer = exponent == std::floor(exponent) && exponent >= 0;
  if (!integer && shift <= 0) return {};
  std::vector<double> y = zeros(degree);
  double factor = 1;  // binomial coefficient, exponent over k
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double rest = exponent - static_cast<double>(k);
    if (factor != 0) y[k] = factor * std::pow(shift, rest);
    factor *= rest / static_cast<double>(k + 1);
  }
  return scaled(std::move(y), scale);
}

}  // namespace cairn::taylor

#include "cairn/approximation/random_features/given_polynomial.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "cairn/approximation/random_features/sketch_design.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// @throws Error(input) with file and line
std::vector<double> coefficients_in(const std::string& path, Index degree, const Values& values) {
  LineReader lines(path);
  std::vector<double> coefficients;
  for (std::string_view line; lines.next_filled(line, '#');) {
    const std::optional<double> number = parse_number(std::string(line));
    if (!number) lines.fail(fmt::format("'{}' is not a finite number", line));
    if (std::ssize(coefficients) > degree) {
      lines.fail(fmt::format("there are more than {} coefficients, those of {} = {}", degree + 1,
                             values.keys()("degree"), degree));
    }
    coefficients.push_back(*number);
  }
  if (coefficients.empty()) throw Error(ErrorKind::input, path + ": holds no coefficients");
  return coefficients;
}

std::vector<double> taylor_of(const ProductFunction& function, Index degree, const Values& values) {
  if (!function.taylor) values.refuse("coefficients", "needs derivatives of the function, which are not known");
  std::vector<double> coefficients = function.taylor(degree);
  if (coefficients.empty()) values.refuse("coefficients", "needs a Taylor series about 0, which the function has not");
  return coefficients;
}

}  // namespace

bool polynomial_is_given(const Values& values) {
  const std::string& by = values.text("coefficients");
  return by == "taylor" || by == "chebyshev" || by == "file";
}

std::vector<double> given_polynomial(const Execution& execution, const PreparedPoints& prepared, const Values& values) {
  const Index degree = values.integer("degree");
  const std::string& by = values.text("coefficients");
  const Communicator& communicator = execution.communicator;
  std::vector<double> coefficients(static_cast<std::size_t>(degree) + 1, 0.0);
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    if (by == "chebyshev") {
      coefficients = powers_of(prepared.rows.weighted.value, degree, static_cast<int>(degree) + 1);
    } else {
      const std::vector<double> own = by == "file"
                                          ? coefficients_in(values.required("coefficients-file"), degree, values)
                                          : taylor_of(prepared.function, degree, values);
      const double largest = 1 / (prepared.rows.change.scale * prepared.of_columns().change.scale);
      double factor = 1;
      for (std::size_t p = 0; p < own.size(); ++p) {
        coefficients[p] = own[p] * factor;
        factor *= largest;
      }
    }
    for (std::size_t p = 0; p < coefficients.size(); ++p) {
      if (std::isfinite(coefficients[p])) continue;
      throw Error(ErrorKind::numeric, fmt::format("the coefficient of degree {} is not finite: take a smaller {}", p,
                                                  values.keys()("degree")));
    }
  });
  communicator.broadcast(std::span(coefficients), 0);
  return coefficients;
}

}  // namespace cairn

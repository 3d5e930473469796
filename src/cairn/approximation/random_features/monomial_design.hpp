// A polynomial of inner products by its largest monomials, without sketches.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/approximation/random_features/prepared_points.hpp"

namespace cairn {

struct MonomialDesign {
  Index kept = 0;                                            ///< q: components that monomials have
  std::vector<std::shared_ptr<const DegreeFeatures>> parts;  ///< of the first q components
  std::vector<double> coefficients;                          ///< c_0 .. c_r: those of the monomials of a degree
  double error = 0.0;                                        ///< sum over pairs of (w_i w_j)² (f - p)²
};

/// The `columns` monomials of components that choose_monomials() finds for a polynomial with `powers`, and the
/// coefficients, one a degree, that fit f best on the pairs of standing rows (by the components' left basis) with all
/// rows (by the right one), with `positive` none below 0. The same on any number of ranks. Collective. Memory: features
/// of a block of standing rows on every rank, those of a unit of rows.
[[nodiscard]] MonomialDesign monomial_design(const Execution& execution, const WeightedPoints& weighted,
                                             const Standing& standing, const PrincipalComponents& components,
                                             const std::vector<double>& powers, Index columns, bool positive);

}  // namespace cairn

// Approximates a polynomial of inner products by its largest monomials, without sketches.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/approximation/random_features/prepared_points.hpp"

namespace cairn {

struct MonomialDesign {
  Index kept = 0;                                            ///< q: number of components in the monomials
  std::vector<std::shared_ptr<const DegreeFeatures>> parts;  ///< functions of the first q components
  std::vector<double> coefficients;                          ///< c_0 .. c_r: shared by the monomials of a degree
  double error = 0.0;                                        ///< sum over pairs of (w_i w_j)² (f - p)²
};

/// The `columns` monomials of components that choose_monomials() finds for a polynomial with `powers`, and the
/// coefficients, one per degree, with the best fit to f on the pairs of representative rows (in the components' left
/// basis) with all rows (in the right one), none below 0 if `positive`. The same on any number of ranks. Collective.
/// Memory: features of a block of representative rows on every rank, and those of a unit of rows.
[[nodiscard]] MonomialDesign monomial_design(const Execution& execution, const WeightedPoints& weighted,
                                             const Standing& standing, const PrincipalComponents& components,
                                             const std::vector<double>& powers, Index columns, bool positive);

}  // namespace cairn

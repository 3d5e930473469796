// Selection of the most important monomials of principal components.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Monomials of one degree: `degree` ascending factors each.
struct MonomialList {
  Index degree = 0;
  std::vector<std::int32_t> factors;
};

/// The `count` monomials x_a x_b ... of degrees 1 to r with the largest |c_degree| · orders · (product of the second
/// moments of their factors): their mean contribution to a polynomial sum of c_p (x·y)^p if the coordinates were
/// independent. At most count_monomials() of each degree.
/// @param moments  of the coordinates, descending @param coefficients  c_0 .. c_r
/// @return by ascending degree; degrees without monomials are omitted. Local.
[[nodiscard]] std::vector<MonomialList> choose_monomials(std::span<const double> moments,
                                                         std::span<const double> coefficients, Index count);

}  // namespace cairn

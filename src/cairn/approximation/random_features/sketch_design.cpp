#include "cairn/approximation/random_features/sketch_design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"

namespace cairn {

namespace {

// Row p: the coefficients of T_p in powers.
std::vector<double> chebyshev_table(std::size_t order) {
  std::vector<double> table(order * order, 0.0);
  for (std::size_t p = 0; p < order; ++p) {
    const std::span<double> row = std::span(table).subspan(p * order, order);
    if (p < 2) {
      row[p] = 1;
      continue;
    }
    const std::span<const double> before = std::span(table).subspan((p - 1) * order, order);
    const std::span<const double> second = std::span(table).subspan((p - 2) * order, order);
    for (std::size_t k = 0; k < order; ++k) row[k] = (k > 0 ? 2 * before[k - 1] : 0.0) - second[k];
  }
  return table;
}

// Row k: x^k in Chebyshev polynomials, from x T_p = (T_p+1 + T_|p-1|) / 2.
std::vector<double> power_table(std::size_t order) {
  std::vector<double> table(order * order, 0.0);
  table[0] = 1;
  for (std::size_t k = 1; k < order; ++k) {
    for (std::size_t p = 0; p < k; ++p) {
      const double value = table[(k - 1) * order + p];
      table[k * order + p + 1] += p == 0 ? value : value / 2;
      if (p > 0) table[k * order + p - 1] += value / 2;
    }
  }
  return table;
}

std::vector<double> chebyshev_of(std::span<const double> powers, const std::vector<double>& table) {
  const std::size_t order = powers.size();
  std::vector<double> chebyshev(order);
  for (std::size_t k = 0; k < order; ++k) {
    for (std::size_t p = 0; p < order; ++p) chebyshev[p] += powers[k] * table[k * order + p];
  }
  return chebyshev;
}

// Least squares in coefficients of T_p, with nonnegative coefficients of the powers.
std::vector<double> positive_powers(const std::vector<double>& gram, const std::vector<double>& right, double squares) {
  const std::size_t order = right.size();
  const std::vector<double> table = power_table(order);
  std::vector<double> half(order * order), own(order * order), own_right(order);
  for (std::size_t k = 0; k < order; ++k) {
    for (std::size_t q = 0; q < order; ++q) {
      for (std::size_t p = 0; p < order; ++p) half[k * order + q] += table[k * order + p] * gram[p * order + q];
    }
    for (std::size_t p = 0; p < order; ++p) own_right[k] += table[k * order + p] * right[p];
  }
  for (std::size_t k = 0; k < order; ++k) {
    for (std::size_t l = 0; l < order; ++l) {
      for (std::size_t q = 0; q < order; ++q) own[k * order + l] += half[k * order + q] * table[l * order + q];
    }
  }
  return chebyshev_of(solve_nonnegative(own, own_right, squares).solution, table);
}

// The coefficients that minimize bias + sum over p of penalties[p] c_p², for one degree, from moments of a larger one.
SketchDesign fitted(const DesignInput& input, Index degree, const std::vector<double>& penalties) {
  const ProductMoments& moments = input.moments;
  const auto order = static_cast<std::size_t>(degree) + 1, stride = static_cast<std::size_t>(moments.degree) + 1;
  const std::vector<double> table = chebyshev_table(order);
  std::vector<double> matrix(order * order);
  for (std::size_t p = 0; p < order; ++p) {
    for (std::size_t q = 0; q < order; ++q) {
      double sum = moments.gram[p * stride + q];
      for (std::size_t k = 0; k < order; ++k) sum += table[p * order + k] * penalties[k] * table[q * order + k];
      matrix[p * order + q] = sum;
    }
  }
  const std::vector<double> right(moments.right.begin(), moments.right.begin() + static_cast<std::ptrdiff_t>(order));
  const std::vector<double> chebyshev = [&] {
    if (!input.given.empty()) return chebyshev_of(std::span(input.given).first(order), power_table(order));
    return input.positive ? positive_powers(matrix, right, moments.squares)
                          : solve_least_squares(matrix, right, moments.squares).solution;
  }();
  SketchDesign design;
  design.coefficients =
      input.given.empty()
          ? powers_of_chebyshev(chebyshev)
          : std::vector<double>(input.given.begin(), input.given.begin() + static_cast<std::ptrdiff_t>(order));
  if (input.positive) {
    for (double& c : design.coefficients) c = std::max(c, 0.0);  // rounding errors of the change of basis
  }
  double bias = moments.squares;
  for (std::size_t p = 0; p < order; ++p) {
    double row = -2 * moments.right[p];
    for (std::size_t q = 0; q < order; ++q) row += moments.gram[p * stride + q] * chebyshev[q];
    bias += chebyshev[p] * row;
  }
  design.bias = std::max(0.0, bias);
  return design;
}

// The contribution of a degree to the error, per unit of its squared coefficient.
double variance_of(const DesignInput& input, const DegreeShare& share) {
  if (share.kind == DegreeKind::monomials) return 0.0;
  if (share.kind == DegreeKind::tensor) return input.moments.sketch_variance(share.degree, share.columns);
  if (share.kind == DegreeKind::tree) return input.moments.tree_variance(share.degree, share.columns);
  if (share.kind == DegreeKind::complex) return input.moments.complex_variance(share.degree, share.columns);
  double tail = 0;
  for (std::size_t k = static_cast<std::size_t>(share.columns); k < input.eigenvalues.size(); ++k) {
    tail += input.eigenvalues[k] * input.eigenvalues[k];
  }
  return tail;
}

// Coefficients for these columns. Degrees without columns have coefficient 0. The part dropped by a projection is not
// noise, which a smaller coefficient would reduce: the best coefficient of the kept part is that of the whole.
SketchDesign with_coefficients(const DesignInput& input, Index degree, std::vector<DegreeShare> shares) {
  std::vector<double> penalties(static_cast<std::size_t>(degree) + 1, 0.0);
  for (const DegreeShare& share : shares) {
    if (is_sketch(share.kind)) penalties[share.degree] = variance_of(input, share);
  }
  SketchDesign design = fitted(input, degree, penalties);
  for (const DegreeShare& share : shares) {
    const double coefficient = design.coefficients[share.degree];
    design.variance += variance_of(input, share) * coefficient * coefficient;
  }
  design.shares = std::move(shares);
  return design;
}

// True if a sketch accepts this number of columns: without large factors for Fourier transforms, or even.
bool fits(DegreeKind sketch, Index length) {
  return sketch == DegreeKind::complex ? length % 2 == 0 : is_smooth(length);
}

Index fewest_columns(DegreeKind sketch) { return sketch == DegreeKind::complex ? 2 : 1; }

Index largest_fitting(DegreeKind sketch, Index length) {
  while (length > fewest_columns(sketch) && !fits(sketch, length)) --length;
  return length;
}

constexpr Index many_columns = Index{1} << 30U;  // to compare variances of degrees: only 1 / m counts

// Treatment of low degrees: the first `exact` have all monomials; else degree 1 may have `components` principal
// components.
struct Low {
  Index exact = 0, components = 0, columns = 0;
};

// The columns of all degrees: those of fixed cost first, then the others by the coefficients of the previous design.
std::optional<std::vector<DegreeShare>> shares_of(const DesignInput& input, Index degree, Index columns, const Low& low,
                                                  const std::vector<double>& coefficients) {
  std::vector<DegreeShare> shares;
  for (Index p = 1; p <= low.exact; ++p) {
    shares.push_back({p, DegreeKind::monomials, count_monomials(input.dimension, p)});
  }
  if (low.components > 0) shares.push_back({1, DegreeKind::projection, low.components});
  const Index first = std::ssize(shares) + 1, left = columns - low.columns, degrees = degree - first + 1;
  if (degrees <= 0) return shares;
  const Index fewest = fewest_columns(input.sketch) * degrees;
  if (left < fewest) return std::nullopt;
  std::vector<double> wanted;
  double sum = 0;
  for (Index p = first; p <= degree; ++p) {
    const auto at = static_cast<std::size_t>(p);
    const DegreeShare alone{p, input.sketch, many_columns};
    wanted.push_back(std::abs(coefficients[at]) * std::sqrt(std::max(0.0, variance_of(input, alone))));
    sum += wanted.back();
  }
  Index spent = 0;
  for (Index p = first; p <= degree; ++p) {
    const double part = sum > 0 ? wanted[p - first] / sum : 1.0 / static_cast<double>(degrees);
    const Index share =
        largest_fitting(input.sketch, fewest_columns(input.sketch) +
                                          static_cast<Index>(std::floor(part * static_cast<double>(left - fewest))));
    shares.push_back({p, input.sketch, share});
    spent += share;
  }
  // Columns left over by rounding go to the degrees in turn, up to the next length without large factors.
  for (bool grown = true; grown;) {
    grown = false;
    for (DegreeShare& share : shares) {
      if (!is_sketch(share.kind)) continue;
      Index next = share.columns + 1;
      while (!fits(input.sketch, next)) ++next;
      if (spent + next - share.columns > left) continue;
      spent += next - share.columns;
      share.columns = next;
      grown = true;
    }
  }
  return shares;
}

// Alternates between columns and coefficients.
std::optional<SketchDesign> settled(const DesignInput& input, Index degree, Index columns, const Low& low) {
  constexpr int turns = 8;
  std::vector<double> coefficients(static_cast<std::size_t>(degree) + 1, 1.0);
  std::optional<SketchDesign> best;
  for (int turn = 0; turn < turns; ++turn) {
    const auto shares = shares_of(input, degree, columns, low, coefficients);
    if (!shares) return best;
    SketchDesign design = with_coefficients(input, degree, *shares);
    coefficients = design.coefficients;
    if (!best || design.bias + design.variance < best->bias + best->variance) best = std::move(design);
  }
  return best;
}

// All treatments of the low degrees that fit into `columns`.
std::vector<Low> treatments(const DesignInput& input, Index degree, Index columns) {
  std::vector<Low> all{{}};
  Low exact;
  for (Index p = 1; p <= degree; ++p) {
    exact.columns += count_monomials(input.dimension, p);
    if (exact.columns > columns) break;
    exact.exact = p;
    all.push_back(exact);
  }
  constexpr Index tries = 24;
  const Index most = std::min(std::ssize(input.eigenvalues), columns - degree + 1);
  for (Index k = 1; k <= tries; ++k) {
    const Index components = most * k / tries;
    if (components > 0 && components < input.dimension && components != all.back().components) {
      all.push_back({0, components, components});
    }
  }
  return all;
}

double total(const SketchDesign& design) { return design.bias + design.variance; }

}  // namespace

// Scaled to a diagonal of 1, then by eigenvalues: terms that are nearly alike make the matrix singular.
LeastSquares solve_least_squares(std::span<const double> gram, std::span<const double> right, double squares) {
  constexpr double rounding = 1e-15;
  const std::size_t order = right.size();
  std::vector<double> scale(order), matrix(order * order);
  for (std::size_t p = 0; p < order; ++p) {
    const double diagonal = gram[p * order + p];
    scale[p] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0.0;
  }
  for (std::size_t p = 0; p < order; ++p) {
    for (std::size_t q = 0; q < order; ++q) matrix[p * order + q] = gram[p * order + q] * scale[p] * scale[q];
  }
  const std::vector<double> values = eigen_in_place(static_cast<Index>(order), matrix.data());
  LeastSquares found{std::vector<double>(order, 0.0), squares};
  for (std::size_t e = 0; e < order; ++e) {
    if (values[e] <= rounding * values.back()) continue;
    const double* vector = matrix.data() + e * order;
    double product = 0;
    for (std::size_t p = 0; p < order; ++p) product += vector[p] * scale[p] * right[p];
    for (std::size_t p = 0; p < order; ++p) found.solution[p] += product / values[e] * vector[p] * scale[p];
  }
  for (std::size_t p = 0; p < order; ++p) {
    double row = -2 * right[p];
    for (std::size_t q = 0; q < order; ++q) row += gram[p * order + q] * found.solution[q];
    found.residual += found.solution[p] * row;
  }
  found.residual = std::max(0.0, found.residual);
  return found;
}

// Entries leave 0 one by one, the one with the steepest descent first; a step ends where it would take other entries
// below 0.
LeastSquares solve_nonnegative(std::span<const double> gram, std::span<const double> right, double squares) {
  const std::size_t order = right.size();
  std::vector<double> z(order, 0.0);
  std::vector<char> free(order, 0);
  const auto residual_of = [&] {
    double residual = squares;
    for (std::size_t p = 0; p < order; ++p) {
      double row = -2 * right[p];
      for (std::size_t q = 0; q < order; ++q) row += gram[p * order + q] * z[q];
      residual += z[p] * row;
    }
    return std::max(0.0, residual);
  };
  const std::size_t most_steps = 3 * order + 10;
  for (std::size_t step = 0; step < most_steps; ++step) {
    std::size_t entering = order;
    double steepest = 1e-13;  // descent per unit of the root of the entry's diagonal
    for (std::size_t p = 0; p < order; ++p) {
      if (free[p] != 0 || gram[p * order + p] <= 0) continue;
      double descent = right[p];
      for (std::size_t q = 0; q < order; ++q) descent -= gram[p * order + q] * z[q];
      descent /= std::sqrt(gram[p * order + p] * std::max(squares, 1e-300));
      if (descent > steepest) steepest = descent, entering = p;
    }
    if (entering == order) break;
    free[entering] = 1;
    const double before = residual_of();
    for (bool inside = false; !inside;) {
      std::vector<std::size_t> places;
      for (std::size_t p = 0; p < order; ++p) {
        if (free[p] != 0) places.push_back(p);
      }
      std::vector<double> own, own_right;
      for (const std::size_t p : places) {
        own_right.push_back(right[p]);
        for (const std::size_t q : places) own.push_back(gram[p * order + q]);
      }
      const std::vector<double> aim = solve_least_squares(own, own_right, squares).solution;
      double length = 1.0;
      std::size_t first = places.size();  // the first entry that would reach 0
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double share = aim[k] > 0 ? 1.0 : z[places[k]] / (z[places[k]] - aim[k]);
        if (aim[k] <= 0 && (first == places.size() || share < length)) length = share, first = k;
      }
      for (std::size_t k = 0; k < places.size(); ++k) {
        double& value = z[places[k]];
        value = std::max(0.0, value + length * (aim[k] - value));
      }
      inside = first == places.size();
      if (!inside) {
        z[places[first]] = 0.0;
        free[places[first]] = 0;
      }
    }
    if (residual_of() >= before) break;  // rounding errors
  }
  return {z, residual_of()};
}

std::vector<double> powers_of_chebyshev(const std::vector<double>& chebyshev) {
  const std::size_t order = chebyshev.size();
  const std::vector<double> table = chebyshev_table(order);
  std::vector<double> powers(order, 0.0);
  for (std::size_t p = 0; p < order; ++p) {
    for (std::size_t k = 0; k < order; ++k) powers[k] += chebyshev[p] * table[p * order + k];
  }
  return powers;
}

// The nodes are the zeros of the Chebyshev polynomial of that degree.
std::vector<double> powers_of(const std::function<double(double)>& value, Index degree, int nodes) {
  std::vector<double> chebyshev(static_cast<std::size_t>(degree) + 1, 0.0);
  for (int k = 0; k < nodes; ++k) {
    const double angle = std::numbers::pi * (k + 0.5) / nodes;
    const double f = value(std::cos(angle));
    for (std::size_t p = 0; p < chebyshev.size(); ++p) {
      chebyshev[p] += (p == 0 ? 1.0 : 2.0) / nodes * f * std::cos(static_cast<double>(p) * angle);
    }
  }
  return powers_of_chebyshev(chebyshev);
}

SketchDesign equal_design(const DesignInput& input, Index degree, Index columns, SketchPenalty penalty) {
  std::vector<DegreeShare> shares;
  for (Index p = 1; p <= degree; ++p) shares.push_back({p, input.sketch, columns});
  if (penalty == SketchPenalty::exact) return with_coefficients(input, degree, std::move(shares));
  std::vector<double> penalties{0.0};
  const Index more = penalty == SketchPenalty::printed ? 1 : 0;
  for (Index p = 1; p <= degree; ++p) {
    const auto exponent = static_cast<double>(p + more);
    const double norms = input.moments.norms[p + more];
    // The bound refers to the original points: their c_p is c_p unit^p here, and their norms are unit^-1/2 times these.
    const double own = std::pow(input.unit, -2.0 * static_cast<double>(more));
    penalties.push_back(static_cast<double>(degree) * (2 + std::pow(3.0, exponent)) * norms * norms * own /
                        static_cast<double>(columns));
  }
  SketchDesign design = fitted(input, degree, penalties);
  for (const DegreeShare& share : shares) {
    const double coefficient = design.coefficients[share.degree];
    design.variance += variance_of(input, share) * coefficient * coefficient;
  }
  design.shares = std::move(shares);
  return design;
}

SketchDesign best_design(const DesignInput& input, Index columns) {
  SketchDesign best = fitted(input, 0, {0.0});
  Index exact = 0;  // of a given polynomial as many degrees as fit are kept exactly
  for (Index degree = 1; degree <= input.moments.degree; ++degree) {
    for (const Low& low : treatments(input, degree, columns)) {
      std::optional<SketchDesign> design = settled(input, degree, columns, low);
      if (!design || (!input.given.empty() && low.exact < exact)) continue;
      const bool more = !input.given.empty() && low.exact > exact;
      if (!more && total(*design) >= total(best)) continue;
      best = std::move(*design);
      exact = std::max(exact, low.exact);
    }
  }
  return best;
}

}  // namespace cairn

#include "cairn/approximation/random_features/monomial_design.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/random_features/monomial_choice.hpp"
#include "cairn/approximation/random_features/sketch_design.hpp"
#include "cairn/approximation/random_features/unit_sums.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

// out = a bᵀ, row-major.
void multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, double* out) {
  multiply<double>(a, transposed<double>(b), {out, a.rows, b.rows});
}

// Rotates rows to the variables of the monomials, and computes the features part by part.
class Features {
 public:
  // @param vectors  as in PrincipalComponents
  Features(const MonomialDesign& design, const std::vector<double>& vectors, Index dimension)
      : design_(design), dimension_(dimension), basis_(basis_of(vectors, dimension, design.kept)) {}

  [[nodiscard]] std::vector<Buffer<double>> of(const double* points, Index rows) const {
    const Index kept = design_.kept;
    Buffer<double> rotated(rows * kept);
    multiply<double>({points, rows, dimension_}, {basis_.data(), dimension_, kept}, {rotated.data(), rows, kept});
    std::vector<Buffer<double>> all;
    for (const auto& part : design_.parts) {
      all.emplace_back(rows * part->columns());
      part->apply(MatrixView<const double>(rotated.data(), rows, kept),
                  MatrixView<double>(all.back().data(), rows, part->columns()));
    }
    return all;
  }

 private:
  const MonomialDesign& design_;
  Index dimension_;
  std::vector<double> basis_;
};

// The sums that determine the coefficients, over pairs of all rows with a block of representative ones: of products of
// terms, of terms times f, of f². Collective.
std::vector<double> term_sums(const Execution& execution, const WeightedPoints& weighted,
                              const StandingPoints& standing, const MonomialDesign& design, const Features& left,
                              const Features& right) {
  const RowBlock<double>& points = weighted.points;
  const Index d = points.columns(), count = standing.count;
  const std::vector<Buffer<double>> standing_features = left.of(standing.points.data(), count);
  const std::size_t terms = design.parts.size() + 1, sums = terms * terms + terms + 1;
  const Range own = points.range();
  return sum_over_units(execution, points.partition(), sums, [&](Range unit, std::span<double> out) {
    const std::vector<Buffer<double>> unit_features = right.of(points.row(unit.begin).data(), unit.size());
    std::vector<Buffer<double>> products;
    for (std::size_t p = 0; p < design.parts.size(); ++p) {
      const Index width = design.parts[p]->columns();
      products.emplace_back(unit.size() * count);
      multiply_transposed({unit_features[p].data(), unit.size(), width}, {standing_features[p].data(), count, width},
                          products.back().data());
    }
    Buffer<double> inner(unit.size() * count);
    multiply_transposed({points.row(unit.begin).data(), unit.size(), d}, {standing.points.data(), count, d},
                        inner.data());
    std::vector<double> term(terms, 1.0);
    for (Index j = 0; j < unit.size(); ++j) {
      for (Index i = 0; i < count; ++i) {
        const Index at = j * count + i;
        for (std::size_t p = 1; p < terms; ++p) term[p] = products[p - 1][at];
        const double both = weighted.weights[unit.begin - own.begin + j] * standing.weights[i];
        const double weight = standing.shares[i] * both * both;
        const double f = weighted.value(inner[at]);
        double* sum = out.data();
        for (std::size_t p = 0; p < terms; ++p) {
          for (std::size_t q = 0; q < terms; ++q) *sum++ += weight * term[p] * term[q];
        }
        for (std::size_t p = 0; p < terms; ++p) *sum++ += weight * term[p] * f;
        *sum += weight * f * f;
      }
    }
  });
}

}  // namespace

MonomialDesign monomial_design(const Execution& execution, const WeightedPoints& weighted, const Standing& standing,
                               const PrincipalComponents& components, const std::vector<double>& powers, Index columns,
                               bool positive) {
  const Index d = weighted.points.columns();
  std::vector<double> moments = components.values;
  for (double& moment : moments) moment = std::max(0.0, moment / components.rows);
  const std::vector<MonomialList> lists = choose_monomials(moments, powers, columns);
  std::int32_t last = 0;
  for (const MonomialList& list : lists) last = std::max(last, *std::ranges::max_element(list.factors));
  MonomialDesign design;
  design.kept = last + 1;
  for (const MonomialList& list : lists) {
    design.parts.push_back(make_monomials(design.kept, list.degree, list.factors));
  }

  const Features left(design, components.vectors, d), right(design, components.of_right(), d);
  const std::size_t terms = lists.size() + 1;
  const std::vector<double> found = standing.sum_over_blocks(
      [&](const StandingPoints& block) { return term_sums(execution, weighted, block, design, left, right); });
  const std::span<const double> all(found);
  const auto solve = positive ? solve_nonnegative : solve_least_squares;
  LeastSquares fit = solve(all.first(terms * terms), all.subspan(terms * terms, terms), all.back());
  execution.communicator.broadcast(fit.solution, 0);
  execution.communicator.broadcast(std::span(&fit.residual, 1), 0);
  design.coefficients.assign(powers.size(), 0.0);
  design.coefficients[0] = fit.solution[0];
  for (std::size_t p = 0; p < lists.size(); ++p) {
    design.coefficients[lists[p].degree] = fit.solution[p + 1];
  }
  design.error = fit.residual;
  return design;
}

}  // namespace cairn

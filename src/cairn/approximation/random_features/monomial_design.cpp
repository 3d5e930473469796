#include "cairn/approximation/random_features/monomial_design.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/approximation/random_features/monomial_choice.hpp"
#include "cairn/approximation/random_features/sketch_design.hpp"
#include "cairn/approximation/random_features/unit_sums.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

int size_of(Index value) { return to_library_int(value, "rows or coordinates of points"); }

// out = a bᵀ, row-major.
void multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, double* out) {
  blas::gemm('T', 'N', size_of(b.rows), size_of(a.rows), size_of(a.columns), 1.0, b.data, size_of(b.stride), a.data,
             size_of(a.stride), 0.0, out, size_of(b.rows));
}

// Rows as the monomials are taken of, and their features side by side.
class Features {
 public:
  Features(const MonomialDesign& design, Index dimension)
      : design_(design),
        dimension_(dimension),
        kept_(static_cast<Index>(design.basis.size()) / std::max<Index>(1, dimension)) {}

  [[nodiscard]] std::vector<Buffer<double>> of(const double* points, Index rows) const {
    Buffer<double> rotated(rows * kept_);
    blas::gemm('N', 'N', size_of(kept_), size_of(rows), size_of(dimension_), 1.0, design_.basis.data(), size_of(kept_),
               points, size_of(dimension_), 0.0, rotated.data(), size_of(kept_));
    std::vector<Buffer<double>> all;
    for (const auto& part : design_.parts) {
      all.emplace_back(rows * part->columns());
      part->apply(MatrixView<const double>(rotated.data(), rows, kept_),
                  MatrixView<double>(all.back().data(), rows, part->columns()));
    }
    return all;
  }

 private:
  const MonomialDesign& design_;
  Index dimension_, kept_;
};

std::vector<double> gathered_weights(const Communicator& communicator, const WeightedPoints& weighted,
                                     const std::vector<Index>& rows) {
  RowBlock<double> column(weighted.points.partition(), communicator.rank(), 1);
  std::ranges::copy(weighted.weights, column.local().data);
  const Buffer<double> found = fetch_rows(communicator, column, std::span<const Index>(rows));
  return {found.data(), found.data() + found.size()};
}

}  // namespace

MonomialDesign monomial_design(const Execution& execution, const WeightedPoints& weighted, const StandingRows& standing,
                               const PrincipalComponents& components, const std::vector<double>& powers, Index columns,
                               bool positive) {
  const RowBlock<double>& points = weighted.points;
  const Index d = points.columns(), count = std::ssize(standing.rows);
  std::vector<double> moments = components.values;
  for (double& moment : moments) moment = std::max(0.0, moment / static_cast<double>(points.rows()));
  const std::vector<MonomialList> lists = choose_monomials(moments, powers, columns);
  std::int32_t last = 0;
  for (const MonomialList& list : lists) last = std::max(last, *std::ranges::max_element(list.factors));
  MonomialDesign design;
  const Index kept = last + 1;
  design.basis.resize(static_cast<std::size_t>(d * kept));
  for (Index i = 0; i < d; ++i) {
    for (Index k = 0; k < kept; ++k) {
      design.basis[static_cast<std::size_t>(i * kept + k)] = components.vectors[static_cast<std::size_t>(k * d + i)];
    }
  }
  for (const MonomialList& list : lists) design.parts.push_back(make_monomials(kept, list.degree, list.factors));

  const Features features(design, d);
  const Buffer<double> rows = fetch_rows(execution.communicator, points, std::span<const Index>(standing.rows));
  const std::vector<double> weights = gathered_weights(execution.communicator, weighted, standing.rows);
  const std::vector<Buffer<double>> standing_features = features.of(rows.data(), count);
  const std::size_t terms = lists.size() + 1, sums = terms * terms + terms + 1;
  const Range own = points.range();
  const auto found = sum_over_units(execution, points.partition(), sums, [&](Range unit, std::span<double> out) {
    const std::vector<Buffer<double>> unit_features = features.of(points.row(unit.begin).data(), unit.size());
    std::vector<Buffer<double>> products;
    for (std::size_t p = 0; p < lists.size(); ++p) {
      const Index width = design.parts[p]->columns();
      products.emplace_back(unit.size() * count);
      multiply_transposed({unit_features[p].data(), unit.size(), width}, {standing_features[p].data(), count, width},
                          products.back().data());
    }
    Buffer<double> inner(unit.size() * count);
    multiply_transposed({points.row(unit.begin).data(), unit.size(), d}, {rows.data(), count, d}, inner.data());
    std::vector<double> term(terms, 1.0);
    for (Index j = 0; j < unit.size(); ++j) {
      for (Index i = 0; i < count; ++i) {
        const Index at = j * count + i;
        for (std::size_t p = 1; p < terms; ++p) term[p] = products[p - 1][at];
        const double both = weighted.weights[static_cast<std::size_t>(unit.begin - own.begin + j)] *
                            weights[static_cast<std::size_t>(i)];
        const double weight = standing.shares[static_cast<std::size_t>(i)] * both * both;
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
  const std::span<const double> all(found);
  const auto solve = positive ? solve_nonnegative : solve_least_squares;
  LeastSquares fit = solve(all.first(terms * terms), all.subspan(terms * terms, terms), all.back());
  execution.communicator.broadcast(fit.solution, 0);
  execution.communicator.broadcast(std::span(&fit.residual, 1), 0);
  design.coefficients.assign(powers.size(), 0.0);
  design.coefficients[0] = fit.solution[0];
  for (std::size_t p = 0; p < lists.size(); ++p) {
    design.coefficients[static_cast<std::size_t>(lists[p].degree)] = fit.solution[p + 1];
  }
  design.error = fit.residual;
  return design;
}

}  // namespace cairn

#include "cairn/task/regression/kernel_decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Norms of the columns of F from FᵀF; 1 for columns of zeros. Collective.
std::vector<double> column_norms(const BlockCyclicMatrix& gram) {
  std::vector<double> norms(gram.columns(), 0.0);
  for (Index j = 0; j < gram.local_columns(); ++j) {
    for (Index i = 0; i < gram.local_rows(); ++i) {
      if (gram.global_row(i) == gram.global_column(j)) {
        norms[gram.global_column(j)] = std::sqrt(std::max(0.0, gram.local(i, j)));
      }
    }
  }
  gram.grid().communicator().sum(std::span(norms));
  for (double& norm : norms) norm = norm > 0.0 ? norm : 1.0;
  return norms;
}

KernelDecomposition decomposed(const TrainingFeatures& features, bool any_units) {
  return decompose(features, any_units ? GramRoot::of_any_units(features.gram()) : GramRoot::of(features.gram()));
}

}  // namespace

template <class T>
void require_kernel(const Approximation<T>& approximation, const KeyNames& keys) {
  if (approximation.transform == Transform::sqrt) {
    throw Error(ErrorKind::usage,
                fmt::format("the factors give squares of which a root is taken; kernel ridge regression needs the "
                            "factors of the kernel itself ({} = none)",
                            keys("transform")));
  }
  if (!approximation.symmetric || approximation.right || approximation.symmetrize) {
    throw Error(ErrorKind::usage,
                fmt::format("the factors (method {}) are two different ones, and their product is not symmetric; "
                            "kernel ridge regression needs a symmetric method, such as {} or {}",
                            approximation.report.method, nystrom_method().name, biharmonic_method().name));
  }
}

template void require_kernel(const Approximation<float>&, const KeyNames&);
template void require_kernel(const Approximation<double>&, const KeyNames&);

void scale_rows(BlockCyclicMatrix& x, const std::vector<double>& scales) {
  for (Index j = 0; j < x.local_columns(); ++j) {
    for (Index i = 0; i < x.local_rows(); ++i) x.local(i, j) *= scales[x.global_row(i)];
  }
}

GramRoot GramRoot::of_any_units(BlockCyclicMatrix gram) {
  const std::vector<double> norms = column_norms(gram);
  std::vector<double> inverses;
  for (const double norm : norms) inverses.push_back(1.0 / norm);
  for (Index j = 0; j < gram.local_columns(); ++j) {
    const double own = inverses[gram.global_column(j)];
    for (Index i = 0; i < gram.local_rows(); ++i) gram.local(i, j) *= own;
  }
  scale_rows(gram, inverses);
  GramRoot result = of(std::move(gram));
  scale_rows(result.root, norms);
  scale_rows(result.inverse, inverses);
  return result;
}

GramRoot GramRoot::of(BlockCyclicMatrix gram) {
  const SymmetricEigen eigen = eigen_symmetric(std::move(gram));
  const double largest = eigen.values.empty() ? 0.0 : std::max(0.0, eigen.values.back());
  const double least = epsilon * static_cast<double>(eigen.values.size()) * largest;
  std::vector<Index> kept;
  std::vector<double> squares, roots, inverses;
  for (std::size_t k = 0; k < eigen.values.size(); ++k) {
    if (eigen.values[k] <= least) continue;
    kept.push_back(static_cast<Index>(k));
    squares.push_back(eigen.values[k]);
    roots.push_back(std::sqrt(eigen.values[k]));
    inverses.push_back(1.0 / roots.back());
  }
  if (kept.empty()) {
    throw Error(ErrorKind::numeric, "the factors are 0 on all training rows: there is nothing to learn from");
  }
  return {squares, scale_columns(eigen.vectors, kept, roots), scale_columns(eigen.vectors, kept, inverses)};
}

KernelDecomposition decompose(const TrainingFeatures& features, const GramRoot& gram) {
  if (features.middle_is_identity()) return {gram.squares, gram.inverse.copy(), gram.root.copy()};
  const BlockCyclicMatrix weighted = features.times_middle(gram.root);
  SymmetricEigen eigen = eigen_symmetric(multiply(gram.root, true, weighted, false));
  BlockCyclicMatrix whitening = multiply(gram.inverse, false, eigen.vectors, false);
  BlockCyclicMatrix back = multiply(weighted, false, eigen.vectors, false);
  return {std::move(eigen.values), std::move(whitening), std::move(back)};
}

template <class T>
KernelInverse::KernelInverse(const Execution& execution, const Approximation<T>& approximation,
                             std::span<const Index> rows)
    : grid_(std::make_shared<const ProcessGrid>(execution.communicator)),
      features_(make_training_features(execution, grid_, approximation, rows)),
      decomposition_(decomposed(*features_, approximation.left.is_sparse())) {}

template KernelInverse::KernelInverse(const Execution&, const Approximation<float>&, std::span<const Index>);
template KernelInverse::KernelInverse(const Execution&, const Approximation<double>&, std::span<const Index>);

void KernelInverse::apply(MatrixView<const double> v, std::span<const double> lambdas, MatrixView<double> z) const {
  BlockCyclicMatrix rotated = multiply(decomposition_.whitening, true, features_->times(v), false);
  for (Index c = 0; c < rotated.local_columns(); ++c) {
    const double lambda = lambdas[static_cast<std::size_t>(rotated.global_column(c))];
    for (Index k = 0; k < rotated.local_rows(); ++k) {
      const double value = std::max(0.0, decomposition_.values[static_cast<std::size_t>(rotated.global_row(k))]);
      rotated.local(k, c) *= value / (lambda + value);
    }
  }
  features_->multiply(cairn::multiply(decomposition_.whitening, false, rotated, false), z);
  for (Index i = 0; i < v.rows; ++i) {
    for (Index c = 0; c < v.columns; ++c) z(i, c) = (v(i, c) - z(i, c)) / lambdas[static_cast<std::size_t>(c)];
  }
}

double KernelInverse::smallest() const { return std::ranges::min(decomposition_.values); }
double KernelInverse::largest() const { return std::ranges::max(decomposition_.values); }

Index KernelInverse::negative() const {
  const double rounding = epsilon * static_cast<double>(rank()) * std::max(std::abs(smallest()), std::abs(largest()));
  return std::ranges::count_if(decomposition_.values, [&](double value) { return value < -rounding; });
}

}  // namespace cairn

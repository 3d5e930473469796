#include "cairn/approximation/symmetric_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

constexpr double noise_truncation = 1e-3;      // largest default truncation
constexpr double rounding_truncation = 1e-10;  // smaller eigenvalues are rounding errors
constexpr double single_truncation = 1e-6;     // the same if similarities have 24 bits

}  // namespace

double rounding_tolerance(bool single_precision) { return single_precision ? single_truncation : rounding_truncation; }

namespace {

// True if no eigenvalue of A is below the tolerance for certain: the smallest is at least 1 / trace(A⁻¹), the largest
// at most |A|_1. (ScaLAPACK's pdpocon does not help: its estimate of the reciprocal condition was up to 190 times too
// large on rbf blocks of 10 to 200 rows.)
bool is_well_conditioned(const BlockCyclicMatrix& matrix, double trace_of_inverse, const SpectrumRule& rule) {
  const double ratio = 1.0 / (trace_of_inverse * one_norm(matrix));
  return ratio > std::max(rule.tolerance, rounding_tolerance(rule.single_precision));
}

// F and F⁻ᵀ of the Cholesky factor, if it exists and A is well conditioned.
std::optional<SymmetricRoot> cholesky_root(const BlockCyclicMatrix& matrix, const SpectrumRule& rule) {
  BlockCyclicMatrix factor = matrix.copy();
  if (!cholesky(factor)) return std::nullopt;
  BlockCyclicMatrix map = inverse_transpose(factor.copy());
  const double norm = frobenius_norm(map);
  if (!is_well_conditioned(matrix, norm * norm, rule)) return std::nullopt;
  return SymmetricRoot{std::move(map), {}, std::move(factor)};
}

SymmetricRoot eigenvalue_root(BlockCyclicMatrix matrix, const SpectrumRule& rule, MethodReport& report) {
  SymmetricEigen eigen = eigen_symmetric(std::move(matrix));
  const std::vector<double>& values = eigen.values;
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  const double tolerance = rule.tolerance >= 0.0 ? rule.tolerance : default_tolerance(values, rule.single_precision);
  std::vector<Index> keep;
  std::vector<double> scales, signs;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool dropped = std::abs(values[k]) <= tolerance * largest;
    if (dropped) ++report.dropped_eigenvalues;
    if (!dropped && values[k] < 0.0) ++report.negative_eigenvalues;
    if (dropped || (rule.positive_only && values[k] < 0.0)) continue;
    keep.push_back(static_cast<Index>(k));
    scales.push_back(1.0 / std::sqrt(std::abs(values[k])));
    signs.push_back(values[k] < 0.0 ? -1.0 : 1.0);
  }
  if (keep.empty()) {
    throw Error(ErrorKind::numeric, fmt::format("the core matrix ({} landmarks) has no {}eigenvalue above {:g} times "
                                                "its largest magnitude, {:g}: choose other landmarks or a smaller {}",
                                                values.size(), rule.positive_only ? "positive " : "", tolerance,
                                                largest, rule.keys("tolerance")));
  }
  report.rank = static_cast<Index>(keep.size());
  if (std::find(signs.begin(), signs.end(), -1.0) == signs.end()) signs.clear();
  SymmetricRoot root{scale_columns(eigen.vectors, keep, scales), std::move(signs), std::nullopt};
  report.spectrum = std::move(eigen.values);
  return root;
}

}  // namespace

double default_tolerance(const std::vector<double>& eigenvalues, bool single_precision) {
  const double largest = std::max(std::abs(eigenvalues.front()), std::abs(eigenvalues.back()));
  const double negative = largest > 0.0 ? std::max(0.0, -eigenvalues.front() / largest) : 0.0;
  return std::clamp(negative, rounding_tolerance(single_precision), noise_truncation);
}

SymmetricRoot pseudo_inverse_root(BlockCyclicMatrix matrix, const SpectrumRule& rule, MethodReport& report) {
  if (auto root = cholesky_root(matrix, rule)) {
    report.rank = matrix.rows();
    return std::move(*root);
  }
  return eigenvalue_root(std::move(matrix), rule, report);
}

BlockCyclicMatrix pseudo_inverse(BlockCyclicMatrix matrix, const SpectrumRule& rule, MethodReport& report) {
  BlockCyclicMatrix factor = matrix.copy();
  if (cholesky(factor)) {
    BlockCyclicMatrix inverse = cholesky_inverse(std::move(factor));
    if (is_well_conditioned(matrix, trace(inverse), rule)) {
      report.rank = matrix.rows();
      return inverse;
    }
  }
  return expand(eigenvalue_root(std::move(matrix), rule, report));
}

BlockCyclicMatrix expand(const SymmetricRoot& root) {
  if (root.signs.empty()) return multiply(root.map, false, root.map, true);
  std::vector<Index> all(root.signs.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  return multiply(scale_columns(root.map, all, root.signs), false, root.map, true);
}

void note_of_zero(MethodReport& report) {
  report.notes.emplace_back("the columns of all landmarks are 0, and so is the approximation");
}

template <class T>
bool are_zero(const Communicator& communicator, const TallMatrix<T>& columns) {
  const bool different = columns.visit([]<class N>(const RowBlock<N>& rows) {
    const MatrixView<const N> own = rows.local();
    return std::any_of(own.data, own.data + own.rows * own.columns, [](N value) { return value != N(0); });
  });
  return communicator.maximum(different ? Index{1} : Index{0}) == 0;
}

namespace {

template <class T>
Approximation<T> embedding_of(Factor<T> left, SymmetricRoot root, FactorOrigin landmarks, MethodReport report) {
  Approximation<T> result;
  result.left = std::move(left);
  if (root.signs.empty()) {
    result.core_matrix = IdentityCore{root.map.columns()};
  } else {
    result.core_matrix = DiagonalCore{std::move(root.signs)};
  }
  landmarks.map = std::make_shared<const BlockCyclicMatrix>(std::move(root.map));
  result.left_origin = std::move(landmarks);
  result.report = std::move(report);
  return result;
}

}  // namespace

template <class T>
Approximation<T> join_root(const Execution& execution, TallMatrix<T> columns, SymmetricRoot root, bool embedding,
                           FactorOrigin landmarks, MethodReport report) {
  if (embedding) {
    Factor<T> left;
    if (root.factor) {
      RowBlock<T> solved = collectively(execution.communicator, [&] { return std::move(columns).widened(); });
      solve_tall_in_place(solved, *root.factor, execution.threads);
      left = std::move(solved);
    } else {
      left = multiply_tall(columns, root.map, execution.threads);
    }
    return embedding_of<T>(std::move(left), std::move(root), std::move(landmarks), std::move(report));
  }
  Approximation<T> result;
  result.core_matrix = DenseCore{expand(root)};
  result.left = std::move(columns);
  result.left_origin = std::move(landmarks);
  result.report = std::move(report);
  return result;
}

template <class T>
Approximation<T> join_factor(const Execution& execution, RowBlock<T> factor, BlockCyclicMatrix matrix,
                             const SpectrumRule& rule, FactorOrigin landmarks, MethodReport report) {
  const auto grid = matrix.shared_grid();
  SymmetricRoot root = pseudo_inverse_root(std::move(matrix), rule, report);
  Factor<T> left;
  if (root.factor) {
    left = std::move(factor);
  } else {
    const BlockCyclicMatrix of_landmarks = select_rows<T>(grid, factor, landmarks.indices);
    left = multiply_tall(TallMatrix<T>(std::move(factor)), multiply(of_landmarks, true, root.map, false),
                         execution.threads);
  }
  return embedding_of<T>(std::move(left), std::move(root), std::move(landmarks), std::move(report));
}

template <class T>
Approximation<T> join_symmetric(const Execution& execution, TallMatrix<T> columns, BlockCyclicMatrix matrix,
                                const SpectrumRule& rule, bool embedding, FactorOrigin landmarks, MethodReport report) {
  Approximation<T> result;
  if (are_zero(execution.communicator, columns)) {  // K is 0 as far as known, and so are K~ and the map
    report.dropped_eigenvalues = matrix.rows();
    note_of_zero(report);
    result.left = std::move(columns);
    if (embedding) {
      result.core_matrix = IdentityCore{matrix.rows()};
      landmarks.map = std::make_shared<const BlockCyclicMatrix>(std::move(matrix));
    } else {
      result.core_matrix = DenseCore{std::move(matrix)};
    }
    result.left_origin = std::move(landmarks);
    result.report = std::move(report);
    return result;
  }
  if (embedding) {
    SymmetricRoot root = pseudo_inverse_root(std::move(matrix), rule, report);
    return join_root(execution, std::move(columns), std::move(root), true, std::move(landmarks), std::move(report));
  }
  result.core_matrix = DenseCore{pseudo_inverse(std::move(matrix), rule, report)};
  result.left = std::move(columns);
  result.left_origin = std::move(landmarks);
  result.report = std::move(report);
  return result;
}

#define CAIRN_INSTANTIATE(T)                                                                                        \
  template bool are_zero(const Communicator&, const TallMatrix<T>&);                                                \
  template Approximation<T> join_root(const Execution&, TallMatrix<T>, SymmetricRoot, bool, FactorOrigin,           \
                                      MethodReport);                                                                \
  template Approximation<T> join_factor(const Execution&, RowBlock<T>, BlockCyclicMatrix, const SpectrumRule&,      \
                                        FactorOrigin, MethodReport);                                                \
  template Approximation<T> join_symmetric(const Execution&, TallMatrix<T>, BlockCyclicMatrix, const SpectrumRule&, \
                                           bool, FactorOrigin, MethodReport);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

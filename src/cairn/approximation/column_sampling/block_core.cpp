#include "cairn/approximation/column_sampling/block_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/tall/tall_views.hpp"

namespace cairn {

namespace {

constexpr Index projections = 64;  // a score then has a standard deviation of 18 %
constexpr Index rows_at_once = Index{1} << 16;
constexpr std::uint64_t address_of_keys = 1;  // projections are drawn at (row, column + 3)

// The factor F of CᵀC + ridge I, with the smallest ridge of a few that rounding errors allow.
BlockCyclicMatrix guarded_cholesky(const BlockCyclicMatrix& gram, double rounding) {
  const double unit = rounding * trace(gram);
  constexpr int attempts = 5;
  double ridge = unit;
  for (int attempt = 0; attempt < attempts; ++attempt, ridge *= 100.0) {
    BlockCyclicMatrix factor = gram.copy();
    for (Index j = 0; j < factor.local_columns(); ++j) {
      for (Index i = 0; i < factor.local_rows(); ++i) {
        if (factor.global_row(i) == factor.global_column(j)) factor.local(i, j) += ridge;
      }
    }
    if (cholesky(factor)) return factor;
  }
  throw Error(ErrorKind::numeric, "the columns of the landmarks cannot be compared: their products are not finite");
}

// Estimates of |c_i F^(-T)|² for this rank's rows c_i of C.
template <class T>
std::vector<double> leverage_scores(const Execution& execution, const RowBlock<T>& columns, const Random& random) {
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  const double rounding = 10.0 * std::numeric_limits<T>::epsilon() * static_cast<double>(columns.columns());
  BlockCyclicMatrix factor =
      guarded_cholesky(gram(grid, columns, columns, execution.threads), std::min(rounding, 1e-4));
  BlockCyclicMatrix projection(grid, columns.columns(), projections);
  projection.fill([&](Index i, Index j) {
    return random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j) + 2 + address_of_keys) /
           std::sqrt(static_cast<double>(projections));
  });
  const BlockCyclicMatrix map = multiply(inverse_transpose(std::move(factor)), false, projection, false);
  const MatrixView<const T> own = columns.local();
  const Index rounds = execution.communicator.maximum((own.rows + rows_at_once - 1) / rows_at_once);
  std::vector<double> scores;
  scores.reserve(static_cast<std::size_t>(own.rows));
  for (Index round = 0; round < rounds; ++round) {
    const Index begin = std::min(own.rows, round * rows_at_once), rows = std::min(rows_at_once, own.rows - begin);
    Buffer<T> products(rows * projections);
    const MatrixView<T> out(products.data(), rows, projections);
    multiply_tall<T>({own.row(begin), rows, own.columns, own.stride}, map, out, execution.threads);
    for (Index i = 0; i < rows; ++i) {
      double squares = 0.0;
      for (Index j = 0; j < projections; ++j)
        squares += static_cast<double>(out(i, j)) * static_cast<double>(out(i, j));
      scores.push_back(squares);
    }
  }
  return scores;
}

// The objects with the `count` smallest keys, positive or infinite, in ascending order of number. Keys are compared as
// their bits, which have the same order: 64 sums over ranks find the largest that is taken.
std::vector<Index> smallest_keys(const Communicator& communicator, Range own, const std::vector<double>& keys,
                                 Index count) {
  const auto number_up_to = [&](std::uint64_t limit) {
    return communicator.sum(static_cast<Index>(
        std::ranges::count_if(keys, [&](double key) { return std::bit_cast<std::uint64_t>(key) <= limit; })));
  };
  std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  while (low < high) {  // the smallest limit with enough keys up to it
    const std::uint64_t middle = low + (high - low) / 2;
    if (number_up_to(middle) >= count)
      high = middle;
    else
      low = middle + 1;
  }
  std::vector<Index> below, equal;
  for (std::size_t a = 0; a < keys.size(); ++a) {
    const auto bits = std::bit_cast<std::uint64_t>(keys[a]);
    if (bits <= low) (bits < low ? below : equal).push_back(own.begin + static_cast<Index>(a));
  }
  std::vector<Index> taken = communicator.all_gather(below);
  equal.resize(std::min(equal.size(), static_cast<std::size_t>(count)));
  const std::vector<Index> ties = communicator.all_gather(equal);
  taken.insert(taken.end(), ties.begin(), ties.begin() + (count - std::ssize(taken)));
  std::ranges::sort(taken);
  return taken;
}

}  // namespace

// Successive draws without replacement: the smallest of exponential variables with these rates (Efraimidis and Spirakis
// 2006).
template <class T>
std::vector<Index> leverage_rows(const Problem<T>& input, const RowBlock<T>& columns, std::span<const Index> others,
                                 Index count) {
  const Random random(input.execution.seed, Stream::second_sample);
  const EligibleObjects from = sampled_objects(input);
  std::unordered_set<Index> taken(input.landmarks.indices.begin(), input.landmarks.indices.end());
  taken.insert(others.begin(), others.end());
  std::vector<double> keys = leverage_scores(input.execution, columns, random);
  const Range own = columns.range();
  constexpr double lowest = 1e-12;  // rows whose scores are 0 come last, in any order
  for (Index x = own.begin; x < own.end; ++x) {
    double& key = keys[x - own.begin];
    const double draw = -std::log1p(-random.uniform(static_cast<std::uint64_t>(x), address_of_keys));
    key =
        taken.contains(x) || !from.contains(x) ? std::numeric_limits<double>::infinity() : draw / std::max(lowest, key);
  }
  return smallest_keys(input.execution.communicator, own, keys, count);
}

template std::vector<Index> leverage_rows(const Problem<float>&, const RowBlock<float>&, std::span<const Index>, Index);
template std::vector<Index> leverage_rows(const Problem<double>&, const RowBlock<double>&, std::span<const Index>,
                                          Index);

SymmetricRoot block_core(BlockCyclicMatrix block, Index landmarks, const SpectrumRule& rule, MethodReport& report) {
  BlockCyclicMatrix left(block.shared_grid(), block.rows(), landmarks);  // K_PS; its columns are where they were
  std::copy_n(block.data(), block.local_rows() * left.local_columns(), left.data());
  SingularValues decomposition = singular_value_decomposition(std::move(left));
  const double tolerance = rule.tolerance >= 0.0 ? rule.tolerance : rounding_tolerance(rule.single_precision);
  std::vector<Index> keep;
  std::vector<double> ones, inverses;
  for (std::size_t k = 0; k < decomposition.values.size(); ++k) {
    const double value = decomposition.values[k];
    if (!(value > tolerance * decomposition.values.front())) break;
    keep.push_back(static_cast<Index>(k));
    ones.push_back(1.0);
    inverses.push_back(1.0 / value);
  }
  if (keep.empty()) {
    throw Error(ErrorKind::numeric,
                fmt::format("the block of K between {} objects and {} landmarks is 0: choose other landmarks",
                            block.rows(), landmarks));
  }
  report.dropped_eigenvalues = std::ssize(decomposition.values) - std::ssize(keep);
  const BlockCyclicMatrix basis = scale_columns(decomposition.left, keep, ones);
  const BlockCyclicMatrix inverse = scale_columns(decomposition.right, keep, inverses);
  report.spectrum = std::move(decomposition.values);
  const SymmetricEigen eigen =
      eigen_symmetric(multiply(basis, true, multiply(block, false, basis, false), false));  // of UᵀK_PP U
  const double largest = std::max(std::abs(eigen.values.front()), std::abs(eigen.values.back()));
  const double rounding = largest * static_cast<double>(block.rows()) * std::numeric_limits<double>::epsilon();
  std::vector<Index> taken;
  std::vector<double> roots, signs;
  for (std::size_t k = 0; k < eigen.values.size(); ++k) {
    const double value = eigen.values[k];
    if (std::abs(value) <= rounding || (rule.positive_only && value < 0.0)) continue;
    taken.push_back(static_cast<Index>(k));
    roots.push_back(std::sqrt(std::abs(value)));
    signs.push_back(value < 0.0 ? -1.0 : 1.0);
    if (value < 0.0) ++report.negative_eigenvalues;
  }
  if (taken.empty()) {
    throw Error(ErrorKind::numeric, fmt::format("the core matrix of {} landmarks has no {}eigenvalue: choose others",
                                                landmarks, rule.positive_only ? "positive " : ""));
  }
  report.rank = std::ssize(taken);
  if (report.negative_eigenvalues == 0) signs.clear();
  return {multiply(inverse, false, scale_columns(eigen.vectors, taken, roots), false), std::move(signs), std::nullopt};
}

}  // namespace cairn

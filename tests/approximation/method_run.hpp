// Runs a method on a small matrix and gives K~ whole.
#pragma once

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "approximation/method_choice.hpp"
#include "landmark/function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// A small matrix, replicated, row-major.
struct Dense {
  Index rows = 0;
  Index columns = 0;
  std::vector<double> values;
  double operator()(Index i, Index j) const { return values[i * columns + j]; }
  double& operator()(Index i, Index j) { return values[i * columns + j]; }
};

inline Dense dense(Index rows, Index columns, const EntryFunction& entry) {
  Dense matrix{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) matrix(i, j) = entry(i, j);
  return matrix;
}

inline Dense product(const Dense& a, const Dense& b) {
  return dense(a.rows, b.columns, [&](Index i, Index j) {
    double sum = 0.0;
    for (Index k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, j);
    return sum;
  });
}

inline Dense transposed(const Dense& a) {
  return dense(a.columns, a.rows, [&](Index i, Index j) { return a(j, i); });
}

/// Inverse by Gauss-Jordan elimination with pivoting.
inline Dense inverse(Dense a) {
  Dense result = dense(a.rows, a.rows, [](Index i, Index j) { return i == j ? 1.0 : 0.0; });
  for (Index k = 0; k < a.rows; ++k) {
    Index pivot = k;
    for (Index i = k; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    const double scale = 1.0 / a(pivot, k);
    for (Index j = 0; j < a.rows; ++j) {
      std::swap(a(k, j), a(pivot, j)), std::swap(result(k, j), result(pivot, j));
      a(k, j) *= scale, result(k, j) *= scale;
    }
    for (Index i = 0; i < a.rows; ++i) {
      const double factor = a(i, k);
      if (i == k || factor == 0.0) continue;
      for (Index j = 0; j < a.rows; ++j) a(i, j) -= factor * a(k, j), result(i, j) -= factor * result(k, j);
    }
  }
  return result;
}

/// |A - B|_F / |B|_F.
inline double difference(const Dense& a, const Dense& b) {
  double error = 0.0, reference = 0.0;
  for (std::size_t e = 0; e < b.values.size(); ++e) {
    error += (a.values[e] - b.values[e]) * (a.values[e] - b.values[e]);
    reference += b.values[e] * b.values[e];
  }
  return std::sqrt(error / reference);
}

/// Every entry of a tall matrix. Collective over its ranks.
template <class T>
Dense gathered(const Communicator& communicator, const RowBlock<T>& tall) {
  const MatrixView<const T> rows = tall.local();
  const std::vector<double> mine(rows.data, rows.data + rows.rows * rows.columns);
  return {tall.rows(), tall.columns(), communicator.all_gather(mine)};
}

/// K~ of an approximation. Collective over `execution.communicator`.
template <class T>
Dense reconstruct(const Execution& execution, const Approximation<T>& approximation) {
  std::vector<Index> all(approximation.left.rows());
  std::iota(all.begin(), all.end(), Index{0});
  return gathered(execution.communicator, approximate_columns(execution, approximation, all));
}

/// What a method is run on.
struct MatrixProblem {
  EntryFunction entry;
  Index n = 0;
  Index landmarks = 0;
  std::uint64_t seed = 3;
};

template <class T>
struct Outcome {
  Dense matrix;  ///< K~
  std::vector<Index> landmarks;
  Approximation<T> approximation;
  Index evaluations = 0;  ///< over all ranks
};

/// Runs a method with uniform landmarks over the ranks of `communicator`. Collective.
template <class T = double>
Outcome<T> run(const MatrixProblem& problem, const MethodChoice& choice, const Communicator& communicator = world()) {
  Context context(communicator, problem.seed);
  const FunctionSimilarity<T> similarity(problem.entry);
  const NumberedObjects objects(RowPartition(problem.n, communicator.size()), communicator.rank());
  Landmarks<T> landmarks = select_uniform<T>(context.execution, objects, problem.landmarks);
  Outcome<T> outcome;
  outcome.landmarks = landmarks.indices;
  outcome.approximation =
      approximate<T>(choice, context.execution, similarity, objects, std::move(landmarks), problem.landmarks);
  outcome.matrix = reconstruct(context.execution, outcome.approximation);
  outcome.evaluations = communicator.sum(similarity.evaluations());
  return outcome;
}

}  // namespace cairn::test

// Averages of K~ over clusters, from sums of rows of its factors.
#include <algorithm>
#include <cmath>

#include "cairn/approximation/core_matrix.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/tall/vector_products.hpp"
#include "cairn/similarity/vector_math.hpp"
#include "cairn/task/clusters/average_linkage.hpp"

namespace cairn {

namespace {

// Rows of a factor, dense and in double precision, followed by a column of ones: sums of rows then also contain the
// number of objects.
template <class T>
RowBlock<double> counted_rows(const Communicator& communicator, const Factor<T>& factor) {
  return collectively(communicator, [&] {
    RowBlock<double> rows(factor.partition(), communicator.rank(), factor.columns() + 1);
    for (Index i = factor.range().begin; i < factor.range().end; ++i) {
      const std::span<double> out = rows.row(i);
      out.back() = 1.0;
      if (factor.is_sparse()) {
        std::fill(out.begin(), out.end() - 1, 0.0);
        const SparseRow<T> row = factor.sparse().row(i);
        for (std::size_t e = 0; e < row.columns.size(); ++e) {
          out[row.columns[e]] = static_cast<double>(row.values[e]);
        }
      } else {
        factor.tall().copy_row(i, out.data());
      }
    }
    return rows;
  });
}

// Dot product over the size of `b`: `a` may have its count appended.
double dot(std::span<const double> a, std::span<const double> b) {
  return vector_math::dot(a.data(), b.data(), std::ssize(b));
}

template <class T>
class FactorAverages final : public ClusterAverages {
 public:
  FactorAverages(const Execution& execution, const Approximation<T>& approximation)
      : execution_(execution),
        approximation_(approximation),
        left_(counted_rows(execution.communicator, approximation.left)) {
    if (approximation.right) right_ = counted_rows(execution.communicator, *approximation.right);
    rounding_ = relative_rounding * largest_terms();
  }

  [[nodiscard]] const RowPartition& partition() const override { return left_.partition(); }
  [[nodiscard]] Meaning meaning() const override { return approximation_.meaning; }
  [[nodiscard]] double rounding() const override { return rounding_; }

  void averages(Index tip, std::span<const Index> own, std::span<double> out) override {
    // L_b J R_tipᵀ and, if different, L_tip J R_bᵀ: StaCUR has R = L, and a J that is not symmetric.
    const bool two = !approximation_.symmetric;
    const std::vector<double> left_tip = broadcast(left_, tip);
    const std::vector<double> from_right = joined(right_ ? broadcast(*right_, tip) : left_tip, false);
    const std::vector<double> from_left = two ? joined(left_tip, true) : std::vector<double>{};
#pragma omp parallel for num_threads(execution_.threads) schedule(static) if (own.size() > 256)
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::span<const double> row = left_.row(own[k]);
      double sum = dot(row, from_right);
      if (two) sum = (sum + dot(right().row(own[k]), from_left)) / 2.0;
      out[k] = sum / (left_tip.back() * row.back());
    }
  }

  void merge(Index into, Index from) override {
    add(left_, into, from);
    if (right_) add(*right_, into, from);
  }

 private:
  static constexpr double relative_rounding = 1e-12;

  [[nodiscard]] const RowBlock<double>& right() const { return right_ ? *right_ : left_; }

  // Magnitude of the terms of an entry, max ‖L_i‖ max ‖J R_jᵀ‖ (over a sample of j). Entries may be far smaller, such
  // as a distance on the diagonal, but have the same uncertainty.
  [[nodiscard]] double largest_terms() const {
    double longest = 0.0, longest_joined = 0.0;
    for (Index i = left_.range().begin; i < left_.range().end; ++i) {
      const std::span<const double> row = without_count(left_.row(i));
      longest = std::max(longest, dot(row, row));
    }
    constexpr Index sample = 16;
    const Index rows = left_.rows();
    for (Index s = 0; s < std::min(sample, rows); ++s) {
      const std::vector<double> other = joined(broadcast(right(), s * rows / std::min(sample, rows)), false);
      longest_joined = std::max(longest_joined, dot(other, other));
    }
    return std::sqrt(execution_.communicator.maximum(longest) * longest_joined);
  }

  std::vector<double> broadcast(const RowBlock<double>& rows, Index row) const {
    std::vector<double> values(rows.columns());
    if (rows.range().contains(row)) std::copy_n(rows.row(row).begin(), values.size(), values.begin());
    execution_.communicator.broadcast(std::span(values), rows.partition().owner(row));
    return values;
  }

  static std::span<const double> without_count(std::span<const double> row) { return row.first(row.size() - 1); }

  // J x, or Jᵀ x, for a row x with its count, which is removed.
  std::vector<double> joined(std::vector<double> x, bool transpose) const {
    x.pop_back();
    const CoreMatrix& core_matrix = approximation_.core_matrix;
    if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] *= diagonal->values[k];
    } else if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) {
      x = multiply_vector(dense->matrix, transpose, x);
    } else if (const auto* tiles = std::get_if<TiledCore>(&core_matrix)) {
      x = multiply_vector(execution_.communicator, tiles->matrix, x, execution_.threads);
    }
    return x;
  }

  void add(RowBlock<double>& rows, Index into, Index from) const {
    const std::vector<double> values = broadcast(rows, from);
    if (!rows.range().contains(into)) return;
    const std::span<double> out = rows.row(into);
    for (std::size_t k = 0; k < values.size(); ++k) out[k] += values[k];
  }

  const Execution& execution_;
  const Approximation<T>& approximation_;
  RowBlock<double> left_;  // sums over clusters with their counts, in the row of the cluster's first object
  std::optional<RowBlock<double>> right_;
  double rounding_ = 0.0;
};

}  // namespace

template <class T>
std::unique_ptr<ClusterAverages> averages_of_factors(const Execution& execution,
                                                     const Approximation<T>& approximation) {
  if (approximation.transform != Transform::none) {
    throw Error(
        ErrorKind::usage,
        "the approximation is the square root of L J R', whose averages over clusters do not come from sums of rows: "
        "cluster the matrix itself, or an approximation with transform = none");
  }
  if (approximation.trees != nullptr) {
    throw Error(ErrorKind::usage,
                "L J R' overestimates distances between vertices of the same pendant tree, and sums of rows do not "
                "show by how much: cluster the matrix itself, or an approximation made with exact-trees = false");
  }
  return std::make_unique<FactorAverages<T>>(execution, approximation);
}

template std::unique_ptr<ClusterAverages> averages_of_factors(const Execution&, const Approximation<float>&);
template std::unique_ptr<ClusterAverages> averages_of_factors(const Execution&, const Approximation<double>&);

}  // namespace cairn

#include "cairn/operator/operator_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

// One row of M on the chosen vertices, gathered in a dense vector.
class RowOfM {
 public:
  RowOfM(const OperatorView& op, const std::int32_t* position, std::size_t size)
      : op_(op), position_(position), sums_(size), seen_(size, 0) {}

  // Fills columns() for this vertex.
  void gather(Index vertex) {
    for (const std::int32_t column : columns_) seen_[column] = 0;
    columns_.clear();
    add_row_of_laplacian(vertex, op_.degrees[vertex] * op_.inverse_mass(vertex));
    for (Index arc = op_.starts[vertex]; arc < op_.starts[vertex + 1]; ++arc) {
      const Index other = op_.neighbors[arc];
      add_row_of_laplacian(other, -op_.weight(arc) * op_.inverse_mass(other));
    }
  }
  [[nodiscard]] std::vector<std::int32_t>& columns() { return columns_; }
  [[nodiscard]] double value(std::int32_t column) const { return sums_[column]; }

 private:
  void add_row_of_laplacian(Index vertex, double factor) {
    add(vertex, factor * op_.degrees[vertex]);
    for (Index arc = op_.starts[vertex]; arc < op_.starts[vertex + 1]; ++arc) {
      add(op_.neighbors[arc], -factor * op_.weight(arc));
    }
  }
  void add(Index vertex, double value) {
    const std::int32_t column = position_[vertex];
    if (column < 0) return;
    const auto c = static_cast<std::size_t>(column);
    if (seen_[c] == 0) {
      seen_[c] = 1;
      sums_[c] = 0.0;
      columns_.push_back(column);
    }
    sums_[c] += value;
  }

  const OperatorView& op_;
  const std::int32_t* position_;
  std::vector<double> sums_;
  std::vector<char> seen_;
  std::vector<std::int32_t> columns_;
};

}  // namespace

template <class I>
LowerTriangle<I> principal_submatrix(const OperatorView& op, const std::vector<std::int32_t>& vertices,
                                     const std::int32_t* position) {
  LowerTriangle<I> matrix;
  matrix.starts.reserve(vertices.size() + 1);
  matrix.rows.reserve(5 * vertices.size());
  matrix.values.reserve(5 * vertices.size());
  RowOfM row(op, position, vertices.size());
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    row.gather(vertices[k]);
    std::ranges::sort(row.columns());
    double sum = 0.0;
    for (const std::int32_t column : row.columns()) {
      sum += std::abs(row.value(column));
      if (column < static_cast<std::int32_t>(k)) continue;
      matrix.rows.push_back(static_cast<I>(column));
      matrix.values.push_back(row.value(column));
    }
    matrix.norm = std::max(matrix.norm, sum);
    if (matrix.rows.size() > static_cast<std::size_t>(std::numeric_limits<I>::max())) {
      throw Error(ErrorKind::resource, "a part of the biharmonic operator has 2^31 entries or more");
    }
    matrix.starts.push_back(static_cast<I>(matrix.rows.size()));
  }
  return matrix;
}

template <class I>
LowerTriangle<I> laplacian_submatrix(const OperatorView& op, const std::vector<std::int32_t>& vertices,
                                     const std::int32_t* position) {
  LowerTriangle<I> matrix;
  matrix.starts.reserve(vertices.size() + 1);
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const std::int32_t vertex = vertices[k];
    matrix.rows.push_back(static_cast<I>(k));
    matrix.values.push_back(op.degrees[vertex]);
    double sum = std::abs(op.degrees[vertex]);
    for (Index arc = op.starts[vertex]; arc < op.starts[vertex + 1]; ++arc) {
      const std::int32_t row = position[op.neighbors[arc]];
      if (row < 0) continue;
      sum += std::abs(op.weight(arc));
      if (row < static_cast<std::int32_t>(k)) continue;
      matrix.rows.push_back(static_cast<I>(row));
      matrix.values.push_back(-op.weight(arc));
    }
    matrix.norm = std::max(matrix.norm, sum);
    matrix.starts.push_back(static_cast<I>(matrix.rows.size()));
  }
  return matrix;
}

double estimated_entries(const OperatorView& op, const std::vector<std::int32_t>& vertices,
                         const std::int32_t* position) {
  constexpr std::size_t sample = 1000;
  const std::size_t step = std::max<std::size_t>(1, vertices.size() / sample);
  RowOfM row(op, position, vertices.size());
  double entries = 0.0, rows = 0.0;
  for (std::size_t k = 0; k < vertices.size(); k += step) {
    row.gather(vertices[k]);
    entries += 0.5 * static_cast<double>(row.columns().size() + 1);
    ++rows;
  }
  return rows == 0.0 ? 0.0 : entries / rows * static_cast<double>(vertices.size());
}

template LowerTriangle<int> principal_submatrix(const OperatorView&, const std::vector<std::int32_t>&,
                                                const std::int32_t*);
template LowerTriangle<std::int64_t> laplacian_submatrix(const OperatorView&, const std::vector<std::int32_t>&,
                                                         const std::int32_t*);
template LowerTriangle<std::int64_t> principal_submatrix(const OperatorView&, const std::vector<std::int32_t>&,
                                                         const std::int32_t*);

}  // namespace cairn

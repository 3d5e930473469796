#include "cairn/approximation/approximate_row.hpp"

#include <algorithm>
#include <span>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/root_of_product.hpp"

namespace cairn {

namespace {

constexpr Index window = Index{1} << 16U;  // columns per window

}  // namespace

template <class T>
std::vector<double> approximate_row(const Execution& execution, const Approximation<T>& approximation, Index row) {
  const Factor<T>& right = approximation.right_factor();
  const Range own = right.range();
  std::vector<double> values;
  if (approximation.symmetric || approximation.symmetrize) {
    const RowBlock<double> column = approximate_columns(execution, approximation, std::span<const Index>(&row, 1));
    for (Index j = own.begin; j < own.end; ++j) values.push_back(column.row(j)[0]);
    return values;
  }
  for (Index begin = 0; begin < right.rows(); begin += window) {
    std::vector<Index> columns;
    const Index end = std::min(begin + window, own.end);
    for (Index j = std::max(own.begin, begin); j < end; ++j) columns.push_back(j);
    const std::vector<Index> rows(columns.size(), row);
    const std::vector<double> part = approximate_entries(execution, approximation, rows, columns);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

template <class T>
std::vector<double> factor_column(const Factor<T>& factor, Index column) {
  const Range own = factor.range();
  std::vector<double> values(own.size(), 0.0);
  for (Index i = own.begin; i < own.end; ++i) {
    double& value = values[i - own.begin];
    if (!factor.is_sparse()) {
      value = factor.tall().visit([&](const auto& rows) { return static_cast<double>(rows.row(i)[column]); });
      continue;
    }
    const SparseRow<T> row = factor.sparse().row(i);
    const auto found = std::lower_bound(row.columns.begin(), row.columns.end(), column);
    if (found != row.columns.end() && *found == column) {
      value = row.values[found - row.columns.begin()];
    }
  }
  return values;
}

namespace {

// Cosines of the angles between the row of `object` and all. Collective.
template <class N>
std::vector<double> cosines_with(const Communicator& communicator, const RowBlock<N>& rows, Index object) {
  const std::vector<Index> ids = {object};
  const Buffer<N> wanted = fetch_rows(communicator, rows, ids);
  const auto product = [](std::span<const N> a, std::span<const N> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return sum;
  };
  const double norm = product(wanted.span(), wanted.span());
  std::vector<double> cosines;
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    const double own = product(rows.row(i), rows.row(i));
    cosines.push_back(norm > 0 && own > 0 ? product(rows.row(i), wanted.span()) / root_of_product(norm, own) : 0.0);
  }
  return cosines;
}

}  // namespace

template <class T>
std::vector<double> row_cosines(const Communicator& communicator, const TallMatrix<T>& factor, Index object) {
  return factor.visit([&](const auto& rows) { return cosines_with(communicator, rows, object); });
}

template std::vector<double> factor_column(const Factor<float>&, Index);
template std::vector<double> factor_column(const Factor<double>&, Index);
template std::vector<double> row_cosines(const Communicator&, const TallMatrix<float>&, Index);
template std::vector<double> row_cosines(const Communicator&, const TallMatrix<double>&, Index);
template std::vector<double> approximate_row(const Execution&, const Approximation<float>&, Index);
template std::vector<double> approximate_row(const Execution&, const Approximation<double>&, Index);

}  // namespace cairn

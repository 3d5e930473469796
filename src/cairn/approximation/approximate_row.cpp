#include "cairn/approximation/approximate_row.hpp"

#include <algorithm>
#include <span>

namespace cairn {

namespace {

constexpr Index window = Index{1} << 16U;  // columns at a time

}  // namespace

template <class T>
std::vector<double> approximate_row(const Execution& execution, const Approximation<T>& approximation, Index row) {
  const Range own = approximation.left.range();
  std::vector<double> values;
  if (approximation.symmetric || approximation.symmetrize) {
    const RowBlock<double> column = approximate_columns(execution, approximation, std::span<const Index>(&row, 1));
    for (Index j = own.begin; j < own.end; ++j) values.push_back(column.row(j)[0]);
    return values;
  }
  for (Index begin = 0; begin < approximation.left.rows(); begin += window) {
    std::vector<Index> columns;
    const Index end = std::min(begin + window, own.end);
    for (Index j = std::max(own.begin, begin); j < end; ++j) columns.push_back(j);
    const std::vector<Index> rows(columns.size(), row);
    const std::vector<double> part = approximate_entries(execution, approximation, rows, columns);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

template std::vector<double> approximate_row(const Execution&, const Approximation<float>&, Index);
template std::vector<double> approximate_row(const Execution&, const Approximation<double>&, Index);

}  // namespace cairn

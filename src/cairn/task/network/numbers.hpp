// Numbers of a network in the precision of the points. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/matrix_view.hpp"

namespace cairn {

template <class T>
[[nodiscard]] std::vector<T> in_precision(std::span<const double> values) {
  std::vector<T> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(static_cast<T>(value));
  return result;
}

/// Adds `numbers` to each row. @param numbers  one per column
template <class T>
void add_to_rows(MatrixView<T> rows, const std::vector<T>& numbers) {
  for (Index a = 0; a < rows.rows; ++a) {
    for (Index k = 0; k < rows.columns; ++k) rows(a, k) += numbers[k];
  }
}

}  // namespace cairn

// Squared norms of rows whose squares may leave the range of doubles.
#pragma once

#include <algorithm>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Sum of the squares of unit times each number.
template <class T>
[[nodiscard]] double squared_norm(const T* values, Index count, double unit) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (Index k = 0; k < count; ++k) {
    const double value = static_cast<double>(values[k]) * unit;
    sum += value * value;
  }
  return sum;
}

/// evaluate(unit) over the largest of all ranks, or all 0: squared norms of own rows times 1, or times another unit if
/// the largest of those is not a normal number. Collective, as `evaluate` may be.
template <class Evaluate>
[[nodiscard]] std::vector<double> relative_squares(const Communicator& communicator, Evaluate evaluate) {
  constexpr double least = 1e-280, most = 1e280, other_unit = 1e160;
  double unit = 1.0;
  std::vector<double> squares = evaluate(unit);
  const auto largest = [&] { return communicator.maximum(squares.empty() ? 0.0 : *std::ranges::max_element(squares)); };
  double found = largest();
  if (found < least || found > most) {
    unit = found < least ? other_unit : 1 / other_unit;
    squares = evaluate(unit);
    found = largest();
  }
  for (double& square : squares) square /= found > 0.0 ? found : 1.0;
  return squares;
}

}  // namespace cairn

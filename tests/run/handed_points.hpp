// Points that a program holds, dealt unevenly over its ranks, and what is compared of results.
#pragma once

#include <cmath>
#include <vector>

#include "cairn/run/session.hpp"
#include "similarity/point_objects.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

inline constexpr Index dimension = 3;

/// Coordinate k of point i, the same on any number of ranks.
inline double coordinate(Index i, Index k) { return normal_coordinate(i, k); }

/// Rows begin to end, row-major.
inline std::vector<double> rows_between(Index begin, Index end) {
  std::vector<double> rows;
  for (Index i = begin; i < end; ++i) {
    for (Index k = 0; k < dimension; ++k) rows.push_back(coordinate(i, k));
  }
  return rows;
}

/// This rank's share of n rows as a program may deal them: the second rank has none, the others unequal numbers.
inline std::vector<double> own_rows(Index n) {
  const auto rank = static_cast<Index>(world().rank()), ranks = static_cast<Index>(world().size());
  const auto bound = [&](Index r) {
    return r == 1 && ranks > 2 ? 4 * n / (ranks * ranks) : n * r * r / (ranks * ranks);
  };
  return rows_between(bound(rank), bound(rank + 1));
}

inline Session session_on_all_ranks(std::uint64_t seed = 5) { return Session(test::world().handle(), {.seed = seed}); }

inline double rbf(double gamma, Index i, Index j) {
  double squares = 0;
  for (Index k = 0; k < dimension; ++k) squares += std::pow(coordinate(i, k) - coordinate(j, k), 2);
  return std::exp(-gamma * squares);
}

/// All pairs of n objects, row by row: rows and columns.
struct AllPairs {
  explicit AllPairs(Index n) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) rows.push_back(i), columns.push_back(j);
    }
  }
  std::vector<Index> rows, columns;
};

/// K~ whole on every rank, row-major. Collective.
template <class T>
std::vector<double> whole(const Session& session, const Result<T>& result) {
  const AllPairs pairs(result.size());
  return entries(session, result, pairs.rows, pairs.columns);
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t e = 0; e < a.size() && e < b.size(); ++e) largest = std::max(largest, std::abs(a[e] - b[e]));
  return largest;
}

}  // namespace cairn::test

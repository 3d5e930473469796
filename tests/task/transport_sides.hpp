// Two sides of a transport, and Sinkhorn's iteration on them in plain loops over the whole matrix.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cairn/base/random.hpp"
#include "cairn/task/transport/coupling.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

inline constexpr Index sources = 90, targets = 61, dimension = 2;

inline double coordinate(Side side, Index i, Index k) {
  const auto row = static_cast<std::uint64_t>(i) + (side == Side::source ? 0 : 1000);
  return Random(4, Stream::test).uniform(row, static_cast<std::uint64_t>(k)) + (side == Side::target ? 0.2 : 0.0);
}

inline double weight(Side side, Index i) {
  const Index n = side == Side::source ? sources : targets;
  const double share = side == Side::source ? 0.5 : 1.5;  // from equal weights
  return (1 + share * (static_cast<double>(2 * i + 1) / static_cast<double>(n) - 1) / 2) / static_cast<double>(n);
}

template <class T>
Measure<T> measure(const InterleavedRows& rows, Side side) {
  Measure<T> own;
  own.size = side == Side::source ? sources : targets;
  own.own = rows.range(side, world().rank());
  own.dimension = dimension;
  for (Index i = own.own.begin; i < own.own.end; ++i) {
    own.weights.push_back(weight(side, i));
    for (Index k = 0; k < dimension; ++k) own.coordinates.push_back(static_cast<T>(coordinate(side, i, k)));
  }
  return own;
}

// Both sides, dealt.
template <class T>
struct Sides {
  Context context;
  InterleavedRows rows{sources, targets, world().size()};
  Measure<T> source = measure<T>(rows, Side::source), target = measure<T>(rows, Side::target);

  // The values of a side on all ranks.
  [[nodiscard]] static std::vector<double> whole(const std::vector<double>& own) { return world().all_gather(own); }
};

inline double distance_of(const std::string& cost, Index i, Index j) {
  double squares = 0, absolute = 0;
  for (Index k = 0; k < dimension; ++k) {
    const double difference = coordinate(Side::source, i, k) - coordinate(Side::target, j, k);
    squares += difference * difference;
    absolute += std::abs(difference);
  }
  return cost == "manhattan" ? absolute : cost == "euclidean" ? std::sqrt(squares) : squares;
}

using Matrix = std::vector<std::vector<double>>;

template <class Entry>
inline Matrix matrix_of(Entry entry) {
  Matrix matrix(sources, std::vector<double>(targets));
  for (Index i = 0; i < sources; ++i) {
    for (Index j = 0; j < targets; ++j) matrix[i][j] = entry(i, j);
  }
  return matrix;
}

inline Matrix distances(const std::string& cost) {
  return matrix_of([&](Index i, Index j) { return distance_of(cost, i, j); });
}

inline double log_sum(const std::vector<double>& terms) {
  const double largest = *std::ranges::max_element(terms);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

// Sinkhorn's iteration on log K.
struct Plain {
  Matrix log_kernel;
  std::vector<double> log_u, log_v;

  explicit Plain(Matrix kernel) : log_kernel(std::move(kernel)) {
    for (Index i = 0; i < sources; ++i) log_u.push_back(std::log(weight(Side::source, i)));
    for (Index j = 0; j < targets; ++j) log_v.push_back(std::log(weight(Side::target, j)));
  }
  void iterate(int times) {
    for (int t = 0; t < times; ++t) {
      for (std::size_t i = 0; i < log_u.size(); ++i) {
        std::vector<double> terms;
        for (std::size_t j = 0; j < log_v.size(); ++j) terms.push_back(log_kernel[i][j] + log_v[j]);
        log_u[i] = std::log(weight(Side::source, static_cast<Index>(i))) - log_sum(terms);
      }
      for (std::size_t j = 0; j < log_v.size(); ++j) {
        std::vector<double> terms;
        for (std::size_t i = 0; i < log_u.size(); ++i) terms.push_back(log_kernel[i][j] + log_u[i]);
        log_v[j] = std::log(weight(Side::target, static_cast<Index>(j))) - log_sum(terms);
      }
    }
  }
  [[nodiscard]] double plan(std::size_t i, std::size_t j) const {
    return std::exp(log_u[i] + log_kernel[i][j] + log_v[j]);
  }
};

inline Plain plain_of(const std::string& cost, double epsilon) {
  Matrix logs = distances(cost);
  for (auto& row : logs) {
    for (double& value : row) value = -value / epsilon;
  }
  return Plain(std::move(logs));
}

template <class T>
void iterate(Coupling<T>& coupling, int times) {
  for (int t = 1; t <= times; ++t) {
    coupling.scale(Side::source, t);
    coupling.scale(Side::target, t);
  }
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

}  // namespace cairn::test

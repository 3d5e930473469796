#include "cairn/approximation/method_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn::method_parameters {

namespace {

// Matrices of a decomposition: the matrix, its eigenvectors or singular vectors, a copy, workspace: measured at s =
// 4,000 on 2 ranks.
constexpr double decomposition_matrices = 6;
// Between a Cholesky factor (4.5 measured at s = 8,000 on 2 ranks, 4.7 with buffers) and the eigen-decomposition.
constexpr double cholesky_matrices = 5.4;

double at_least_a_block(Index order) { return static_cast<double>(std::max<Index>(order, BlockCyclicMatrix::block)); }

void check_between(const Values& values, Index least, Index objects) {
  if (!values.given("s2") || objects == 0) return;
  const Index s2 = values.integer("s2");
  if (s2 >= least && s2 <= objects) return;
  values.refuse("s2", fmt::format("is not between {} and the number of objects, {}", least, objects));
}

}  // namespace

Parameter tolerance() {
  return {.name = "tolerance",
          .value = "NUMBER",
          .type = ValueType::number,
          .help =
              "Eigenvalues (singular values) of the core matrix below this share of the largest are dropped; by "
              "default the method's own. Below 1.",
          .lowest = 0,
          .below = 1};
}

Parameter spectrum() {
  return {.name = "spectrum",
          .value = "NAME",
          .type = ValueType::choice,
          .fallback = "all",
          .help = "Which eigenvalues of the core matrix are kept.",
          .choices = {"all", "positive"}};
}

Parameter second_sample(const std::string& fallback) {
  return {.name = "s2",
          .value = "N",
          .type = ValueType::integer,
          .help = fmt::format("Size of the second sample; by default {}.", fallback),
          .lowest = 1};
}

Parameter shift_factor() {
  return {.name = "alpha",
          .value = "NUMBER",
          .type = ValueType::number,
          .fallback = "1.5",
          .help = "The shift is -alpha times the least eigenvalue.",
          .lowest = 0};
}

Parameter embedding() {
  return {.name = "embedding",
          .value = "BOOL",
          .type = ValueType::flag,
          .fallback = "false",
          .help = "Return factors as embeddings, with signs between them."};
}

Parameter symmetrize_result() {
  return {.name = "symmetrize-result",
          .value = "BOOL",
          .type = ValueType::flag,
          .fallback = "false",
          .help = "Let the mean of the approximation and its transpose stand for the matrix."};
}

Parameter core_rows() {
  return {
      .name = "core-rows",
      .value = "N",
      .type = ValueType::integer,
      .help =
          "Determine the core matrix from K among so many objects: the landmarks and others that are drawn by their "
          "leverage scores; 4 times the landmarks are a good number. By default from the landmarks alone.",
      .lowest = 1};
}

Parameter store_left() {
  return {
      .name = "store-left",
      .value = "BOOL",
      .type = ValueType::flag,
      .fallback = "true",
      .help =
          "Keep L, n x s numbers, in memory and in the file. If not, its rows are evaluated from the landmarks when "
          "they are needed: for the estimate of the error, by evaluate, by train --krr-method centers."};
}

bool stores_left(const Values& values) { return !values.given("store-left") || values.flag("store-left"); }

void check_store_left(const Values& values, const ProblemShape& shape) {
  if (stores_left(values)) return;
  if (shape.by_source) values.refuse("store-left", "needs single entries of the matrix, which comes by whole rows");
  if (values.flag("embedding")) values.refuse("store-left", "= false leaves no rows that could be an embedding");
  if (values.given("core-rows")) {
    values.refuse("store-left", "= false leaves no rows from which further rows of the core matrix could be drawn");
  }
}

template <class T>
SpectrumRule spectrum_rule(const Values& values) {
  return {tolerance_or(values, -1.0), values.text("spectrum") == "positive", std::is_same_v<T, float>, values.keys()};
}

template SpectrumRule spectrum_rule<float>(const Values&);
template SpectrumRule spectrum_rule<double>(const Values&);

double tolerance_or(const Values& values, double fallback) { return values.number_or("tolerance", fallback); }

Index superset_size(const Values& values, Index landmarks, Index objects) {
  return std::min(values.integer_or("s2", 2 * landmarks), objects);
}

void check_superset(const Values& values, const ProblemShape& shape) {
  check_between(values, std::max<Index>(1, shape.landmarks), shape.objects);
}

Index core_rows_of(const Values& values, Index landmarks, Index objects) {
  if (!values.given("core-rows")) return 0;  // another method that calls this one may not have it
  const Index rows = std::min(values.integer("core-rows"), objects);
  return rows > landmarks ? rows : 0;
}

void check_core_rows(const Values& values, const ProblemShape& shape) {
  if (!values.given("core-rows")) return;
  if (shape.by_source) values.refuse("core-rows", "needs single entries of the matrix, which comes by whole rows");
  const Index rows = values.integer("core-rows");
  if (shape.landmarks > 0 && rows < shape.landmarks) {
    values.refuse("core-rows", fmt::format("is less than the number of landmarks, {}", shape.landmarks));
  }
  if (shape.objects > 0 && rows > shape.objects) {
    values.refuse("core-rows", fmt::format("is more than the number of objects, {}", shape.objects));
  }
}

Index second_sample_size(const Values& values, Index landmarks) { return values.integer_or("s2", landmarks); }

void check_second_sample(const Values& values, const ProblemShape& shape) { check_between(values, 1, shape.objects); }

Index symmetric_core_bytes(Index order, int ranks, bool cholesky) {
  const double rows = at_least_a_block(order);
  if (cholesky) return static_cast<Index>(cholesky_matrices * rows * rows * 8 / ranks);
  const int owners = rows <= static_cast<double>(serial_eigen_rows) ? 1 : ranks;  // LAPACK solves small ones
  return static_cast<Index>(decomposition_matrices * rows * rows * 8 / owners);
}

Index singular_core_bytes(Index rows, Index columns, int ranks) {
  const double m = at_least_a_block(rows), n = at_least_a_block(columns);
  const int owners = std::max(m, n) <= static_cast<double>(serial_singular_rows) ? 1 : ranks;
  return static_cast<Index>(decomposition_matrices * m * n * 8 / owners);
}

}  // namespace cairn::method_parameters

// Geometric build-up: points of all objects from their inner products with a few.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/distance_geometry/reference_loss.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

// The m references have G_0 = U Λ Uᵀ, and the points A = U_K Λ_K^(1/2). Its columns are orthogonal, so that A = Q R has
// Q = U_K and R = Λ_K^(1/2): the least-squares solution R v = Qᵀ b of an object is v = Λ_K^(-1/2) U_Kᵀ b, and of a
// reference its row of A. Nothing is left to factor or to solve; all points are one product.
template <class T>
Approximation<T> build_up(Problem<T> problem) {
  const Meaning meaning = problem.similarity.traits().meaning;
  const Index wanted = problem.parameters.integer("dimension");
  const Execution& execution = problem.execution;
  RowBlock<T> columns = landmark_columns(problem);
  const auto phase = execution.phases.enter(joining_phase);
  gram_points::center(execution.communicator, columns, problem.landmarks.indices, meaning);
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  MethodReport report;
  report.s1 = columns.columns();
  gram_points::TopPairs pairs =
      gram_points::top_pairs(execution, landmark_block(grid, columns, problem.landmarks.indices, problem.similarity),
                             wanted, problem.parameters.number("residual"), std::is_same_v<T, float>);
  const Index kept =
      gram_points::kept_pairs(pairs, wanted, problem.parameters, fmt::format("the {} references", report.s1), report);
  std::vector<Index> keep;
  std::vector<double> scales;
  for (Index k = 0; k < kept; ++k) {
    keep.push_back(k);
    scales.push_back(1.0 / std::sqrt(pairs.values[static_cast<std::size_t>(k)]));
  }
  BlockCyclicMatrix map = scale_columns(to_block_cyclic(grid, pairs.vectors), keep, scales);
  RowBlock<T> points = multiply_tall(columns, map, execution.threads);
  if (problem.parameters.flag("loss")) {
    report_loss(reference_loss(execution, columns, problem.landmarks.indices, points), report);
  }
  Approximation<T> result = gram_points::from_points(execution, std::move(points), meaning, std::move(report));
  if (meaning == Meaning::similarity) {
    FactorOrigin origin = landmark_origin(problem);
    origin.map = std::make_shared<const BlockCyclicMatrix>(std::move(map));
    result.left_origin = std::move(origin);
  }
  return result;
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index m = input.landmarks, dimension = values.integer("dimension");
  const auto order = static_cast<double>(m);
  return {.left = dimension,
          .columns = m,
          .copies_columns = false,
          .embedding = true,
          .joining = m,
          .joining_bytes = method_parameters::symmetric_joining_bytes(m, input.ranks, false),
          .eigen_flops = 9 * order * order * order / input.ranks};
}

}  // namespace

const MethodDescriptor& build_up_method() {
  static const MethodDescriptor method{
      .name = "gbu",
      .summary =
          "Geometric build-up: vectors v_i with v_i . v_j = K_ij for the references j, the landmarks, in the sense "
          "of least squares; K may be a distance.",
      .source = "Khalife, Gonçalves and Liberti 2022, algorithm 1",
      .parameters = {gram_points::dimension(),
                     gram_points::truncate(),
                     gram_points::tolerance("1e-7"),
                     {"loss", "BOOL", ValueType::flag, "false",
                      "Also compute the mean of the squared differences v_i . v_j - K_ij of the entries that it takes: "
                      "what adam minimizes. It takes as long as the vectors."}},
      .output = gram_points::outputs(),
      .default_for = {objects::words},
      .default_count = gram_points::default_references,
      .check = gram_points::check_references,
      .cost = cost,
      .run_single = build_up<float>,
      .run_double = build_up<double>};
  return method;
}

}  // namespace cairn

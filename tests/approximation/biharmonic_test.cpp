#include "cairn/approximation/biharmonic/biharmonic.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "method_run.hpp"
#include "similarity/shared_graphs.hpp"

namespace cairn::biharmonic_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::world;

constexpr Index side = 12, n = side * side;
const test::Edges edges = test::grid_graph(side, 0.3, 1, 7);  // seed 7
const std::vector<Index> landmarks = {0, 11, 132, 143, 66, 30, 113, 80, 9, 55, 100, 76};

struct Problem {
  SharedGraph graph = test::share(n, edges);
  BiharmonicOperator op = graph_operator(world(), graph);
  std::unique_ptr<PathLength> similarity = make_path_length(world(), graph, "auto");
};

// [I; -M_uu⁻¹ M_ub] with M = (V - A)ᵀ (V - A), all dense.
Dense interpolation_by_elimination() {
  Dense laplacian = dense(n, n, [](Index, Index) { return 0.0; });
  for (const auto& [edge, length] : edges) {
    const auto [u, v] = edge;
    laplacian(u, v) = laplacian(v, u) = -1.0;
    laplacian(u, u) += 1.0, laplacian(v, v) += 1.0;
  }
  const Dense m = test::product(laplacian, laplacian);
  std::vector<Index> others;
  for (Index v = 0; v < n; ++v) {
    if (std::find(landmarks.begin(), landmarks.end(), v) == landmarks.end()) others.push_back(v);
  }
  const auto u = static_cast<Index>(others.size()), l = static_cast<Index>(landmarks.size());
  const auto at = [](const std::vector<Index>& list, Index k) { return list[k]; };
  const Dense m_uu = dense(u, u, [&](Index i, Index j) { return m(at(others, i), at(others, j)); });
  const Dense m_ub = dense(u, l, [&](Index i, Index k) { return m(at(others, i), at(landmarks, k)); });
  const Dense solved = test::product(test::inverse(m_uu), m_ub);
  Dense p = dense(n, l, [](Index, Index) { return 0.0; });
  for (Index k = 0; k < l; ++k) p(at(landmarks, k), k) = 1.0;
  for (Index i = 0; i < u; ++i)
    for (Index k = 0; k < l; ++k) p(at(others, i), k) = -solved(i, k);
  return p;
}

Dense expected(Transform transform) {
  const std::vector<double> lengths = test::all_path_lengths(n, edges);
  const auto l = static_cast<Index>(landmarks.size());
  const Dense w = dense(l, l, [&](Index a, Index b) {
    const double length = lengths[landmarks[a] * n + landmarks[b]];
    return transform == Transform::sqrt ? length * length : length;
  });
  const Dense p = interpolation_by_elimination();
  Dense k = test::product(test::product(p, w), test::transposed(p));
  if (transform == Transform::sqrt) {
    for (double& value : k.values) value = std::sqrt(std::max(0.0, value));
  }
  return k;
}

template <class T>
Approximation<T> approximate_with(const Problem& problem, const BiharmonicParameters& parameters) {
  Context context;
  InterpolationReport report;
  return biharmonic<T>(context.execution, problem.op, *problem.similarity, landmarks, parameters, report);
}

template <class T>
Dense matrix_of(const Approximation<T>& approximation) {
  Context context;
  return test::reconstruct(context.execution, approximation);
}

TEST(Biharmonic, IsTheProductOfItsFactors) {
  const Problem problem;
  BiharmonicParameters parameters;
  parameters.interpolation.p_row = 0;  // P whole
  EXPECT_LT(test::difference(matrix_of(approximate_with<double>(problem, parameters)), expected(Transform::none)),
            1e-10);
  EXPECT_LT(test::difference(matrix_of(approximate_with<float>(problem, parameters)), expected(Transform::none)), 1e-5);
}

TEST(Biharmonic, InterpolatesSquaresWhereItsTransformIsTheRoot) {
  const Problem problem;
  BiharmonicParameters parameters;
  parameters.interpolation.p_row = 0;
  parameters.transform = Transform::sqrt;
  EXPECT_LT(test::difference(matrix_of(approximate_with<double>(problem, parameters)), expected(Transform::sqrt)),
            1e-7);
}

TEST(Biharmonic, KeepsTheLandmarksOwnValues) {
  const Problem problem;
  BiharmonicParameters parameters;
  parameters.interpolation.p_row = 3;
  const Approximation<double> approximation = approximate_with<double>(problem, parameters);
  const std::vector<double> lengths = test::all_path_lengths(n, edges);
  Context context;
  std::vector<Index> rows, columns;
  for (const Index a : landmarks)
    for (const Index b : landmarks) rows.push_back(a), columns.push_back(b);
  const std::vector<double> values = approximate_entries(context.execution, approximation, rows, columns);
  for (std::size_t e = 0; e < values.size(); ++e) {
    EXPECT_NEAR(values[e], lengths[rows[e] * n + columns[e]], 1e-12);
  }
}

TEST(Biharmonic, IsExactWhereEveryVertexIsALandmark) {
  const Problem problem;
  std::vector<Index> all(n);
  std::iota(all.rbegin(), all.rend(), Index{0});
  Context context;
  InterpolationReport report;
  for (const Transform transform : {Transform::none, Transform::sqrt}) {
    BiharmonicParameters parameters;
    parameters.transform = transform;
    const auto k =
        matrix_of(biharmonic<double>(context.execution, problem.op, *problem.similarity, all, parameters, report));
    EXPECT_LT(test::difference(k, {n, n, test::all_path_lengths(n, edges)}), 1e-14);
  }
}

TEST(Biharmonic, ReportsWhatItDid) {
  const Problem problem;
  const Approximation<double> approximation = approximate_with<double>(problem, {});
  EXPECT_EQ(approximation.report.method, "biharmonic");
  EXPECT_EQ(approximation.report.s1, 12);
  EXPECT_EQ(approximation.meaning, Meaning::distance);
  EXPECT_TRUE(approximation.symmetric);
  ASSERT_TRUE(approximation.left_origin);
  EXPECT_EQ(approximation.left_origin->indices, landmarks);
  EXPECT_EQ(std::get<TiledCore>(approximation.core_matrix).matrix.number(), TileNumber::uint16);
  ASSERT_FALSE(approximation.report.notes.empty());
  EXPECT_THAT(approximation.report.notes.front(), testing::HasSubstr("solver "));
  EXPECT_THAT(approximation.report.notes, testing::Contains(testing::HasSubstr("P is dense")));
}

TEST(Biharmonic, RefusesASimilarityOfOtherVertices) {
  const Problem problem;
  const auto other = make_path_length(world(), test::share(side, test::random_graph(side, 3, 1, 5)), "auto");
  Context context;
  InterpolationReport report;
  try {
    (void)biharmonic<double>(context.execution, problem.op, *other, landmarks, {}, report);
    FAIL() << "an operator and a similarity of different sizes went together";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace cairn::biharmonic_test

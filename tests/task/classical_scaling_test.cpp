#include "cairn/task/embedding/classical_scaling.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "approximation/method_run.hpp"
#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/base/error.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "similarity/shared_graphs.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);

namespace cairn::classical_scaling_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::gathered;
using test::world;

constexpr Index n = 150, dimension = 3;

// Point i: three normal coordinates, of different spread.
double coordinate(Index i, Index j) {
  return static_cast<double>(3 - j) *
         Random(8, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
}
double square_of(Index i) {
  double square = 0.0;
  for (Index k = 0; k < dimension; ++k) square += coordinate(i, k) * coordinate(i, k);
  return square;
}
double squared_distance(Index i, Index j) {
  double square = 0.0;
  for (Index k = 0; k < dimension; ++k) square += std::pow(coordinate(i, k) - coordinate(j, k), 2);
  return square;
}

template <class T, class Entry>
RowBlock<T> tall(Index columns, Entry entry) {
  RowBlock<T> rows(RowPartition(n, world().size()), world().rank(), columns);
  for (Index i = rows.range().begin; i < rows.range().end; ++i)
    for (Index j = 0; j < columns; ++j) rows.row(i)[j] = static_cast<T>(entry(i, j));
  return rows;
}

// D2 = a 1ᵀ + 1 aᵀ - 2 X Xᵀ in each of the forms that an approximation may have.
template <class T = double>
Approximation<T> dense_squares() {
  Approximation<T> result;
  result.left = tall<T>(dimension + 2, [](Index i, Index j) {
    return j == 0 ? square_of(i) : j == 1 ? 1.0 : coordinate(i, j - 2);
  });
  BlockCyclicMatrix core_matrix(std::make_shared<const ProcessGrid>(world()), dimension + 2, dimension + 2);
  core_matrix.fill([](Index i, Index j) { return i + j == 1 ? 1.0 : i == j && i > 1 ? -2.0 : 0.0; });
  result.core_matrix = DenseCore{std::move(core_matrix)};
  return result;
}

Approximation<double> unsymmetric_squares() {
  Approximation<double> result;
  // As K~ + S with S skew: the mean of both directions is D2.
  result.left = tall<double>(dimension + 4, [](Index i, Index j) {
    return j == 0   ? square_of(i)
           : j == 1 ? 1.0
           : j < 5  ? coordinate(i, j - 2)
           : j == 5 ? coordinate(i, 0)
                    : coordinate(i, 1);
  });
  result.right = tall<double>(dimension + 4, [](Index i, Index j) {
    return j == 0   ? 1.0
           : j == 1 ? square_of(i)
           : j < 5  ? -2.0 * coordinate(i, j - 2)
           : j == 5 ? coordinate(i, 1)
                    : -coordinate(i, 0);
  });
  result.core_matrix = IdentityCore{dimension + 4};
  result.symmetric = false;
  result.symmetrize = true;
  return result;
}

// P the identity, and W whole: K~ = (entry(i, j)).
Approximation<double> tiled(Index size, const test::EntryFunction& entry) {
  Approximation<double> result;
  const RowPartition partition(size, world().size());
  const Range own = partition.range(world().rank());
  std::vector<Index> starts(static_cast<std::size_t>(own.size()) + 1), indices(static_cast<std::size_t>(own.size()));
  std::iota(starts.begin(), starts.end(), Index{0});
  std::iota(indices.begin(), indices.end(), own.begin);
  result.left = SparseRows<double>(partition, world().rank(), size, std::move(starts), std::move(indices),
                                   std::vector<double>(static_cast<std::size_t>(own.size()), 1.0));
  SymmetricTiles tiles(size, 40, TileNumber::float64, world().size(), world().rank());
  for (Index tile = 0; tile < tiles.tiles(); ++tile) {
    if (!tiles.mine(tile)) continue;
    const auto at = tiles.place(tile);
    const Dense values = dense(at.rows.size(), at.columns.size(),
                               [&](Index i, Index j) { return entry(at.rows.begin + i, at.columns.begin + j); });
    tiles.store(tile, {values.values.data(), at.rows.size(), at.columns.size()});
  }
  result.core_matrix = TiledCore{std::move(tiles)};
  return result;
}

// Gram matrix of the points: a similarity whose distances are theirs. J = diag(4, 1, 1) with halved first coordinate.
Approximation<double> gram() {
  Approximation<double> result;
  result.left =
      tall<double>(dimension, [](Index i, Index j) { return j == 0 ? 0.5 * coordinate(i, 0) : coordinate(i, j); });
  result.core_matrix = DiagonalCore{{4.0, 1.0, 1.0}};
  return result;
}

template <class T>
ScaledObjects scale(const Approximation<T>& approximation, const ScalingParameters& parameters,
                    std::uint64_t seed = 3) {
  Context context(world(), seed);
  return classical_scaling(context.execution, approximation, parameters);
}

// Distances between the coordinates, against those of the points.
void expect_distances(const ScaledObjects& scaled, double tolerance) {
  const Dense y = gathered(world(), scaled.coordinates);
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      double square = 0.0;
      for (Index k = 0; k < y.columns; ++k) square += (y(i, k) - y(j, k)) * (y(i, k) - y(j, k));
      largest = std::max(largest, std::abs(std::sqrt(square) - std::sqrt(squared_distance(i, j))));
    }
  }
  EXPECT_LT(largest, tolerance);
}

void expect_recovered(const ScaledObjects& scaled, double tolerance) {
  expect_distances(scaled, tolerance);
  EXPECT_NEAR(scaled.trace_share(), 1.0, tolerance);
  EXPECT_LT(scaled.stress, tolerance);
  EXPECT_EQ(scaled.pairs, 500);
  EXPECT_NEAR(scaled.smallest_eigenvalue, 0.0, 1e-3 * scaled.eigenvalues.front());
  for (const double residual : scaled.residuals) EXPECT_LT(residual, tolerance);
}

// Eigenvalues and vectors of B = -1/2 H K~ H, K~ whole, from LAPACK: ascending, vectors in rows.
struct DenseEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};

DenseEigen eigen_of_centred(const Dense& k) {
  const Index size = k.rows;
  std::vector<double> means(size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) means[i] += k(i, j) / static_cast<double>(size);
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(size);
  DenseEigen eigen{std::vector<double>(static_cast<std::size_t>(size)), {}};
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) eigen.vectors.push_back(-0.5 * (k(i, j) - means[i] - means[j] + mean));
  const int order = static_cast<int>(size), work_size = 8 * order;
  std::vector<double> work(work_size);
  int info = 0;
  dsyev_("V", "L", &order, eigen.vectors.data(), &order, eigen.values.data(), work.data(), &work_size, &info);
  EXPECT_EQ(info, 0);
  return eigen;
}

constexpr ScalingParameters three = {.dimension = dimension, .pairs = 500};

TEST(ClassicalScaling, RecoversPointsFromTheirSquaredDistances) {
  expect_recovered(scale(dense_squares(), three), 1e-10);
  expect_recovered(scale(unsymmetric_squares(), three), 1e-10);
  expect_recovered(scale(tiled(n, squared_distance), three), 1e-10);
  expect_recovered(scale(dense_squares<float>(), three), 1e-3);
}

TEST(ClassicalScaling, OfSimilaritiesIsKernelPrincipalComponentAnalysis) {
  ScalingParameters parameters = three;
  parameters.values = ScaledValues::similarities;
  expect_recovered(scale(gram(), parameters), 1e-10);
}

TEST(ClassicalScaling, DoesNotDependOnRanksOrForm) {
  const Dense first = gathered(world(), scale(dense_squares(), three).coordinates);
  const Dense second = gathered(world(), scale(tiled(n, squared_distance), three).coordinates);
  EXPECT_LT(test::difference(first, second), 1e-8);
  for (Index j = 0; j < dimension; ++j) {  // the same signs on any number of ranks
    double largest = 0.0;
    for (Index i = 0; i < n; ++i)
      if (std::abs(first(i, j)) > std::abs(largest)) largest = first(i, j);
    EXPECT_GT(largest, 0.0);
  }
  const Dense other_seed = gathered(world(), scale(dense_squares(), three, 99).coordinates);
  EXPECT_LT(test::difference(first, other_seed), 1e-8);
}

// Object i stands at corner i mod 4 of a rectangle of 3 x 4, by sparse rows and one tile. @param own  K~ of two objects
// at a corner, K~_ii among them
Approximation<double> crowded_corners(Index many, const std::vector<double>& own, Dense& corners) {
  const std::vector<double> squares = {0, 9, 25, 16, 9, 0, 16, 25, 25, 16, 0, 9, 16, 25, 9, 0};
  corners = {4, 4, squares};
  for (Index k = 0; k < 4; ++k) corners(k, k) = own[k];
  const RowPartition partition(many, world().size());
  const Range range = partition.range(world().rank());
  std::vector<Index> starts{0}, indices;
  for (Index i = range.begin; i < range.end; ++i) {
    indices.push_back(i % 4);
    starts.push_back(i + 1 - range.begin);
  }
  const std::vector<double> ones(indices.size(), 1.0);
  Approximation<double> result;
  result.left = SparseRows<double>(partition, world().rank(), 4, std::move(starts), std::move(indices), ones);
  SymmetricTiles tiles(4, 4, TileNumber::uint16, world().size(), world().rank());
  if (tiles.mine(0)) tiles.store(0, {corners.values.data(), 4, 4});
  result.core_matrix = TiledCore{std::move(tiles)};
  return result;
}

TEST(ClassicalScaling, SamplesTheDiagonalOfManySparseRows) {
  constexpr Index many = 12'000, sampled = 10'000;
  Dense corners;
  const ScaledObjects plain = scale(crowded_corners(many, {0, 0, 0, 0}, corners), {.dimension = 2, .pairs = 1000});
  EXPECT_NEAR(plain.eigenvalues[0], 4.0 * many, 1e-7);   // squares of 2 in one direction
  EXPECT_NEAR(plain.eigenvalues[1], 2.25 * many, 1e-7);  // and of 1.5 in the other
  EXPECT_NEAR(plain.trace, 6.25 * many, 1e-7);
  EXPECT_LT(plain.stress, 1e-9);

  const std::vector<double> own = {0, 1, 3, 8};
  const auto uneven = crowded_corners(many, own, corners);
  const ScaledObjects scaled = scale(uneven, {.dimension = 2, .pairs = 10});
  const DenseEigen expected = eigen_of_centred(corners);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(scaled.eigenvalues[j], expected.values[3 - j] * many / 4, 1e-7);
  }
  double all = 0.0, diagonal = 0.0;
  for (const double value : corners.values) all += value;
  for (const Index i : sample_without_replacement(many, sampled, Random(3, Stream::validation_probe))) {
    diagonal += own[i % 4] * many / sampled;
  }
  EXPECT_NEAR(diagonal, 3.0 * many, 0.1 * many);
  EXPECT_NE(diagonal, 3.0 * many);
  EXPECT_NEAR(scaled.trace, -0.5 * (diagonal - all * many / 16), 1e-7);
}

std::string message_of(const Approximation<double>& approximation, const ScalingParameters& parameters,
                       ErrorKind kind) {
  try {
    static_cast<void>(scale(approximation, parameters));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ClassicalScaling, SaysHowManyEigenvaluesArePositive) {
  ScalingParameters five = three;
  five.dimension = 5;
  EXPECT_THAT(
      message_of(dense_squares(), five, ErrorKind::numeric),
      testing::HasSubstr("of the 5 largest eigenvalues of the centred squared distances 3 are positive; ask for "
                         "3 dimensions or fewer"));
  five.values = ScaledValues::similarities;  // then B = -2 times what it should be
  EXPECT_THAT(message_of(dense_squares(), five, ErrorKind::numeric), testing::HasSubstr("none is positive"));
  Approximation<double> nothing = gram();
  nothing.core_matrix = DiagonalCore{{0.0, 0.0, 0.0}};
  EXPECT_THAT(message_of(nothing, five, ErrorKind::numeric), testing::HasSubstr("all 0"));
}

TEST(ClassicalScaling, RefusesWhatItCannotDo) {
  ScalingParameters parameters = three;
  for (const Index wrong : {Index{0}, n}) {
    parameters.dimension = wrong;
    EXPECT_THAT(message_of(gram(), parameters, ErrorKind::usage), testing::HasSubstr("1 to 149 dimensions"));
  }
  Approximation<double> root = gram();
  root.transform = Transform::sqrt;
  EXPECT_THAT(message_of(root, three, ErrorKind::internal), testing::HasSubstr("without a transform"));
  Approximation<double> skew = unsymmetric_squares();
  skew.symmetrize = false;
  EXPECT_THAT(message_of(skew, three, ErrorKind::internal), testing::HasSubstr("symmetric"));
}

TEST(ClassicalScaling, FindsEveryCopyOfARepeatedEigenvalue) {
  // Squared path lengths along a cycle: all eigenvalues but one or two come in pairs.
  constexpr Index size = 200;
  const auto squares = [](Index i, Index j) {
    const Index steps = std::min(std::abs(i - j), size - std::abs(i - j));
    return static_cast<double>(steps * steps);
  };
  const Approximation<double> cycle = tiled(size, squares);
  const DenseEigen expected = eigen_of_centred(dense(size, size, squares));
  for (const std::uint64_t seed :
       {2, 14, 17, 22, 36, 39}) {  // where one search alone misses a copy, on 1, 2 or 3 ranks
    for (const Index columns : {2, 6}) {
      const ScaledObjects scaled = scale(cycle, {.dimension = columns, .pairs = 10}, seed);
      for (Index j = 0; j < columns; ++j) {
        EXPECT_NEAR(scaled.eigenvalues[j], expected.values[size - 1 - j], 1e-10 * expected.values.back())
            << "eigenvalue " << j << ", seed " << seed;
        EXPECT_LT(scaled.residuals[j], 1e-11);
      }
    }
  }
}

TEST(ClassicalScaling, OfABiharmonicResultIsWhatLapackFinds) {
  constexpr Index side = 12;
  const test::Edges edges = test::grid_graph(side, 0.3, 1, 7);
  const SharedGraph graph = test::share(side * side, edges);
  const auto lengths = make_path_length(world(), graph, "auto");
  BiharmonicParameters parameters;
  parameters.interpolation.p_row = 5;
  parameters.transform = Transform::sqrt;
  InterpolationReport report;
  Context context;
  Approximation<double> result =
      biharmonic<double>(context.execution, graph_operator(world(), graph), *lengths,
                         {0, 11, 132, 143, 66, 30, 113, 80, 9, 55, 100, 76}, parameters, report);
  result.transform = Transform::none;
  const ScaledObjects scaled = scale(result, {.dimension = 4, .pairs = 50});
  const DenseEigen expected = eigen_of_centred(test::reconstruct(context.execution, result));
  const Dense y = gathered(world(), scaled.coordinates);
  const double largest = expected.values.back();
  for (Index j = 0; j < 4; ++j) {
    const auto last = static_cast<std::size_t>(side * side - 1 - j);
    EXPECT_NEAR(scaled.eigenvalues[j], expected.values[last], 1e-10 * largest);
    double dot = 0.0;
    for (Index i = 0; i < side * side; ++i)
      dot += y(i, j) * expected.vectors[last * static_cast<std::size_t>(side * side) + static_cast<std::size_t>(i)];
    EXPECT_NEAR(std::abs(dot), std::sqrt(expected.values[last]), 1e-8 * std::sqrt(largest));
  }
  const double norm =
      std::sqrt(std::inner_product(expected.values.begin(), expected.values.end(), expected.values.begin(), 0.0));
  EXPECT_LT(expected.values.front(), -0.01 * norm);  // path lengths are no Euclidean distances
  EXPECT_NEAR(scaled.smallest_eigenvalue, expected.values.front(), 1e-3 * norm);
  EXPECT_NEAR(scaled.trace, std::accumulate(expected.values.begin(), expected.values.end(), 0.0), 1e-10 * largest);
}

double correlation(const Dense& y, Index column, const std::vector<double>& truth) {
  const auto size = static_cast<double>(y.rows);
  double mean_y = 0.0, mean_t = 0.0, yy = 0.0, tt = 0.0, yt = 0.0;
  for (Index i = 0; i < y.rows; ++i) mean_y += y(i, column) / size, mean_t += truth[i] / size;
  for (Index i = 0; i < y.rows; ++i) {
    const double a = y(i, column) - mean_y, b = truth[i] - mean_t;
    yy += a * a, tt += b * b, yt += a * b;
  }
  return yt / std::sqrt(yy * tt);
}

TEST(ClassicalScaling, UnrollsTheSwissRoll) {
  const TriangleMesh mesh = read_mesh(world(), {.generator = "swiss-roll", .points = 900});
  const auto distances = make_geodesic(world(), mesh, {});
  Context context(world(), 5);
  BiharmonicParameters parameters;
  parameters.transform = Transform::sqrt;
  InterpolationReport report;
  const auto landmarks = sample_without_replacement(mesh.size(), 120, Random(5, Stream::landmarks));
  Approximation<double> result = biharmonic<double>(context.execution, cotangent_operator(world(), mesh), *distances,
                                                    landmarks, parameters, report);
  result.transform = Transform::none;
  const ScaledObjects scaled = scale(result, {.dimension = 2, .pairs = 2000});
  const Dense y = gathered(world(), scaled.coordinates);
  // Along the roll the arc length of (t cos t, t sin t), which is more than the height of 21 across it.
  std::vector<double> along, across;
  for (Index v = mesh.range().begin; v < mesh.range().end; ++v) {
    const auto vertex = mesh.vertex(v);
    const double t = std::hypot(vertex[0], vertex[2]);
    along.push_back(0.5 * (t * std::sqrt(1.0 + t * t) + std::asinh(t)));
    across.push_back(vertex[1]);
  }
  EXPECT_GT(std::abs(correlation(y, 0, world().all_gather(along))), 0.999);
  EXPECT_GT(std::abs(correlation(y, 1, world().all_gather(across))), 0.98);
  EXPECT_LT(scaled.stress, 0.1);
  EXPECT_GT(scaled.trace_share(), 0.9);
}

}  // namespace
}  // namespace cairn::classical_scaling_test

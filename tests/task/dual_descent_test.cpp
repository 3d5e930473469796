// Dual coordinate descent against LIBLINEAR's optimum, and on any number of ranks.
#include "cairn/task/classification/dual_descent.hpp"

#include <gmock/gmock.h>
#include <linear.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cairn/base/random.hpp"
#include "test_communicator.hpp"

namespace cairn::dual_descent_test {
namespace {

using test::world;

constexpr Index n = 120, p = 7;

double entry(Index row, Index column) {
  if ((row * 5 + column) % 4 == 0) return 0.0;
  const double noise =
      Random(11, Stream::test).normal(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
  return noise + (row % 3 == 0 ? 0.8 : -0.3) * (column % 2 == 0 ? 1.0 : -0.5);
}
bool is_positive(Index row) { return row % 3 == 0; }

Factor<double> factor(bool sparse, const Communicator& communicator) {
  const RowPartition partition(n, communicator.size());
  RowBlock<double> rows(partition, communicator.rank(), p);
  std::vector<Index> starts = {0}, indices;
  std::vector<double> values;
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (Index k = 0; k < p; ++k) {
      rows.row(i)[k] = entry(i, k);
      if (entry(i, k) != 0.0) indices.push_back(k), values.push_back(entry(i, k));
    }
    starts.push_back(std::ssize(indices));
  }
  if (!sparse) return rows;
  return SparseRows<double>(partition, communicator.rank(), p, std::move(starts), std::move(indices),
                            std::move(values));
}

// All rows but every seventh.
std::vector<Index> chosen() {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    if (i % 7 != 3) rows.push_back(i);
  }
  return rows;
}

DescentRows descent_rows(const test::Context& context, bool sparse, double bias) {
  const Factor<double> left = factor(sparse, world());
  std::vector<Index> own;
  for (const Index row : chosen()) {
    if (left.range().contains(row)) own.push_back(row);
  }
  return {context.execution, left, own, bias};
}

PlaneMembers members(double cost_positive, double cost_negative) {
  PlaneMembers all{.cost_positive = cost_positive, .cost_negative = cost_negative};
  const std::vector<Index> rows = chosen();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.rows.push_back(static_cast<Index>(i));
    all.positive.push_back(is_positive(rows[i]) ? 1 : 0);
  }
  return all;
}

// 1/2 ||w||² + sum of C times losses, the intercept as the weight of a feature.
double objective(const SvmPlane& plane, const PlaneMembers& of, const SvmOptions& options) {
  const double own = options.bias > 0 ? plane.intercept / options.bias : 0.0;
  double value = own * own / 2;
  for (const double w : plane.weights) value += w * w / 2;
  const std::vector<Index> rows = chosen();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double margin = plane.intercept;
    for (Index k = 0; k < p; ++k) margin += entry(rows[i], k) * plane.weights[k];
    const double loss = std::max(0.0, 1.0 - (is_positive(rows[i]) ? margin : -margin));
    value += (is_positive(rows[i]) ? of.cost_positive : of.cost_negative) *
             (options.loss == SvmLoss::hinge ? loss : loss * loss);
  }
  return value;
}

SvmPlane by_liblinear(const PlaneMembers& of, const SvmOptions& options) {
  std::vector<std::vector<feature_node>> nodes;
  std::vector<feature_node*> x;
  std::vector<double> y;
  for (const Index row : chosen()) {
    auto& own = nodes.emplace_back();
    for (Index k = 0; k < p; ++k) own.push_back({static_cast<int>(k) + 1, entry(row, k)});
    if (options.bias > 0) own.push_back({static_cast<int>(p) + 1, options.bias});
    own.push_back({-1, 0.0});
    y.push_back(is_positive(row) ? 1.0 : -1.0);
  }
  for (auto& own : nodes) x.push_back(own.data());
  const int width = static_cast<int>(p) + (options.bias > 0 ? 1 : 0);
  problem task{static_cast<int>(x.size()), width, y.data(), x.data(), options.bias > 0 ? options.bias : -1};
  parameter how{};
  how.solver_type = options.loss == SvmLoss::hinge ? L2R_L1LOSS_SVC_DUAL : L2R_L2LOSS_SVC_DUAL;
  how.eps = 1e-10;
  how.C = 1.0;
  int labels[2] = {1, -1};
  double weights[2] = {of.cost_positive, of.cost_negative};
  how.nr_weight = 2;
  how.weight_label = labels;
  how.weight = weights;
  set_print_string_function([](const char*) {});
  std::srand(1);
  model* trained = ::train(&task, &how);
  const double sign = trained->label[0] == 1 ? 1.0 : -1.0;
  SvmPlane plane;
  for (Index k = 0; k < p; ++k) plane.weights.push_back(sign * trained->w[k]);
  if (options.bias > 0) plane.intercept = sign * trained->w[p] * options.bias;
  free_and_destroy_model(&trained);
  return plane;
}

TEST(DualDescent, ReachesTheOptimumOfLibLinear) {
  const test::Context context;
  int reached = 0;  // of 24
  for (const bool sparse : {false, true}) {
    for (const double bias : {0.0, 1.0, 3.0}) {
      const DescentRows rows = descent_rows(context, sparse, bias);
      for (const SvmLoss loss : {SvmLoss::hinge, SvmLoss::squared_hinge}) {
        for (const double weight : {1.0, 2.5}) {
          const PlaneMembers all = members(0.4 * weight, 0.4);
          const SvmOptions options{.loss = loss, .bias = bias, .passes = 20'000, .seed = 5};
          const SvmPlane plane = rows.train(all, options), expected = by_liblinear(all, options);
          const double ours = objective(plane, all, options), theirs = objective(expected, all, options);
          EXPECT_LT(ours, theirs + 1e-8);
          EXPECT_NEAR(plane.gap, 0.0, 1e-6);
          if (theirs > ours + 1e-9) continue;  // it stopped after its thousand passes
          ++reached;
          for (std::size_t k = 0; k < plane.weights.size(); ++k) {
            EXPECT_NEAR(plane.weights[k], expected.weights[k], 1e-5);
          }
          EXPECT_NEAR(plane.intercept, expected.intercept, 1e-5);
        }
      }
    }
  }
  EXPECT_GE(reached, 20);
}

TEST(DualDescent, MakesExactlyThePassesAskedFor) {
  const test::Context context;
  const DescentRows rows = descent_rows(context, false, 1.0);
  const PlaneMembers all = members(1.0, 1.0);
  // Every member is visited once a pass: with C so small that each dual variable becomes C at once, w is their sum.
  const SvmOptions once{.loss = SvmLoss::hinge, .passes = 1, .seed = 3};
  const PlaneMembers tiny = members(1e-6, 1e-6);
  const SvmPlane first = rows.train(tiny, once);
  const std::vector<Index> numbers = chosen();
  for (Index k = 0; k < p; ++k) {
    double sum = 0.0;
    for (const Index row : numbers) sum += 1e-6 * (is_positive(row) ? 1.0 : -1.0) * entry(row, k);
    EXPECT_NEAR(first.weights[k], sum, 1e-15);
  }
  // The optimum of the dual is approached pass by pass, and other seeds take another way.
  double before = INFINITY;
  for (const Index passes : {1, 4, 16, 64, 256}) {
    const SvmOptions options{.passes = passes, .seed = 3};
    const double now = objective(rows.train(all, options), all, options);
    EXPECT_LT(now, before + 1e-12);
    before = now;
  }
  const SvmOptions other{.loss = SvmLoss::hinge, .passes = 1, .seed = 4};
  EXPECT_NE(rows.train(all, once).weights, rows.train(all, other).weights);
  const auto after = [&](Index passes) { return rows.train(all, {.passes = passes, .seed = 3}).weights; };
  for (const Index passes : {1, 2, 3, 4}) EXPECT_NE(after(passes), after(passes + 1));
}

TEST(DualDescent, SaysIfItIsFarFromTheOptimum) {
  const test::Context context;
  for (const double bias : {0.0, 2.0}) {
    const DescentRows rows = descent_rows(context, false, bias);
    for (const SvmLoss loss : {SvmLoss::hinge, SvmLoss::squared_hinge}) {
      const PlaneMembers all = members(300.0, 200.0);
      const auto after = [&](Index passes) {
        return rows.train(all, {.loss = loss, .bias = bias, .passes = passes, .seed = 3});
      };
      const SvmPlane last = after(100'000);
      EXPECT_TRUE(last.converged);
      EXPECT_NEAR(last.gap, 0.0, 1e-3);
      const double best = objective(last, all, {.loss = loss, .bias = bias});
      EXPECT_FALSE(after(1).converged);
      for (const Index passes : {1, 10, 100, 1000}) {
        const SvmPlane plane = after(passes);
        const double now = objective(plane, all, {.loss = loss, .bias = bias});
        EXPECT_GE(plane.gap, (now - best) / now - 1e-9) << passes;  // the dual is below the optimum
        EXPECT_EQ(plane.converged, plane.gap <= 0.2);
      }
    }
  }
}

TEST(DualDescent, IsTheSameOnAnyRanks) {
  const test::Context context;
  for (const bool sparse : {false, true}) {
    const DescentRows rows = descent_rows(context, sparse, 1.0);
    EXPECT_EQ(static_cast<Index>(chosen().size()), rows.size());
    const Index entries = p * rows.size();
    if (!sparse) EXPECT_EQ(DescentRows::bytes_of(rows.size(), p, false), rows.node_bytes());
    if (sparse) EXPECT_LT(rows.node_bytes(), DescentRows::bytes_of(rows.size(), p, true) + entries);
    const SvmPlane plane = rows.train(members(1.0, 1.0), {.passes = 3, .seed = 8});
    // One rank by itself, which holds all rows.
    const Communicator alone(MPI_COMM_SELF);
    Phases phases;
    MemoryLedger ledger;
    const Execution single{alone, phases, ledger, 1, 1};
    const DescentRows whole(single, factor(sparse, alone), chosen(), 1.0);
    const SvmPlane expected = whole.train(members(1.0, 1.0), {.passes = 3, .seed = 8});
    EXPECT_EQ(plane.weights, expected.weights);
    EXPECT_EQ(plane.intercept, expected.intercept);
  }
}

}  // namespace
}  // namespace cairn::dual_descent_test

// Networks and the linear models in their place, against plain loops.
#include "cairn/task/network/linear_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/approximation/random_features/poly_tensorsketch.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/task/network/feature_tuning.hpp"
#include "cairn/task/network/network_comparison.hpp"
#include "cairn/task/network/network_pass.hpp"
#include "cairn/task/training_rows.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::linear_network_test {
namespace {

using test::world;

constexpr Index rows = 90, inputs = 4, hidden = 7, outputs = 3;

double draw(Index i, Index k) {
  return Random(11, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
}
double coordinate(Index i, Index k) { return 0.8 * draw(i, k) + 0.3 * static_cast<double>(k); }

template <class T = double>
PointSet<T> points(Index columns = inputs) {
  RowBlock<T> block(RowPartition(rows, world().size()), world().rank(), columns);
  for (Index i = block.range().begin; i < block.range().end; ++i) {
    for (Index k = 0; k < columns; ++k) block.row(i)[k] = static_cast<T>(coordinate(i, k));
  }
  return PointSet<T>(std::move(block), world().rank(), {});
}

DenseNetwork network() {
  DenseNetwork net{.inputs = inputs, .hidden = hidden, .outputs = outputs};
  for (Index k = 0; k < hidden; ++k) {
    for (Index i = 0; i < inputs; ++i) net.hidden_weights.push_back(0.6 * draw(1000 + k, i));
    net.hidden_biases.push_back(0.5 * draw(2000, k));
  }
  for (Index j = 0; j < outputs; ++j) {
    for (Index k = 0; k < hidden; ++k) net.output_weights.push_back(draw(3000 + j, k));
    net.output_biases.push_back(draw(4000, j));
  }
  return net;
}

using Function = std::function<double(double)>;

double output(const DenseNetwork& net, const Function& f, Index row, Index j) {
  double sum = net.output_biases[j];
  for (Index k = 0; k < hidden; ++k) {
    double inner = net.hidden_biases[k];
    for (Index i = 0; i < inputs; ++i) {
      inner += net.hidden_weights[k * inputs + i] * coordinate(row, i);
    }
    sum += net.output_weights[j * hidden + k] * f(inner);
  }
  return sum;
}

template <class T>
void expect_outputs(const RowBlock<T>& found, const DenseNetwork& net, const Function& f, double tolerance) {
  for (Index i = found.range().begin; i < found.range().end; ++i) {
    for (Index j = 0; j < outputs; ++j) {
      ASSERT_NEAR(found.row(i)[j], output(net, f, i, j), tolerance) << i << ", " << j;
    }
  }
}

SimilarityChoice series(const std::string& coefficients) {
  return function_by_name("series").set("coefficients", coefficients);
}

Values method_values(const std::vector<std::pair<std::string, std::string>>& given) {
  return Values(poly_tensorsketch_method().parameters, given);
}

template <class T>
LinearizedNetwork<T> linearized(const test::Context& context, const DenseNetwork& net, const SimilarityChoice& f,
                                const Values& values, Index components = 0) {
  return linearize<T>({context.execution, net, f, poly_tensorsketch_method(), values, components}, points<T>());
}

TEST(NetworkPass, IsThatOfTheFormula) {
  const test::Context context;
  const DenseNetwork net = network();
  const std::vector<std::pair<std::string, Function>> all = {
      {"logistic", [](double t) { return 1 / (1 + std::exp(-t)); }},
      {"tanh", [](double t) { return std::tanh(t); }},
      {"softplus", [](double t) { return std::log(1 + std::exp(t)); }},
      {"exp", [](double t) { return std::exp(t); }}};
  for (const auto& [name, f] : all) {
    SCOPED_TRACE(name);
    const SimilarityChoice choice = function_by_name(name);
    expect_outputs(NetworkPass<double>(net, choice).outputs(context.execution, points().coordinates()), net, f, 1e-12);
    expect_outputs(NetworkPass<float>(net, choice).outputs(context.execution, points<float>().coordinates()), net, f,
                   2e-4);
  }
}

TEST(LinearNetwork, IsTheNetworkWhereMonomialsAreExact) {
  const DenseNetwork net = network();
  const Function cubic = [](double t) { return 0.5 - t + 0.3 * t * t + 0.1 * t * t * t; };
  for (const Index components : {Index{0}, inputs}) {
    const test::Context context;
    const auto linear = linearized<double>(context, net, series("0.5,-1,0.3,0.1"),
                                           method_values({{"features", "100"}, {"degree", "3"}}), components);
    EXPECT_LE(linear.left.columns(), 100);
    EXPECT_EQ(linear.features->dimension(), inputs);
    const RowBlock<double> found =
        linear_outputs(context.execution, linear.left, linear.coefficients, net.output_biases);
    expect_outputs(found, net, cubic, 1e-10);
    // The map alone gives the same features.
    const RowBlock<double> again = features_of(context.execution, points(), *linear.features);
    for (Index i = again.range().begin; i < again.range().end; ++i) {
      for (std::size_t k = 0; k < again.row(i).size(); ++k) {
        ASSERT_NEAR(again.row(i)[k], linear.left.row(i)[k], 1e-12);
      }
    }
  }
}

TEST(LinearNetwork, InSinglePrecisionIsNearIt) {
  const test::Context context;
  const DenseNetwork net = network();
  const auto linear =
      linearized<float>(context, net, series("1,0.5,0.2"), method_values({{"features", "60"}, {"degree", "2"}}));
  const RowBlock<float> found = linear_outputs(context.execution, linear.left, linear.coefficients, net.output_biases);
  expect_outputs(
      found, net, [](double t) { return 1 + 0.5 * t + 0.2 * t * t; }, 1e-4);
}

TEST(LinearNetwork, ComesCloserWithMoreFeatures) {
  const DenseNetwork net = network();
  const SimilarityChoice f = function_by_name("logistic");
  double before = 1e9;
  for (const char* features : {"6", "21", "130"}) {
    const test::Context context;
    const auto linear = linearized<double>(context, net, f, method_values({{"features", features}, {"degree", "6"}}));
    const RowBlock<double> found =
        linear_outputs(context.execution, linear.left, linear.coefficients, net.output_biases);
    const RowBlock<double> exact = NetworkPass<double>(net, f).outputs(context.execution, points().coordinates());
    const NetworkComparison comparison =
        compare_outputs<double>(world(), "all", exact, found, nullptr, [](std::size_t) { return true; });
    EXPECT_EQ(comparison.rows, rows);
    EXPECT_LT(comparison.error, 0.7 * before) << features;
    before = comparison.error;
  }
  EXPECT_LT(before, 0.03);
}

TEST(LinearNetwork, RefusesPointsOfAnotherDimension) {
  const test::Context context;
  const DenseNetwork net = network();
  const Values values = method_values({});
  const SimilarityChoice f = function_by_name("tanh");
  test::expect_error(
      [&] {
        (void)linearize<double>({context.execution, net, f, poly_tensorsketch_method(), values, 0}, points(inputs + 1));
      },
      ErrorKind::input, {"takes 4 numbers", "5 coordinates"});
  test::expect_error(
      [&] {
        (void)linearize<double>({context.execution, net, f, poly_tensorsketch_method(), values, inputs + 1}, points());
      },
      ErrorKind::usage, {"5 components", "4 inputs"});
}

// Features with a constant one and one that hardly matters; targets are noisy.
constexpr Index features = 5;
double feature(Index i, Index k) {
  if (k == 3) return 2.5;
  return (k == 4 ? 1e-3 : 1.0) * draw(5000 + i, k) + 0.5;
}

struct Tuning {
  test::Context context;
  RowBlock<double> left{RowPartition(rows, world().size()), world().rank(), features};
  std::vector<Index> own;
  std::vector<double> targets;

  explicit Tuning(bool classes) {
    for (Index i = left.range().begin; i < left.range().end; ++i) {
      for (Index k = 0; k < features; ++k) left.row(i)[k] = feature(i, k);
      own.push_back(i);
      for (Index j = 0; j < 2; ++j) targets.push_back(target(i, j, classes));
    }
  }
  static double target(Index i, Index j, bool classes) {
    const double value = feature(i, 0) - 2 * feature(i, 1) + 500 * feature(i, 4) + 0.5 * draw(6000 + i, 0);
    if (!classes) return j == 0 ? value : feature(i, 2) + 3;
    return (value > 250) == (j == 0) ? 1.0 : 0.0;
  }
  [[nodiscard]] TuningInput<double> input(std::vector<double> penalties) const {
    return {context.execution, left, own, targets, 2, std::move(penalties)};
  }
};

struct Scale {
  double mean = 0, deviation = 0;
};
Scale scale_of(Index k) {
  Scale scale;
  for (Index i = 0; i < rows; ++i) scale.mean += feature(i, k) / rows;
  for (Index i = 0; i < rows; ++i) scale.deviation += std::pow(feature(i, k) - scale.mean, 2) / rows;
  scale.deviation = std::sqrt(scale.deviation);
  return scale;
}

double at(const TunedCoefficients& tuned, Index i, Index j) {
  double sum = tuned.intercepts[j];
  for (Index k = 0; k < features; ++k) sum += tuned.coefficients[2 * k + j] * feature(i, k);
  return sum;
}

// The gradient of (mean loss + penalty |w|² / divisor) at the solution, of which `slope` is d loss / d output.
void expect_stationary(const TunedCoefficients& tuned, double divisor, double tolerance,
                       const std::function<double(Index, Index)>& slope) {
  for (Index j = 0; j < 2; ++j) {
    double of_intercept = 0;
    for (Index i = 0; i < rows; ++i) of_intercept += slope(i, j) / rows;
    EXPECT_NEAR(of_intercept, 0, tolerance);
    for (Index k = 0; k < features; ++k) {
      const double b = tuned.coefficients[2 * k + j];
      if (k == 3) {
        EXPECT_EQ(b, 0.0);
        continue;
      }
      const Scale scale = scale_of(k);
      double gradient = tuned.penalty * (2 / divisor) * b * scale.deviation;
      for (Index i = 0; i < rows; ++i) gradient += slope(i, j) * (feature(i, k) - scale.mean) / scale.deviation / rows;
      EXPECT_NEAR(gradient, 0, tolerance) << k << ", " << j;
    }
  }
}

TEST(FeatureTuning, ByRidgeIsAtTheMinimum) {
  const Tuning tuning(false);
  const TunedCoefficients tuned = tune_by_ridge(tuning.input({0.1}));
  EXPECT_EQ(tuned.penalty, 0.1);
  EXPECT_TRUE(tuned.tried.empty());
  expect_stationary(tuned, 1, 1e-9,
                    [&](Index i, Index j) { return 2 * (at(tuned, i, j) - Tuning::target(i, j, false)); });
}

TEST(FeatureTuning, ByRidgeTakesTheBestPenalty) {
  const Tuning tuning(false);
  const TunedCoefficients tuned = tune_by_ridge(tuning.input({1e-6, 1e-3, 10}));
  ASSERT_EQ(tuned.tried.size(), 3U);
  for (const TriedPenalty& one : tuned.tried) {
    // The loss is that of the model of the rows that were not held out.
    Tuning rest(false);
    std::vector<Index> own;
    std::vector<double> targets;
    for (std::size_t i = 0; i < rest.own.size(); ++i) {
      if (is_held_out(0, rest.own[i])) continue;
      own.push_back(rest.own[i]);
      targets.insert(targets.end(), {rest.targets[2 * i], rest.targets[2 * i + 1]});
    }
    rest.own = own, rest.targets = targets;
    const TunedCoefficients model = tune_by_ridge(rest.input({one.penalty}));
    double loss = 0, held = 0;
    for (Index i = 0; i < rows; ++i) {
      if (!is_held_out(0, i)) continue;
      held += 1;
      for (Index j = 0; j < 2; ++j) loss += std::pow(at(model, i, j) - Tuning::target(i, j, false), 2);
    }
    EXPECT_NEAR(one.loss, loss / held, 1e-6 * loss / held);
  }
  EXPECT_LT(tuned.penalty, 10);
}

TEST(FeatureTuning, ByLogisticRegressionIsAtTheMinimum) {
  const Tuning tuning(true);
  const TunedCoefficients tuned = tune_by_logistic(tuning.input({0.01}), 500);
  EXPECT_TRUE(tuned.converged);
  EXPECT_GT(tuned.iterations, 0);
  expect_stationary(tuned, 2, 1e-4, [&](Index i, Index j) {
    const double first = at(tuned, i, 0), second = at(tuned, i, 1);
    const double p = 1 / (1 + std::exp((j == 0 ? second - first : first - second)));
    return p - Tuning::target(i, j, true);
  });
  Index wrong = 0;
  for (Index i = 0; i < rows; ++i) {
    wrong += (at(tuned, i, 0) > at(tuned, i, 1)) == (Tuning::target(i, 0, true) > 0.5) ? 0 : 1;
  }
  EXPECT_LT(wrong, rows / 5);
}

}  // namespace
}  // namespace cairn::linear_network_test

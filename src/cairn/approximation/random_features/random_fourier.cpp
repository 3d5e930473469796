#include "cairn/approximation/random_features/random_fourier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

double length_of(std::span<const double> vector) {
  double squares = 0;
  for (const double value : vector) squares += value * value;
  return std::sqrt(squares);
}

// Orthogonalizes the rows of a square matrix by Gram and Schmidt's algorithm, twice; each keeps its length. A row that
// depends on those before it, which has probability 0, is left unchanged.
void make_orthogonal(std::span<double> rows, Index dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  const std::size_t count = rows.size() / d;
  const auto row = [&](std::size_t i) { return rows.subspan(i * d, d); };
  std::vector<double> lengths;
  for (std::size_t i = 0; i < count; ++i) lengths.push_back(length_of(row(i)));
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = row(i);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto other = row(j);
        const double squares = lengths[j] * lengths[j];
        double product = 0;
        for (std::size_t k = 0; k < d; ++k) product += own[k] * other[k];
        for (std::size_t k = 0; k < d && squares > 0; ++k) own[k] -= product / squares * other[k];
      }
    }
    const double left = length_of(own);
    if (left == 0) continue;
    for (double& value : own) value *= lengths[i] / left;
  }
}

FourierDraw draw_of(const Values& values) {
  const std::string& name = values.text("fourier");
  if (name == "orthogonal") return FourierDraw::orthogonal;
  return name == "phase" ? FourierDraw::phase : FourierDraw::pairs;
}

}  // namespace

std::shared_ptr<const FourierFeatures> draw_fourier_features(const Spectrum& spectrum, Index dimension, Index columns,
                                                             FourierDraw draw, std::uint64_t seed) {
  const Random random(seed, Stream::landmarks);
  const Index count = draw == FourierDraw::phase ? columns : columns / 2;
  Buffer<double> frequencies(count * dimension);
  for (Index j = 0; j < count; ++j) {
    spectrum.draw(random, j, frequencies.span().subspan(j * dimension, dimension));
  }
  for (Index first = 0; draw == FourierDraw::orthogonal && first < count; first += dimension) {
    const Index rows = std::min(dimension, count - first);
    make_orthogonal(frequencies.span().subspan(first * dimension, rows * dimension), dimension);
  }
  std::vector<double> phases;
  const std::uint64_t beyond = std::uint64_t{1} << 32U;  // no coordinate has this number
  for (Index j = 0; draw == FourierDraw::phase && j < count; ++j) {
    phases.push_back(2 * std::numbers::pi * random.uniform(static_cast<std::uint64_t>(j), beyond));
  }
  return std::make_shared<const FourierFeatures>(dimension, std::move(frequencies), std::move(phases));
}

namespace {

template <class T>
Approximation<T> random_fourier(Problem<T> problem) {
  const auto* points = dynamic_cast<const PointSet<T>*>(&problem.objects);
  const auto* function = dynamic_cast<const PointFunction*>(&problem.similarity);
  const std::optional<Spectrum> spectrum =
      points != nullptr && function != nullptr ? function->spectrum() : std::nullopt;
  const std::string& name = problem.similarity.traits().name;
  if (!spectrum) {
    throw Error(ErrorKind::usage,
                fmt::format("the method {} needs points and a similarity that is a positive definite function of their "
                            "differences, as {} is not",
                            random_fourier_method().name, name));
  }
  const FourierDraw draw = draw_of(problem.parameters);
  if (draw == FourierDraw::orthogonal && !spectrum->isotropic) {
    problem.parameters.refuse("fourier", fmt::format("needs a function of the Euclidean distance, as {} is not", name));
  }
  const auto map = draw_fourier_features(*spectrum, points->dimension(), problem.parameters.integer("features"), draw,
                                         problem.execution.seed);
  Approximation<T> result;
  result.left = features_of(problem.execution, *points, *map);
  result.core_matrix = IdentityCore{map->columns()};
  result.report.rank = map->columns();
  result.left_origin = FactorOrigin{.features = map};
  if (const auto* columns = dynamic_cast<const PointSet<T>*>(problem.right)) {
    result.right = features_of(problem.execution, *columns, *map);
    result.right_origin = result.left_origin;
    result.symmetric = false;
    result.rectangular = true;
  }
  return result;
}

void check(const Values& values, const ProblemShape& /*shape*/) {
  const Index features = values.integer("features");
  if (draw_of(values) != FourierDraw::phase && features % 2 != 0) {
    values.refuse("features", "is odd: each frequency has a cosine and a sine");
  }
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index features = values.integer("features");
  return {.left = features,
          .right = input.data.right_objects > 0 ? features : 0,
          .product_flops = 2.0 * static_cast<double>(input.data.objects + input.data.right_objects) *
                           static_cast<double>(features) * static_cast<double>(input.data.dimension) / input.ranks};
}

}  // namespace

const MethodDescriptor& random_fourier_method() {
  using enum ValueType;
  static const MethodDescriptor method{
      .name = "rff",
      .summary =
          "Random Fourier features: rows of cosines whose inner products approximate a positive definite function of "
          "differences of points; no entry of K is evaluated.",
      .source = "Rahimi and Recht 2008; Yu et al. 2016",
      .parameters = {{.name = "features",
                      .value = "N",
                      .type = integer,
                      .fallback = "100",
                      .help = "Columns of the factor.",
                      .lowest = 1,
                      .highest = 1e6},
                     {.name = "fourier",
                      .value = "NAME",
                      .type = choice,
                      .fallback = "pairs",
                      .help = "How frequencies are drawn: pairs (a cosine and a sine each), orthogonal (the same, with "
                              "orthogonal directions: less error), or phase (a cosine each, with a random phase).",
                      .choices = {"pairs", "orthogonal", "phase"}}},
      .needs = {.entries = false, .landmarks = false},
      .rectangular = true,
      .diagonal_core = true,
      .default_count = [](const Values& values, Index) { return values.integer("features"); },
      .check = check,
      .cost = cost,
      .run_single = random_fourier<float>,
      .run_double = random_fourier<double>};
  return method;
}

}  // namespace cairn

// Polynomials of inner products whose powers are sketched.
#include "cairn/approximation/random_features/poly_tensorsketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/approximation/random_features/sketch_design.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/points/point_function.hpp"

namespace cairn {

namespace {

constexpr Index most_projected = 4096;  // coordinates of which principal components are computed

// The points as they are sketched, and how they became so.
struct Prepared {
  PointChange change;
  ProductFunction function;  // of the products of the points as they were
  WeightedPoints weighted;   // of the points as they are
};

std::vector<double> mean_of(const Communicator& communicator, const RowBlock<double>& points) {
  std::vector<double> sums(static_cast<std::size_t>(points.columns()), 0.0);
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += points.row(i)[k];
  }
  communicator.sum(std::span<double>(sums));
  for (double& sum : sums) sum /= static_cast<double>(points.rows());
  return sums;
}

// f on [-a, a], where the products are.
void require_finite(const ProductFunction& function, double largest, const Values& values) {
  constexpr int places = 200;
  for (int k = -places; k <= places; ++k) {
    const double product = largest * k / places;
    if (std::isfinite(function.value(product))) continue;
    throw Error(ErrorKind::numeric,
                fmt::format("{}: the function is not finite at {:g}, and inner products may be between {:g} and {:g}",
                            values.keys()("features"), product, -largest, largest));
  }
}

template <class T>
Prepared prepare(const Execution& execution, const PointSet<T>& points, ProductFunction function,
                 const Values& values) {
  const Communicator& communicator = execution.communicator;
  Prepared prepared;
  prepared.function = std::move(function);
  RowBlock<double>& rows = prepared.weighted.points;
  rows = collectively(communicator, [&] {
    RowBlock<double> copy(points.partition(), communicator.rank(), points.dimension());
    std::copy_n(points.coordinates().local().data, copy.range().size() * copy.columns(), copy.local().data);
    return copy;
  });
  const double gamma = prepared.function.gamma;
  prepared.change.unit_length = prepared.function.unit_length;
  if (gamma > 0 && values.flag("center")) prepared.change.center = mean_of(communicator, rows);
  double largest = 0;
  Index zero = std::numeric_limits<Index>::max();
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    const double squares = change_point(prepared.change, rows.row(i));
    largest = std::max(largest, squares);
    if (squares == 0) zero = std::min(zero, i);
    prepared.weighted.weights.push_back(gamma > 0 && values.flag("weigh") ? std::exp(-gamma * squares) : 1.0);
  }
  largest = communicator.maximum(largest);
  zero = communicator.minimum(zero);
  if (prepared.change.unit_length) {
    if (zero < rows.rows()) throw Error(ErrorKind::numeric, fmt::format("row {} is 0: it has no direction", zero));
    largest = 1;
  }
  if (largest == 0) {
    throw Error(ErrorKind::numeric, prepared.change.center.empty() ? "all points are 0" : "all points are the same");
  }
  require_finite(prepared.function, largest, values);
  prepared.change.scale = 1 / std::sqrt(largest);
  for (double& value : std::span(rows.local().data, static_cast<std::size_t>(rows.range().size() * rows.columns()))) {
    value *= prepared.change.scale;
  }
  prepared.weighted.value = [f = prepared.function.value, largest](double product) { return f(largest * product); };
  return prepared;
}

StandingRows standing_rows(const Execution& execution, const RowBlock<double>& points, const Values& values) {
  const std::string& by = values.text("coefficients");
  if (by == "all") return all_rows(points.rows());
  const Index count = values.integer("sample-rows");
  if (by == "uniform") return uniform_rows(points.rows(), count, execution.seed);
  StandingRows centers = center_rows(execution, points, count, execution.seed);
  if (std::ssize(centers.rows) < std::min(count, points.rows())) {
    values.refuse("sample-rows", fmt::format("is more than the {} different rows", centers.rows.size()));
  }
  return centers;
}

// Of w² x xᵀ: eigenvalues, falling, and eigenvectors, one a row, each with a positive entry of largest magnitude.
struct Components {
  std::vector<double> values;
  std::vector<double> vectors;
};

Components components_of(const Execution& execution, const WeightedPoints& weighted) {
  const Index d = weighted.points.columns();
  if (d > most_projected) return {};
  Components components;
  components.vectors = second_moments(execution, weighted);
  components.values = eigen_in_place(d, components.vectors.data());
  std::ranges::reverse(components.values);
  const auto size = static_cast<std::size_t>(d);
  for (std::size_t low = 0, high = size - 1; low < high; ++low, --high) {
    std::swap_ranges(components.vectors.begin() + static_cast<std::ptrdiff_t>(low * size),
                     components.vectors.begin() + static_cast<std::ptrdiff_t>((low + 1) * size),
                     components.vectors.begin() + static_cast<std::ptrdiff_t>(high * size));
  }
  for (std::size_t k = 0; k < size; ++k) {
    const auto row = std::span(components.vectors).subspan(k * size, size);
    const auto largest = std::ranges::max_element(row, {}, [](double value) { return std::abs(value); });
    if (*largest < 0) {
      for (double& value : row) value = -value;
    }
  }
  return components;
}

std::vector<std::unique_ptr<DegreeFeatures>> draw(const SketchDesign& design, Index dimension,
                                                  const Components& components, bool shared, std::uint64_t seed) {
  const Random random(seed, Stream::landmarks);
  std::vector<std::unique_ptr<DegreeFeatures>> parts;
  Index hash = 0;
  for (const DegreeShare& share : design.shares) {
    if (share.kind == DegreeKind::monomials) {
      parts.push_back(make_monomials(dimension, share.degree));
    } else if (share.kind == DegreeKind::projection) {
      Buffer<double> basis(dimension * share.columns);
      for (Index i = 0; i < dimension; ++i) {
        for (Index k = 0; k < share.columns; ++k) {
          basis[i * share.columns + k] = components.vectors[static_cast<std::size_t>(k * dimension + i)];
        }
      }
      parts.push_back(make_projection(dimension, std::move(basis)));
    } else {
      parts.push_back(draw_tensor_sketch(dimension, share.degree, share.columns, random, hash));
      if (!shared) hash += share.degree;
    }
  }
  return parts;
}

std::string text_of(const DegreeShare& share) {
  if (share.kind == DegreeKind::monomials) return fmt::format("{} monomials of degree {}", share.columns, share.degree);
  if (share.kind == DegreeKind::projection) return fmt::format("{} principal components", share.columns);
  return fmt::format("{} columns of degree {}", share.columns, share.degree);
}

void describe(const SketchDesign& design, const ProductMoments& moments, MethodReport& report) {
  const double predicted = std::sqrt((design.bias + design.variance) / moments.squares);
  report.figures.emplace_back("predicted_error", predicted);
  report.figures.emplace_back("predicted_bias", std::sqrt(design.bias / moments.squares));
  std::string shares = "1 constant";
  for (const DegreeShare& share : design.shares) shares += ", " + text_of(share);
  report.notes.push_back(
      fmt::format("predicted relative error {:.3g} (of the polynomial alone {:.3g}): {}", predicted,
                  std::sqrt(design.bias / moments.squares), shares));
  for (const DegreeShare& share : design.shares) {
    if (share.kind != DegreeKind::tensor || share.degree == 1 || is_smooth(share.columns)) continue;
    report.notes.push_back(fmt::format("{} columns have a prime factor above 7: Fourier transforms are slower than of "
                                       "{} columns",
                                       share.columns, [&] {
                                         Index smooth = share.columns;
                                         while (!is_smooth(smooth)) ++smooth;
                                         return smooth;
                                       }()));
    break;
  }
}

bool is_equal(const Values& values) { return values.text("allocation") == "equal"; }

SketchPenalty penalty_of(const Values& values) {
  const std::string& name = values.text("penalty");
  if (name == "printed") return SketchPenalty::printed;
  return name == "degree" ? SketchPenalty::degree : SketchPenalty::exact;
}

// Columns of each degree.
Index equal_columns(const Values& values) {
  if (values.given("sketch-columns")) return values.integer("sketch-columns");
  return (values.integer("features") - 1) / values.integer("degree");
}

template <class T>
Approximation<T> poly_tensorsketch(Problem<T> problem) {
  const Values& values = problem.parameters;
  const Execution& execution = problem.execution;
  const auto* points = dynamic_cast<const PointSet<T>*>(&problem.objects);
  const auto* of_points = dynamic_cast<const PointFunction*>(&problem.similarity);
  std::optional<ProductFunction> function =
      points != nullptr && of_points != nullptr ? of_points->of_products() : std::nullopt;
  if (!function) {
    throw Error(ErrorKind::usage,
                fmt::format("the method {} needs points and a similarity that is a function of their inner products, "
                            "as {} is not",
                            poly_tensorsketch_method().name, problem.similarity.traits().name));
  }
  Prepared prepared = prepare(execution, *points, std::move(*function), values);
  SketchDesign design;
  ProductMoments moments;
  Components components;
  {
    const auto phase = execution.phases.enter("coefficients");
    const Index degree = values.integer("degree");
    moments = product_moments(execution, prepared.weighted, standing_rows(execution, prepared.weighted.points, values),
                              degree);
    DesignInput input{moments, points->dimension(), {}, prepared.change.scale * prepared.change.scale};
    if (is_equal(values)) {
      design = equal_design(input, degree, equal_columns(values), penalty_of(values));
    } else {
      components = collectively(execution.communicator, [&] { return Components(); });
      if (points->dimension() > 1) components = components_of(execution, prepared.weighted);
      input.eigenvalues = components.values;
      design = best_design(input, values.integer("features") - 1);
    }
  }
  const auto map = std::make_shared<const SketchFeatures>(
      points->dimension(), prepared.change, prepared.function.gamma,
      draw(design, points->dimension(), components, values.text("hashes") == "shared", execution.seed));
  prepared.weighted = {};
  Approximation<T> result;
  result.left = features_of(execution, *points, *map);
  result.joining = DiagonalJoining{map->diagonal(design.coefficients)};
  result.left_origin = FactorOrigin{.features = map};
  result.report.rank = map->columns();
  describe(design, moments, result.report);
  return result;
}

void check(const Values& values, const ProblemShape& /*shape*/) {
  if (!is_equal(values)) return;
  if (equal_columns(values) < 2) {
    values.refuse(values.given("sketch-columns") ? "sketch-columns" : "features",
                  "leaves fewer than 2 columns for a degree");
  }
}

std::vector<UnusedParameter> unused(const Values& values, const ProblemShape& /*shape*/) {
  std::vector<UnusedParameter> all;
  const auto add = [&](const char* name, const std::string& why) {
    if (values.given(name)) all.push_back({name, why});
  };
  if (!is_equal(values)) {
    for (const char* name : {"sketch-columns", "penalty", "hashes"}) add(name, "columns are allocated to degrees");
  } else if (values.given("sketch-columns")) {
    add("features", values.where("sketch-columns") + " is given");
  }
  if (values.text("coefficients") == "all") add("sample-rows", "coefficients are computed from all rows");
  return all;
}

Index columns_of(const Values& values) {
  return is_equal(values) ? 1 + values.integer("degree") * equal_columns(values) : values.integer("features");
}

MethodCost cost(const Values& values, const CostInput& input) {
  const auto n = static_cast<double>(input.data.objects), d = static_cast<double>(input.data.dimension);
  const double rows = values.text("coefficients") == "all" ? n : static_cast<double>(values.integer("sample-rows"));
  const auto degree = static_cast<double>(values.integer("degree"));
  const auto columns = static_cast<double>(columns_of(values));
  return {.left = columns_of(values),
          .joining_bytes = (input.data.objects / input.ranks + 1) * (input.data.dimension + 1) * 8,
          .product_flops = (n * rows * (4 * d + degree * degree) + n * columns * 10 * std::log2(columns + 2)) /
                           input.ranks};
}

}  // namespace

const MethodDescriptor& poly_tensorsketch_method() {
  using enum ValueType;
  static const MethodDescriptor method{
      .name = "poly-tensorsketch",
      .summary =
          "A function of inner products of points, entry by entry: its polynomial, whose powers are sketched or exact; "
          "the entries of a few rows choose the coefficients.",
      .source = "Han, Avron and Shin 2020",
      .parameters =
          {{.name = "features",
            .value = "N",
            .type = integer,
            .fallback = "101",
            .help = "Columns of the factor, at most.",
            .lowest = 2,
            .highest = 1e6},
           {.name = "degree",
            .value = "N",
            .type = integer,
            .fallback = "10",
            .help = "The degree of the polynomial; with allocation = optimal the largest that is tried.",
            .lowest = 1,
            .highest = 30},
           {.name = "allocation",
            .value = "NAME",
            .type = choice,
            .fallback = "optimal",
            .help = "optimal: degree, columns of each degree and coefficients minimize the predicted error; low degrees "
                    "are exact if there is room. equal: as many columns for each degree, all sketched, as in the paper.",
            .choices = {"optimal", "equal"}},
           {.name = "sketch-columns",
            .value = "N",
            .type = integer,
            .help = "Columns of each degree with allocation = equal; by default (features - 1) / degree.",
            .lowest = 2,
            .highest = 1e6},
           {.name = "coefficients",
            .value = "NAME",
            .type = choice,
            .fallback = "uniform",
            .help = "Which rows of K choose the coefficients: uniform (drawn), coreset (greedy k-center), or all.",
            .choices = {"uniform", "coreset", "all"}},
           {.name = "sample-rows",
            .value = "N",
            .type = integer,
            .fallback = "100",
            .help = "How many rows those are.",
            .lowest = 1},
           {.name = "penalty",
            .value = "NAME",
            .type = choice,
            .fallback = "exact",
            .help = "What keeps coefficients small with allocation = equal: exact (the variance of the sketches), degree "
                    "(the bound of the paper), or printed (the same with an exponent one higher, as printed there).",
            .choices = {"exact", "degree", "printed"}},
           {.name = "hashes",
            .value = "NAME",
            .type = choice,
            .fallback = "independent",
            .help = "Whether each degree has hashes of its own (independent), or those of the degree below and one more "
                    "(shared); with allocation = equal.",
            .choices = {"independent", "shared"}},
           {.name = "weigh",
            .value = "BOOL",
            .type = flag,
            .fallback = "true",
            .help = "Minimize the error of K; otherwise that of the function of inner products alone (rbf)."},
           {.name = "center",
            .value = "BOOL",
            .type = flag,
            .fallback = "true",
            .help = "Move the points to their mean if K does not change with it (rbf): inner products become smaller."}},
      .needs = {.entries = false, .landmarks = false},
      .default_count = [](const Values& values, Index) { return columns_of(values); },
      .check = check,
      .unused = unused,
      .cost = cost,
      .run_single = poly_tensorsketch<float>,
      .run_double = poly_tensorsketch<double>};
  return method;
}

}  // namespace cairn

// Polynomials of inner products whose powers are sketched.
#include "cairn/approximation/random_features/poly_tensorsketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "cairn/approximation/random_features/given_polynomial.hpp"
#include "cairn/approximation/random_features/monomial_design.hpp"
#include "cairn/approximation/random_features/prepared_points.hpp"
#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/approximation/random_features/sketch_design.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/root_of_product.hpp"
#include "cairn/parameters/parameter.hpp"
#include "cairn/similarity/points/point_function.hpp"

namespace cairn {

namespace {

// Parameters of poly-tensorsketch.

std::vector<Parameter> sketch_parameters() {
  using enum ValueType;
  return {
      {.name = "features",
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
       .help = "optimal: monomials of principal components, or low degrees exactly and others sketched, whichever "
               "has the smaller predicted error. equal: as many columns for each degree, all sketched, as in the "
               "paper.",
       .choices = {"optimal", "equal"},
       .rare = true},
      {.name = "sketch-columns",
       .value = "N",
       .type = integer,
       .help = "Columns of each degree with allocation = equal; by default (features - 1) / degree, "
               "rounded down (to an even number with sketch = complex).",
       .lowest = 2,
       .highest = 1e6,
       .rare = true},
      {.name = "sketch",
       .value = "NAME",
       .type = choice,
       .fallback = "tensor",
       .help = "How powers are sketched: tensor (CountSketches and Fourier transforms), complex (products of "
               "Hadamard projections, real and imaginary parts: less error, an even number of columns), or tree "
               "(a binary tree of sketches of degree 2: less error for high degrees).",
       .choices = {"tensor", "complex", "tree"}},
      {.name = "coefficients",
       .value = "NAME",
       .type = choice,
       .fallback = "uniform",
       .help = "Which rows of K choose the coefficients: uniform (drawn, at 8,192 columns that are drawn, too), "
               "coreset (greedy k-center), or all. Or a polynomial that is given: taylor (of the function about 0), "
               "chebyshev (with the function's values in the Chebyshev nodes), or file.",
       .choices = {"uniform", "coreset", "all", "taylor", "chebyshev", "file"}},
      {.name = "coefficients-file",
       .value = "FILE",
       .type = input_path,
       .help = "With coefficients = file: a number a line, of powers 0, 1, ... of the inner products that K is a "
               "function of (rbf: of points moved to their mean, unless center = false)."},
      {.name = "sample-rows",
       .value = "N",
       .type = integer,
       .fallback = "400",
       .help = "How many rows those are; if the polynomial is given, those that its error is predicted from.",
       .lowest = 1},
      {.name = "penalty",
       .value = "NAME",
       .type = choice,
       .fallback = "exact",
       .help =
           "What keeps coefficients small with allocation = equal: exact (the variance of the sketches), degree "
           "(the bound of the paper), or printed (the same with an exponent one higher, as printed there: it depends "
           "on the unit of the points; scale them, and let gamma be about 1).",
       .choices = {"exact", "degree", "printed"},
       .rare = true},
      {.name = "hashes",
       .value = "NAME",
       .type = choice,
       .fallback = "independent",
       .help = "Whether each degree has hashes of its own (independent), or those of the degree below and one more "
               "(shared); with allocation = equal.",
       .choices = {"independent", "shared"},
       .rare = true},
      {.name = "signs",
       .value = "NAME",
       .type = choice,
       .fallback = "any",
       .help = "Of the coefficients: any, or positive (none below 0), so that the columns are features of linear "
               "machines whose inner products approximate K, with a larger error.",
       .choices = {"any", "positive"}},
      {.name = "weigh",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Minimize the error of K; otherwise that of the function of inner products alone (rbf)."},
      {.name = "center",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Move the points to their mean if K does not change with it (rbf): inner products become smaller."}};
}

using Parts = std::vector<std::shared_ptr<const DegreeFeatures>>;

// @param vectors  principal components of the side
Parts draw(const SketchDesign& design, Index dimension, const std::vector<double>& vectors, bool shared,
           std::uint64_t seed) {
  const Random random(seed, Stream::landmarks);
  Parts parts;
  Index hash = 0;
  for (const DegreeShare& share : design.shares) {
    if (share.kind == DegreeKind::monomials) {
      parts.push_back(make_monomials(dimension, share.degree));
    } else if (share.kind == DegreeKind::projection) {
      const std::vector<double> columns = basis_of(vectors, dimension, share.columns);
      Buffer<double> basis(std::ssize(columns));
      std::ranges::copy(columns, basis.data());
      parts.push_back(make_projection(dimension, std::move(basis)));
    } else if (share.kind == DegreeKind::complex) {
      parts.push_back(draw_complex_sketch(dimension, share.degree, share.columns, random, hash));
      if (!shared) hash += share.degree;
    } else if (share.kind == DegreeKind::tree) {
      parts.push_back(draw_tree_sketch(dimension, share.degree, share.columns, random, hash));
      hash += tree_hashes(share.degree);
    } else {
      parts.push_back(draw_tensor_sketch(dimension, share.degree, share.columns, random, hash));
      if (!shared) hash += share.degree;
    }
  }
  return parts;
}

// The decisions of a run.
struct Sketch {
  std::shared_ptr<const SketchFeatures> map, right_map;  // of both sides; null: the same
  double bias = 0.0, variance = 0.0;                     // relative to the sum of squares
  std::string columns;                                   // text for the user
  bool random = false;                                   // true if some powers are sketched
};

std::string text_of(const DegreeShare& share) {
  if (share.kind == DegreeKind::monomials) return fmt::format("{} monomials of degree {}", share.columns, share.degree);
  if (share.kind == DegreeKind::projection) return fmt::format("{} principal components", share.columns);
  return fmt::format("{} sketched columns of degree {}", share.columns, share.degree);
}

void describe(const Sketch& sketch, MethodReport& report) {
  const double predicted = std::sqrt(sketch.bias + sketch.variance);
  report.metrics.emplace_back("predicted_error", predicted);
  report.metrics.emplace_back("predicted_bias", std::sqrt(sketch.bias));
  report.notes.push_back(
      fmt::format("predicted relative error {:.3g} (without the noise of sketches {:.3g}): 1 constant{}", predicted,
                  std::sqrt(sketch.bias), sketch.columns));
}

void note_slow_lengths(const SketchDesign& design, MethodReport& report) {
  for (const DegreeShare& share : design.shares) {
    if (!is_sketch(share.kind) || share.kind == DegreeKind::complex || share.degree == 1 || is_smooth(share.columns))
      continue;
    Index smooth = share.columns;
    while (!is_smooth(smooth)) ++smooth;
    report.notes.push_back(
        fmt::format("{} columns have a prime factor above 7: Fourier transforms are slower than of "
                    "{} columns",
                    share.columns, smooth));
    return;
  }
}

bool is_equal(const Values& values) { return values.text("allocation") == "equal"; }

DegreeKind sketch_of(const Values& values) {
  const std::string& name = values.text("sketch");
  return name == "tree" ? DegreeKind::tree : name == "complex" ? DegreeKind::complex : DegreeKind::tensor;
}

SketchPenalty penalty_of(const Values& values) {
  const std::string& name = values.text("penalty");
  if (name == "printed") return SketchPenalty::printed;
  return name == "degree" ? SketchPenalty::degree : SketchPenalty::exact;
}

// The columns of each degree: an even number for complex sketches, unless the user gives another.
Index equal_columns(const Values& values) {
  if (values.given("sketch-columns")) return values.integer("sketch-columns");
  const Index columns = (values.integer("features") - 1) / values.integer("degree");
  return values.text("sketch") == "complex" ? columns - columns % 2 : columns;
}

// Makes the maps of both sides. @param parts  makes those of one side from the vectors of its components
template <class MakeParts>
void make_maps(const PreparedPoints& prepared, const PrincipalComponents& components, Index kept, MakeParts parts,
               const std::vector<double>& coefficients, Sketch& sketch) {
  const Index d = prepared.dimension();
  const auto map_of = [&](const PreparedSide& side, const std::vector<double>& vectors) {
    PointChange change = side.change;
    if (kept > 0) change.basis = basis_of(vectors, d, kept);
    return std::make_shared<const SketchFeatures>(d, std::move(change), prepared.function.gamma, parts(vectors),
                                                  coefficients);
  };
  sketch.map = map_of(prepared.rows, components.vectors);
  if (prepared.columns) sketch.right_map = map_of(*prepared.columns, components.of_right());
}

// Numbers of columns for which variances of trees are computed.
std::vector<Index> tree_columns(const Values& values) {
  if (sketch_of(values) != DegreeKind::tree) return {};
  if (is_equal(values)) return {equal_columns(values)};
  return {4, 16, 64, 256, 1024, 4096};
}

Sketch sketched(const PreparedPoints& prepared, const ProductMoments& moments, const SketchDesign& design,
                const PrincipalComponents& components, bool shared, std::uint64_t seed) {
  Sketch sketch;
  const auto parts = [&](const std::vector<double>& vectors) {
    return draw(design, prepared.dimension(), vectors, shared, seed);
  };
  make_maps(prepared, components, 0, parts, design.coefficients, sketch);
  sketch.bias = design.bias / moments.squares;
  sketch.variance = design.variance / moments.squares;
  for (const DegreeShare& share : design.shares) {
    sketch.columns += ", " + text_of(share);
    sketch.random = sketch.random || is_sketch(share.kind);
  }
  return sketch;
}

Sketch without_sketches(const PreparedPoints& prepared, const MonomialDesign& design,
                        const PrincipalComponents& components, double squares) {
  Sketch sketch;
  for (const auto& part : design.parts) {
    sketch.columns += fmt::format(", {} monomials of degree {}", part->columns(), part->degree());
  }
  sketch.columns +=
      fmt::format(" in {} {}", design.kept, prepared.columns ? "balanced coordinates" : "principal components");
  const auto parts = [&](const std::vector<double>& /*vectors*/) { return design.parts; };
  make_maps(prepared, components, design.kept, parts, design.coefficients, sketch);
  sketch.bias = design.error / squares;
  return sketch;
}

// Decides on columns and coefficients: monomials or sketches, whichever has the smaller predicted error. Collective.
// @param count  called with the number of entries of K that were read for this rank's rows
Sketch decide(const Execution& execution, PreparedPoints prepared, const Values& values, MethodReport& report,
              const std::function<void(Index)>& count) {
  const Index degree = values.integer("degree"), columns = values.integer("features") - 1;
  prepared.rows.weighted = sample_of(execution, std::move(prepared.rows.weighted), values);
  if (prepared.columns) {
    prepared.columns->weighted = sample_of(execution, std::move(prepared.columns->weighted), values);
  }
  StandingSide chosen = standing_rows(execution, prepared.rows.weighted.points,
                                      prepared.columns ? &prepared.columns->weighted.points : nullptr, values);
  const bool turned = chosen.of_columns;  // rows of V represent all, and are compared with all rows of U
  const WeightedPoints& rows = (turned ? *prepared.columns : prepared.rows).weighted;
  const WeightedPoints& weighted = (turned ? prepared.rows : prepared.of_columns()).weighted;
  const Standing standing(execution, rows, std::move(chosen.rows));
  ProductMoments moments = product_moments(execution, weighted, standing, degree, tree_columns(values));
  if (prepared.columns) {
    const std::vector<double> others = norm_sums(execution, rows.points, degree);
    for (std::size_t p = 0; p < others.size(); ++p) moments.norms[p] = root_of_product(moments.norms[p], others[p]);
  }
  count(weighted.points.range().size() * standing.count());
  const bool positive = values.text("signs") == "positive";
  DesignInput input{moments,  weighted.points.columns(),
                    {},       prepared.rows.change.scale * prepared.of_columns().change.scale,
                    positive, sketch_of(values)};
  if (polynomial_is_given(values)) input.given = given_polynomial(execution, prepared, values);
  if (is_equal(values)) {
    const SketchDesign design = design_on_root(
        execution.communicator, [&] { return equal_design(input, degree, equal_columns(values), penalty_of(values)); });
    note_slow_lengths(design, report);
    return collectively(execution.communicator, [&] {
      return sketched(prepared, moments, design, {}, values.text("hashes") == "shared", execution.seed);
    });
  }
  const PrincipalComponents components =
      components_of(execution, prepared.rows.weighted, prepared.columns ? &prepared.columns->weighted : nullptr);
  input.eigenvalues = components.values;
  const SketchDesign design = design_on_root(execution.communicator, [&] { return best_design(input, columns); });
  if (!components.values.empty() && input.given.empty()) {
    std::vector<double> powers = powers_of(weighted.value, degree);
    execution.communicator.broadcast(powers, 0);
    PrincipalComponents of_standing = components;
    if (turned) std::swap(of_standing.vectors, of_standing.right_vectors);
    MonomialDesign monomials = monomial_design(execution, weighted, standing, of_standing, powers, columns, positive);
    if (monomials.error <= design.bias + design.variance) {
      return collectively(execution.communicator,
                          [&] { return without_sketches(prepared, monomials, components, moments.squares); });
    }
  }
  return collectively(execution.communicator,
                      [&] { return sketched(prepared, moments, design, components, false, execution.seed); });
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
  const auto* columns = dynamic_cast<const PointSet<T>*>(problem.right);
  PreparedPoints prepared = prepare_points(execution, *points, columns, std::move(*function), values);
  Approximation<T> result;
  const Sketch sketch = [&] {
    const auto phase = execution.phases.enter("coefficients");
    return decide(execution, std::move(prepared), values, result.report,
                  [&](Index entries) { problem.similarity.count_more(entries); });
  }();
  result.left = features_of(execution, *points, *sketch.map);
  if (columns != nullptr) {
    result.right = features_of(execution, *columns, *sketch.right_map);
    result.right_origin = FactorOrigin{.features = sketch.right_map};
    result.symmetric = false;
    result.rectangular = true;
  }
  result.core_matrix = IdentityCore{sketch.map->columns()};
  if (std::vector<double> signs = sketch.map->signs(); !signs.empty()) {
    result.core_matrix = DiagonalCore{std::move(signs)};
    if (columns == nullptr) {
      result.report.notes.emplace_back(
          "some coefficients are below 0: as features of a linear machine the columns stand for "
          "another matrix; signs = positive keeps them at 0 or above");
    }
  }
  result.left_origin = FactorOrigin{.features = sketch.map};
  result.report.rank = sketch.map->columns();
  describe(sketch, result.report);
  if (!sketch.random && values.given("sketch")) {
    result.report.notes.push_back(
        fmt::format("{} has no effect: no power is sketched, exact columns have the smaller predicted error",
                    values.where("sketch")));
  }
  return result;
}

void check(const Values& values, const ProblemShape& /*shape*/) {
  if (values.text("coefficients") == "file") static_cast<void>(values.required("coefficients-file"));
  if (!is_equal(values)) return;
  if (values.text("sketch") == "complex" && equal_columns(values) % 2 != 0) {
    values.refuse("sketch-columns", fmt::format("is odd; {} = complex takes an even number", values.keys()("sketch")));
  }
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
  if (sketch_of(values) == DegreeKind::tree) add("hashes", "every node of a tree has hashes of its own");
  if (polynomial_is_given(values)) {
    for (const char* name : {"signs", "penalty"}) add(name, "the coefficients are given");
  }
  if (values.text("coefficients") != "file") add("coefficients-file", "coefficients are not read from a file");
  if (values.text("coefficients") == "all") add("sample-rows", "coefficients are computed from all rows");
  return all;
}

Index columns_of(const Values& values) {
  return is_equal(values) ? 1 + values.integer("degree") * equal_columns(values) : values.integer("features");
}

MethodCost cost(const Values& values, const CostInput& input) {
  const auto n = static_cast<double>(input.data.objects + input.data.right_objects);
  const auto d = static_cast<double>(input.data.dimension);
  const auto left = static_cast<double>(input.data.objects), right = static_cast<double>(input.data.columns());
  const double rows = values.text("coefficients") == "all" ? left : static_cast<double>(values.integer("sample-rows"));
  const auto degree = static_cast<double>(values.integer("degree"));
  const auto columns = static_cast<double>(columns_of(values));
  const bool drawn = values.text("coefficients") == "uniform" || polynomial_is_given(values);
  const double compared = drawn ? std::min(right, double{most_sampled}) : right;
  return {.left = columns_of(values),
          .right = input.data.right_objects > 0 ? columns_of(values) : 0,
          .others = static_cast<Index>(compared * std::min(rows, left)),
          .core_bytes = (static_cast<Index>(n) / input.ranks + 1) * (input.data.dimension + 1) * 8,
          .product_flops =
              (compared * rows * (4 * d + degree * degree) + n * columns * 10 * std::log2(columns + 2)) / input.ranks};
}

}  // namespace

const MethodDescriptor& poly_tensorsketch_method() {
  static const MethodDescriptor method{
      .name = "poly-tensorsketch",
      .summary =
          "A function of inner products of points, entry by entry: its polynomial, whose powers are sketched or exact; "
          "the entries of a few rows choose the coefficients.",
      .source = "Han, Avron and Shin 2020",
      .parameters = sketch_parameters(),
      .needs = {.landmarks = false},
      .rectangular = true,
      .diagonal_core = true,
      .default_count = [](const Values& values, Index) { return columns_of(values); },
      .check = check,
      .unused = unused,
      .cost = cost,
      .run_single = poly_tensorsketch<float>,
      .run_double = poly_tensorsketch<double>};
  return method;
}

}  // namespace cairn

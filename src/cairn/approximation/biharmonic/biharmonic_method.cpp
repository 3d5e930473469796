// Biharmonic interpolation as a method: its parameters, their rules, and how it is run.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/biharmonic_cost.hpp"
#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

const std::vector<std::string> operators = {"auto", "graph", "cotangent", "neighbours", "file"};
const char* const of_neighbors = "neighbours";
const char* const of_file = "file";
const char* const of_surface = "cotangent";
const char* const former_petsc = "iterative";  // accepted for one version

// The operator that P is computed with; empty if the data are not yet known.
std::string operator_of(const Values& values, const ProblemShape& shape) {
  const std::string& given = values.text("operator");
  if (given != "auto") return given;
  return shape.operators.empty() ? "" : shape.operators.front();
}

void check_neighbors(const Values& values, const ProblemShape& shape) {
  const Index neighbors = values.integer("neighbours");
  if (shape.objects > 1 && neighbors >= shape.objects) {  // a single point without neighbors is refused elsewhere
    throw Error(ErrorKind::usage, fmt::format("{} is {}, but each of the {} points has {} others",
                                              values.where("neighbours"), neighbors, shape.objects, shape.objects - 1));
  }
}

void check(const Values& values, const ProblemShape& shape) {
  const std::string kind = operator_of(values, shape);
  const auto& possible = shape.operators;
  if (!possible.empty() && kind != of_file && std::ranges::find(possible, kind) == possible.end()) {
    values.refuse("operator", fmt::format("is not of these data; it can be {}, {}", joined(possible, ", "), of_file));
  }
  if (values.given("soft-landmarks") && values.text("solver") == "local") {
    throw Error(ErrorKind::usage,
                fmt::format("{} is incompatible with {} = local, whose columns end at other landmarks; take direct or "
                            "petsc",
                            values.where("soft-landmarks"), values.where("solver")));
  }
  if (solver_name(values) == "petsc" && !has_petsc()) {
    values.refuse("solver", "is not in this build of Cairn, which has no PETSc (CAIRN_PETSC = OFF); take auto");
  }
  static_cast<void>(petsc_options({"", values.text("petsc-options"), 1.0, values.keys()}));
  if (values.given("exact-trees") && values.flag("exact-trees") && values.text("transform") == "sqrt") {
    throw Error(ErrorKind::usage, fmt::format("{} is incompatible with {} = sqrt: lengths add up along a path, their "
                                              "squares do not",
                                              values.where("exact-trees"), values.where("transform")));
  }
  if (!values.text("reuse").empty()) return;
  if (kind == of_file && values.text("operator-path").empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = file needs {}", values.where("operator"), values.where("operator-path")));
  }
  if (kind == of_neighbors) check_neighbors(values, shape);
}

std::vector<UnusedParameter> unused(const Values& values, const ProblemShape& shape) {
  std::vector<UnusedParameter> list;
  const auto add = [&](const char* name, bool used, const std::string& why) {
    if (!used && values.given(name)) list.push_back({name, why});
  };
  const std::string& reused = values.text("reuse");
  if (!reused.empty()) {
    for (const char* name :
         {"solver", "p-row", "sparsity", "tolerance", "normalize", "operator", "operator-path", "neighbours",
          "perplexity", "flip-edges", "preconditioner", "petsc-options", "soft-landmarks", "exact-trees"}) {
      add(name, false, "P and its landmarks are taken from " + reused);
    }
    return list;
  }
  const std::string kind = operator_of(values, shape), solver = solver_name(values);
  const std::string operator_is = "the operator is " + kind, solver_is = "the solver is " + solver;
  add("neighbours", kind == of_neighbors, operator_is);
  add("perplexity", kind == of_neighbors, operator_is);
  add("flip-edges", kind.empty() || kind == of_surface, operator_is);
  add("operator-path", kind == of_file, operator_is);
  add("preconditioner", solver == "petsc" || solver == "auto", solver_is);
  add("petsc-options", solver == "petsc" || solver == "auto", solver_is);
  add("tolerance", solver != "direct", solver_is);
  add("exact-trees", shape.operators.empty() || shape.operators.front() == "graph", "the data are no graph");
  return list;
}

template <class T>
BiharmonicParameters parameters_of(const Problem<T>& problem) {
  const Values& values = problem.parameters;
  BiharmonicParameters result{interpolation_parameters(values), Transform::none, problem.storage};
  result.interpolation.memory = problem.memory;
  if (values.text("transform") == "sqrt") result.transform = Transform::sqrt;
  result.trees = problem.interpolation ? problem.interpolation->trees : problem.trees;
  return result;
}

// Number of points with equal probabilities over their neighbors, because they have no more neighbors than the
// perplexity.
Index points_of_equal_neighbors(const BiharmonicOperator& op, double perplexity) {
  Index count = 0;
  for (Index v = 0; v < op.size(); ++v) {
    count += static_cast<double>(op.starts[v + 1] - op.starts[v]) <= perplexity ? 1 : 0;
  }
  return count;
}

// Notes on parameters that the solver (perhaps chosen by auto) does not use, and on weights that are mostly equal.
std::vector<std::string> notes_of(const Values& values, const std::string& solver, const BiharmonicOperator& op) {
  std::vector<std::string> notes;
  if (values.text("solver") == former_petsc) notes.push_back("solver = iterative is called petsc now");
  const auto add = [&](const char* name, bool used) {
    if (used || !values.given(name)) return;
    notes.push_back(fmt::format(
        "{} had no effect: {}", name,
        solver == "none" ? "nothing had to be solved" : fmt::format("solver {} has no use for it", solver)));
  };
  add("tolerance", solver == "local" || solver == "petsc");
  add("preconditioner", solver == "petsc");
  add("petsc-options", solver == "petsc");
  if (op.kind == of_neighbors && values.text("operator") != of_file) {
    const Index equal = points_of_equal_neighbors(op, values.number("perplexity"));
    if (2 * equal > op.size()) {
      notes.push_back(
          fmt::format("{} of {} points have no more neighbors than the perplexity, {}, and give them equal "
                      "probabilities",
                      grouped(equal), grouped(op.size()), values.text("perplexity")));
    }
  }
  return notes;
}

template <class T>
Approximation<T> with_known_rows(Problem<T> problem) {
  KnownInterpolation<T>& known = *problem.interpolation;
  Approximation<T> result = biharmonic<T>(problem.execution, std::move(known.rows), *problem.rows,
                                          problem.landmarks.indices, parameters_of(problem));
  result.report.notes.push_back("P and its landmarks are those of " + known.origin);
  InterpolationReport report;
  report.solver = "none";
  report.reason = "P is that of " + known.origin;
  result.report.interpolation = std::move(report);
  result.report.operator_kind = "that of " + known.origin;
  return result;
}

template <class T>
Approximation<T> run(Problem<T> problem) {
  if (problem.rows == nullptr || !(problem.geometry || problem.interpolation)) {
    throw Error(ErrorKind::usage, fmt::format("the method {} needs whole rows of K and the operator of the data",
                                              biharmonic_method().name));
  }
  if (problem.interpolation) return with_known_rows(std::move(problem));
  if (solver_name(problem.parameters) == "petsc") start_slepc(problem.execution.communicator);
  const BiharmonicOperator op = problem.geometry();
  InterpolationReport report;
  Approximation<T> result =
      biharmonic<T>(problem.execution, op, *problem.rows, problem.landmarks.indices, parameters_of(problem), report);
  for (std::string& note : notes_of(problem.parameters, report.solver, op)) {
    result.report.notes.push_back(std::move(note));
  }
  result.report.interpolation = std::move(report);
  result.report.operator_kind = op.kind;
  result.report.flips = op.flips;
  return result;
}

std::vector<Parameter> solver_parameters() {
  using enum ValueType;
  return {
      {.name = "solver",
       .value = "NAME",
       .type = choice,
       .fallback = "auto",
       .help = "How the columns of P are solved for: direct (a factor of the whole operator), local (patches around "
               "landmarks), petsc (conjugate gradients on all ranks, where no factor fits), auto (chosen from the "
               "estimated cost and memory). The former name of petsc is iterative.",
       .choices = {"auto", "direct", "local", "petsc", former_petsc}},
      {.name = "preconditioner",
       .value = "NAME",
       .type = choice,
       .fallback = "hypre",
       .help = "Solver petsc: the multigrid cycles that conjugate gradients are preconditioned by: hypre (BoomerAMG) "
               "or gamg (PETSc's own).",
       .choices = {"hypre", "gamg"}},
      {.name = "petsc-options",
       .value = "OPTIONS",
       .help =
           fmt::format("Solver petsc: further options of PETSc's solver and preconditioner with their values, as on "
                       "its command line. Each begins with -{0}, as in -{0}pc_hypre_boomeramg_strong_threshold 0.5.",
                       petsc_prefix),
       .rare = true},
      {.name = "tolerance",
       .value = "NUMBER",
       .type = number,
       .help =
           "Solver local: values at the edge of a patch below this share of the landmark's own are dropped; solver "
           "petsc: a solve leaves a tenth of it as residual, relative to the right-hand side. By default 1e-9. Below "
           "1.",
       .above = 0,
       .below = 1},
      {.name = "soft-landmarks",
       .value = "NUMBER",
       .type = number,
       .help = "Solvers direct and petsc: P need not be 1 and 0 at the landmarks; the square of what it is off is "
               "minimized with this weight, above 0, along with what P minimizes. By default landmarks are hard.",
       .above = 0,
       .rare = true},
      {.name = "operator",
       .value = "NAME",
       .type = choice,
       .fallback = "auto",
       .help = "The operator that P solves with: graph (edges of a graph or mesh), cotangent (of a mesh), neighbours "
               "(estimated from positions), file (that an earlier run wrote to output.operator); auto takes the one "
               "that the data have.",
       .choices = operators},
      {.name = "operator-path",
       .value = "FILE",
       .type = input_path,
       .help = "Operator file: the file, made of the same data."},
      {.name = "flip-edges",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Operator cotangent: flip edges to make the triangles Delaunay, so that no weight inside the surface is "
               "negative. With false they are those of the file, as in the paper."},
      {.name = "neighbours",
       .value = "T",
       .type = integer,
       .fallback = "20",
       .help = "Operator neighbours: nearest neighbors of a point.",
       .lowest = 1},
      {.name = "perplexity",
       .value = "NUMBER",
       .type = number,
       .fallback = "20",
       .help = "Operator neighbours: perplexity of a point's weights, above 1. A point that has no more neighbors, "
               "those that it is a neighbor of included, gives them equal probabilities.",
       .above = 1},
  };
}

// Parameters for the storage of P and W.
std::vector<Parameter> factor_parameters() {
  using enum ValueType;
  return {
      {.name = "p-row",
       .value = "N",
       .type = integer,
       .fallback = "50",
       .help = "Nonzeros that are kept in a row of P, on average; the number of landmarks or more keeps all.",
       .lowest = 1},
      {.name = "sparsity",
       .value = "NAME",
       .type = choice,
       .fallback = "columns",
       .help = "Keep the largest entries of every column of P, or of every row.",
       .choices = {"columns", "rows"},
       .rare = true},
      {.name = "reuse",
       .value = "FILE",
       .type = input_path,
       .help = "Take P and the landmarks of this result, which was made from the same data, and compute only W, for "
               "another similarity."},
      {.name = "normalize",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Divide the rows of sparse P by their sums, which are 1 if all entries are kept.",
       .rare = true},
      {.name = "exact-trees",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Path lengths in graphs, transform none: P is made without small pendant trees; the way from a vertex "
               "of one to its root is added exactly. Landmarks are chosen outside of them."},
      {.name = "transform",
       .value = "NAME",
       .type = choice,
       .fallback = "none",
       .help = "sqrt interpolates squared values and takes the root, which is 0 if they are below 0; of distances: "
               "similarities are refused.",
       .choices = {"none", "sqrt"}},
      {.name = "joining-storage",
       .value = "NAME",
       .type = choice,
       .fallback = "auto",
       .help =
           "Where W is kept while the program runs: memory, disk (a file without name in the folder of output.path), "
           "auto (disk if memory, or run.memory, has no room for it).",
       .choices = {"auto", "memory", "disk"}},
  };
}

std::vector<Parameter> all_parameters() {
  std::vector<Parameter> all = solver_parameters();
  for (Parameter& parameter : factor_parameters()) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

std::string solver_name(const Values& values) {
  const std::string& given = values.text("solver");
  return given == former_petsc ? "petsc" : given;
}

InterpolationParameters interpolation_parameters(const Values& values) {
  InterpolationParameters parameters;
  parameters.solver = solver_name(values);
  parameters.p_row = values.integer("p-row");
  parameters.sparsity = values.text("sparsity");
  parameters.tolerance = values.number_or("tolerance", parameters.tolerance);
  parameters.normalize = values.flag("normalize");
  parameters.preconditioner = values.text("preconditioner");
  parameters.petsc_options = values.text("petsc-options");
  parameters.soft_landmarks = values.number_or("soft-landmarks", 0.0);
  parameters.keys = values.keys();
  return parameters;
}

const MethodDescriptor& biharmonic_method() {
  static const MethodDescriptor method{
      .name = "biharmonic",
      .summary =
          "Biharmonic interpolation: K~ = P W Pᵀ, W the entries between landmarks, P smooth over a graph, a mesh "
          "or points.",
      .source = "Turek and Huth 2022",
      .parameters = all_parameters(),
      .output = {{.name = "operator",
                  .value = "FILE",
                  .type = ValueType::output_path,
                  .help = "Also write the operator to this file, for runs with approximation.operator = file."},
                 {.name = "compression",
                  .value = "NAME",
                  .type = ValueType::choice,
                  .fallback = "deflate",
                  .help = "How W is stored in the file: deflate (HDF5's filters shuffle and deflate) or none.",
                  .choices = {"deflate", "none"}}},
      .needs = {.rows = true},
      .default_for = {objects::graph_vertices, objects::mesh_vertices},
      .default_selection = farthest_selection().name,
      .check = check,
      .unused = unused,
      .staged_cost = biharmonic_cost,
      .run_single = run<float>,
      .run_double = run<double>};
  return method;
}

}  // namespace cairn

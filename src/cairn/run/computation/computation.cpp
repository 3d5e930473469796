#include "cairn/run/computation/computation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cairn/approximation/column_sampling/principal_block.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/run/computation/core_landmarks.hpp"
#include "cairn/run/computation/kept_counts.hpp"
#include "cairn/run/computation/operator_source.hpp"
#include "cairn/run/computation/reused_rows.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/known_objects.hpp"

namespace cairn {

namespace {

template <class T>
ResultDescription description_of(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                 const MethodReport& report) {
  ResultDescription description;
  description.similarity = exact.name();
  description.similarity_parameters = exact.parameters();
  description.precision = sizeof(T) == 4 ? "single" : "double";
  describe_data(data, description);
  description.provenance = {{"seed", std::to_string(execution.seed)}};
  for (const auto& [name, value] : report.metrics) description.metrics[name] = value;
  if (!report.interpolation) return description;
  description.provenance["operator"] = report.operator_kind;
  description.provenance["solver"] = report.interpolation->solver;
  const InterpolationReport& made = *report.interpolation;
  if (made.largest_row_sum_error) description.metrics["row_sum_error"] = *made.largest_row_sum_error;
  if (made.condition_estimate > 0) description.metrics["condition_estimate"] = made.condition_estimate;
  return description;
}

// Input of the method. @param known  P of another result, or nothing
template <class T>
Problem<T> problem_of(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                      const MethodChoice& method, const ComputationOptions& options, CoreLandmarks<T> selected,
                      std::optional<ReusedRows<T>> known) {
  const Communicator& communicator = execution.communicator;
  Problem<T> problem{execution,
                     *exact.entries,
                     *exact.objects,
                     std::move(selected.landmarks),
                     method.landmark_count(data.objects->size()),
                     method.values,
                     exact.sources.get()};
  problem.memory = options.budget.memory.bytes;
  problem.right = exact.right;
  problem.trees = std::move(selected.trees);
  if (known) problem.interpolation = KnownInterpolation<T>{std::move(known->rows), known->path, known->trees};
  if (!method.method->needs.rows) return problem;
  const std::vector<Index> indices = problem.landmarks.indices;
  problem.storage = core_storage(communicator, options.budget, method.values,
                                 work_beside_tiles(execution, data, exact, method, static_cast<Index>(indices.size())));
  problem.geometry = [&execution, &data, &method, &options, indices] {
    BiharmonicOperator op = make_operator(execution, data, method.values, options.operator_path, options.keys.output);
    if (const auto* mesh = data.template as<TriangleMesh>(); mesh != nullptr && op.kind != "neighbours") {
      require_landmarks_everywhere(execution.communicator, *mesh, indices, data.keys("largest-component"));
    }
    return op;
  };
  return problem;
}

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  for (std::string& one : more) all.push_back(std::move(one));
}

// Adds notes and warnings of all steps after the method's own.
template <class T>
void complete_report(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                     const MethodChoice& method, const ComputationOptions& options, const DistanceTable<T>* distances,
                     MethodReport& report) {
  append(report.notes, notes_of(exact, options.similarity));
  append(report.warnings, warnings_of(exact.sources.get()));
  const bool told = dynamic_cast<const Geodesic*>(exact.sources.get()) != nullptr;  // already, for the same mesh
  if (report.flips.edges > 0 && !told) report.notes.push_back(note_of(report.flips));
  append(report.notes, notes_of(distances, options.distances));
  describe_counts(execution, data, report);
  append(report.notes, data.notes);
  append(report.warnings, data.warnings);
  if (method.method->needs.rows && data.template as<Graph>() != nullptr) {
    append(report.notes, notes_of_separators(execution.communicator, data.shared_graph));
  }
}

}  // namespace

template <class T>
Computed<T> compute(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                    const MethodChoice& method, const ComputationOptions& options) {
  const Communicator& communicator = execution.communicator;
  std::optional<ReusedRows<T>> known;
  if (method.reuses_landmarks()) known = read_reused_rows(execution, data, method, options.keys);
  std::string selection = method.method->needs.landmarks ? method.selection().name : "none";
  if (known) selection = known->selection;
  Computed<T> computed;
  computed.distances = use_distances(execution, data, exact, options.distances, options.keys);
  // What other computations with this K have evaluated does not count.
  Index before = exact.evaluations() - exact.setup, restored = exact.restored();
  std::string trees;
  if (const auto goal = error_goal(method)) {
    const auto sample = std::make_shared<SampleBlock<T>>();  // one growth keeps it
    const MakeApproximation<T> make = [&](Landmarks<T> landmarks, const Values& values) {
      MethodChoice choice = method;
      choice.values = values;
      Problem<T> problem = problem_of<T>(execution, data, exact, choice, options, {std::move(landmarks)}, std::nullopt);
      problem.sample = sample;
      return approximate(*method.method, std::move(problem));
    };
    bool warned = false;
    const auto require_memory = [&](const GrowthStep& step) {
      MethodChoice choice = method;
      choice.values = step.values;
      const RunLandmarks planned{step.landmarks, step.held_bytes, !warned};
      warned = require_run_budget(execution, data, exact, choice, options.budget.memory, planned) || warned;
    };
    const TimeLimit* const time = options.budget.time ? &*options.budget.time : nullptr;
    GrownApproximation<T> grown = approximate_within(execution, data, exact, method, *goal, make, require_memory, time);
    computed.approximation = std::move(grown.approximation);
    computed.goal = std::move(grown.outcome);
    before += computed.goal->evaluations;
    restored += computed.goal->restored;
  } else {
    CoreLandmarks<T> selected =
        known ? CoreLandmarks<T>{std::move(known->landmarks)}
              : select_core_landmarks(execution, data, exact, method, method.landmark_count(data.objects->size()));
    if (method.count_is_read()) {  // no earlier plan knew it
      require_run_budget(execution, data, exact, method, options.budget.memory,
                         {std::ssize(selected.landmarks.indices)});
    }
    trees = selected.note;
    if (exact.sources) {  // a single-source selection yields no columns
      before = exact.evaluations();
      restored = exact.restored();
    }
    computed.approximation = approximate(
        *method.method, problem_of(execution, data, exact, method, options, std::move(selected), std::move(known)));
  }
  const Index evaluated = exact.evaluations() - before, known_before = exact.restored() - restored;
  const NearStep<T> near =
      take_near_entries(execution, data, exact, options.near, options.keys.output, computed.approximation);
  computed.near = near.entries;
  MethodReport& report = computed.approximation.report;
  if (!trees.empty()) report.notes.push_back(trees);
  complete_report(execution, data, exact, method, options, computed.distances.get(), report);
  computed.description = description_of(execution, data, exact, report);
  computed.description.landmark_selection = selection;
  if (computed.goal) describe_goal(*error_goal(method), *computed.goal, method, computed.description, report);
  const Index restored_before = communicator.sum(known_before);
  computed.restored_evaluations = restored_before + near.restored;
  computed.description.evaluations = communicator.sum(evaluated) + restored_before + near.evaluations;
  if (!options.distances.keep) computed.distances.reset();
  Factor<T>& left = computed.approximation.left;
  if (!left.is_stored()) left = left.landmark_rows().shape();  // K may end before the result does
  const auto* paths = dynamic_cast<const PathLength*>(exact.sources.get());
  if (options.keep_hierarchy && paths != nullptr) {
    computed.hierarchy =
        collectively(communicator, [&] { return paths->stored_hierarchy(communicator.rank(), communicator.size()); });
  }
  return computed;
}

template <class T>
EvaluatedRows<T>::EvaluatedRows(const Communicator& communicator, Approximation<T>& approximation,
                                const ExactMatrix<T>& exact, const ResultDescription& description)
    : left_(approximation.left) {
  if (left_.is_stored()) return;
  const auto without_place = [](std::vector<std::pair<std::string, std::string>> parameters) {
    std::erase_if(parameters, [](const auto& one) { return one.first == "path"; });  // of a file, which may have moved
    return parameters;
  };
  if (exact.name() != description.similarity ||
      without_place(exact.parameters()) != without_place(description.similarity_parameters)) {
    throw Error(ErrorKind::usage,
                fmt::format("the result keeps no rows of its left factor (store-left = false): they are evaluated from "
                            "its own similarity, {}, with its parameters, not from another one",
                            description.similarity));
  }
  std::shared_ptr<const ObjectBlock> landmarks =
      exact.objects->gather(communicator, approximation.left_origin.value().indices);
  left_ = LandmarkRows<T>(communicator.rank(), *exact.entries, *exact.objects, std::move(landmarks));
}

template <class T>
EvaluatedRows<T>::~EvaluatedRows() {
  if (!left_.is_stored()) left_ = left_.landmark_rows().shape();
}

template <class T>
MeasuredError measure_error(const Execution& execution, const Approximation<T>& approximation,
                            const ExactMatrix<T>& exact, const EstimateEffort& effort, bool over_rows,
                            VertexErrors* by_vertex) {
  if (exact.sources) {
    RowErrors details;
    const bool asymmetric = !exact.sources->traits().symmetric_by_construction;
    MeasuredError error{error_over_rows(execution, approximation, *exact.sources, effort,
                                        asymmetric || by_vertex != nullptr ? &details : nullptr),
                        "rows",
                        {}};
    if (asymmetric) error.symmetric = details.symmetric;
    if (by_vertex != nullptr) *by_vertex = std::move(details.by_vertex);
    return error;
  }
  if (exact.right != nullptr) {
    if (over_rows) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} is not measured if the columns of K stand for other objects than its "
                              "rows; give a number of pairs",
                              effort.keys("rows")));
    }
    return {probe_error(execution, approximation, *exact.entries, *exact.objects, *exact.right, effort), "pairs", {}};
  }
  if (over_rows) {
    return {error_over_rows(execution, approximation, *exact.entries, *exact.objects, *effort.count, effort.keys),
            "rows",
            {}};
  }
  return {probe_error(execution, approximation, *exact.entries, *exact.objects, effort), "pairs", {}};
}

// True if an error exceeds a bound by at least two standard errors of their difference, assuming independence; without
// uncertainty, if it is at least as large.
bool is_known_above(double error, double standard_error, double bound, double bound_standard_error) {
  return error - bound >= 2.0 * std::hypot(standard_error, bound_standard_error);
}

// K~ = 0 has error 1, and the best constant at most that.
void take_error(const MeasuredError& measured, ResultDescription& description, MethodReport& report) {
  const ErrorEstimate& error = measured.estimate;
  description.error = error;
  description.provenance["error_over"] = measured.over;
  if (measured.symmetric) {
    description.metrics["symmetric_relative_squared_error"] = measured.symmetric->relative_squared_error;
  }
  const std::string advice =
      report.interpolation
          ? "take method = nystrom or sicur, which do not expect that neighbors have similar values, or more landmarks"
          : "take another method, more landmarks, a wider kernel (a smaller gamma), or drop more eigenvalues (a larger "
            "tolerance) if the method does";
  const double doubt = error.relative_error_standard_error;
  if (error.relative_error > 1.0 && is_known_above(error.relative_error, doubt, 1.0, 0.0)) {
    report.warnings.push_back("the approximation is worse than none at all (its measured error is above 1): " + advice);
  } else if (error.constant_error > 0.0 &&
             is_known_above(error.relative_error, doubt, error.constant_error, error.constant_error_standard_error)) {
    report.warnings.push_back(
        fmt::format("the approximation is not better than a constant: the mean of K in place of every entry has the "
                    "relative error {:.4g} +- {:.2g}, and this one has {:.4g} +- {:.2g}: {}",
                    error.constant_error, error.constant_error_standard_error, error.relative_error, doubt, advice));
  }
}

#define CAIRN_INSTANTIATE(T)                                                                                 \
  template class EvaluatedRows<T>;                                                                           \
  template Computed<T> compute(const Execution&, const Data<T>&, const ExactMatrix<T>&, const MethodChoice&, \
                               const ComputationOptions&);                                                   \
  template MeasuredError measure_error(const Execution&, const Approximation<T>&, const ExactMatrix<T>&,     \
                                       const EstimateEffort&, bool, VertexErrors*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

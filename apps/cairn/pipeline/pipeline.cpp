#include "pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/data/graph/graph_data.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/known_objects.hpp"
#include "keys/data_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"
#include "pipeline/exact_matrix.hpp"
#include "pipeline/joining_storage.hpp"
#include "pipeline/operator_source.hpp"
#include "pipeline/reuse.hpp"

namespace cairn::app {

namespace {

template <class T>
ResultDescription describe(const Execution& execution, const Settings& settings, const Data<T>& data,
                           const Figures& figures) {
  ResultDescription description;
  description.similarity = figures.similarity;
  description.similarity_parameters = figures.similarity_parameters;
  description.landmark_selection = figures.selection;
  description.precision = figures.precision;
  description.evaluations = figures.evaluations;
  description.error = figures.error;
  describe_data(data, description);
  description.provenance = {{"config", settings.as_config()}, {"seed", std::to_string(execution.seed)}};
  description.provenance["error_over"] = figures.error_over;
  if (figures.symmetric_error) {
    description.figures["symmetric_relative_squared_error"] = figures.symmetric_error->relative_squared_error;
  }
  if (!figures.interpolation) return description;
  const InterpolationReport& report = figures.interpolation->report;
  description.provenance["operator"] = figures.interpolation->operator_kind;
  description.provenance["solver"] = report.solver;
  if (report.largest_row_sum_error) description.figures["row_sum_error"] = *report.largest_row_sum_error;
  if (report.condition_estimate > 0) description.figures["condition_estimate"] = report.condition_estimate;
  return description;
}

// Of the factors and of what joins them, over all ranks.
template <class T>
Index factor_bytes(const Approximation<T>& approximation, const Figures& figures) {
  if (figures.interpolation) return figures.interpolation->left_bytes + figures.interpolation->joining_bytes;
  const Index columns = approximation.left.columns() + (approximation.right ? approximation.right->columns() : 0);
  Index joining = 0;
  if (std::holds_alternative<DiagonalJoining>(approximation.joining)) joining = joining_rows(approximation.joining);
  if (std::holds_alternative<DenseJoining>(approximation.joining)) {
    joining = joining_rows(approximation.joining) * joining_columns(approximation.joining);
  }
  return approximation.left.rows() * columns * static_cast<Index>(sizeof(T)) +
         joining * static_cast<Index>(sizeof(double));
}

// Sets what is said of every run, whatever it computed with.
template <class T>
void complete_figures(const Execution& execution, const Settings& settings, const Data<T>& data,
                      const Approximation<T>& approximation, Figures& figures) {
  figures.objects = data.objects->size();
  figures.dimension = data.dimension();
  if (figures.selection.empty()) figures.selection = settings.text("landmarks.selection");
  figures.method = approximation.report;
  figures.left_columns = approximation.left.columns();
  figures.meaning = approximation.meaning;
  figures.joining = joining_layout(approximation.joining);
  figures.factor_bytes = factor_bytes(approximation, figures);
  figures.seed = execution.seed;
  figures.precision = settings.text("run.precision");
}

// K~ = 0 has the error 1, and the best constant at most that.
void warn_of_useless(const Figures& figures, MethodReport& report) {
  if (!figures.error) return;
  const ErrorEstimate& error = *figures.error;
  const std::string advice =
      report.interpolation
          ? "take method = nystrom or sicur, which do not expect that neighbours have similar values, or more landmarks"
          : "take another method, more landmarks, or drop more eigenvalues (approximation.tolerance) where the method "
            "does";
  if (error.relative_error > 1.0) {
    report.warnings.push_back("the approximation is worse than none at all (its measured error is above 1): " + advice);
  } else if (error.relative_error >= error.constant_error && error.constant_error > 0.0) {
    report.warnings.push_back(
        fmt::format("the approximation is not better than a constant: the mean of K in place of every entry has the "
                    "relative error {:.4g}, and this one has {:.4g}: {}",
                    error.constant_error, error.relative_error, advice));
  }
}

// What biharmonic interpolation made, if the method does.
template <class T>
void describe_interpolation(const Communicator& communicator, Approximation<T>& approximation, Figures& figures) {
  MethodReport& report = approximation.report;
  if (report.flips.edges > 0) {
    if (!figures.flips) report.notes.push_back(note_of(report.flips));  // else the similarity's, of the same mesh
    figures.flips = report.flips;
  }
  if (!report.interpolation) return;
  InterpolationFigures& made = figures.interpolation.emplace();
  made.report = *report.interpolation;
  made.operator_kind = report.operator_kind;
  const SparseRows<T>& rows = approximation.left.sparse();
  made.nonzeros = communicator.sum(rows.own_entries());
  made.left_bytes = made.nonzeros * static_cast<Index>(sizeof(Index) + sizeof(T));
  const SymmetricTiles& tiles = std::get<TilesJoining>(approximation.joining).matrix;
  made.joining_bytes = communicator.sum(tiles.own_bytes());
  made.joining_on_disk = !tiles.in_memory();
  made.joining_number = name_of(tiles.number());
}

// What the method works on. @param known  P of another result, or nothing
template <class T>
Problem<T> problem_of(const Execution& execution, const Settings& settings, const Data<T>& data,
                      const ExactMatrix<T>& exact, Landmarks<T> landmarks,
                      std::optional<ReusedInterpolation<T>> known) {
  const MethodDescriptor& method = method_of(settings);
  // In the order of the vertices neighbours are near each other in W, which is then better compressed.
  if (method.needs.rows && !known && settings.text("landmarks.selection") == "uniform") {
    std::ranges::sort(landmarks.indices);
  }
  Problem<T> problem{execution,
                     *exact.entries,
                     *exact.objects,
                     std::move(landmarks),
                     landmark_count(settings, data.objects->size()),
                     method_values(settings),
                     exact.sources.get()};
  problem.memory = settings.integer_or("run.memory", 0);
  if (known) problem.interpolation = KnownInterpolation<T>{std::move(known->rows), known->path};
  if (!method.needs.rows) return problem;
  const std::vector<Index> indices = problem.landmarks.indices;
  problem.storage = tile_storage(execution.communicator, settings, data, static_cast<Index>(indices.size()));
  problem.geometry = [&execution, &settings, &data, indices] {
    BiharmonicOperator op = make_operator(execution, settings, data);
    if (const auto* mesh = data.template as<TriangleMesh>(); mesh != nullptr && op.kind != "neighbours") {
      require_landmarks_everywhere(execution.communicator, *mesh, indices, largest_component_key);
    }
    return op;
  };
  return problem;
}

}  // namespace

std::string note_of_numbers() {
  return "rows are counted from 0 and have other numbers in the file; these are printed beside them, and --by-number "
         "takes them (as --by-label does if there are no labels)";
}

std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers) {
  std::vector<std::string> all = notes;
  if (numbers.differ_from_rows()) all.push_back(note_of_numbers());
  return all;
}

template <class T>
Data<T> load_data(const Execution& execution, const Settings& settings, const KnownObjects* known) {
  const Values values = data_values(settings);
  return read_data<T>(data_kind(settings), {execution, values, known});
}

template <class T>
Outcome<T> compute(const Execution& execution, const Settings& settings, const Data<T>& data,
                   std::chrono::steady_clock::time_point start) {
  const Communicator& communicator = execution.communicator;
  const MethodDescriptor& method = method_of(settings);
  const Index s1 = landmark_count(settings, data.objects->size());
  auto known = method_reuses_landmarks(settings) ? std::optional(read_reused(execution, settings, data)) : std::nullopt;
  const ExactMatrix<T> exact = make_exact_matrix(execution, settings, data, similarity_choice(settings));
  const auto distances = use_distances(execution, settings, data, exact);
  Index before = 0, restored = 0;
  Landmarks<T> landmarks = known ? std::move(known->landmarks) : select_landmarks(execution, settings, data, exact, s1);
  if (exact.sources) {  // their selection hands on no columns
    before = exact.evaluations();
    restored = exact.restored();
  }
  Figures figures;
  if (known) figures.selection = known->selection;
  Approximation<T> approximation =
      approximate(method, problem_of(execution, settings, data, exact, std::move(landmarks), std::move(known)));
  describe(exact, settings, approximation.report, figures);
  describe_interpolation(communicator, approximation, figures);
  const auto add_notes = [&](std::vector<std::string> notes) {
    for (std::string& note : notes) approximation.report.notes.push_back(std::move(note));
  };
  add_notes(notes_of_reuse(settings, distances.get()));
  add_notes(notes_of(data.notes, data.numbers));
  for (const std::string& warning : data.warnings) approximation.report.warnings.push_back(warning);
  if (method.needs.rows && data.template as<Graph>() != nullptr) {
    add_notes(notes_of_separators(communicator, data.shared_graph));
  }
  figures.similarity = exact.name();
  figures.similarity_parameters = exact.parameters();
  figures.restored_evaluations = communicator.sum(exact.restored() - restored);
  figures.evaluations = communicator.sum(exact.evaluations() - before) + figures.restored_evaluations;
  figures.not_estimated = no_estimate(settings);
  if (figures.not_estimated.empty()) {
    figures.take(measure_error(execution, settings, approximation, exact, estimate_seconds_since(start)));
  }
  warn_of_useless(figures, approximation.report);
  complete_figures(execution, settings, data, approximation, figures);
  ResultDescription description = describe(execution, settings, data, figures);
  return {std::move(approximation), std::move(description), std::move(figures),
          settings.flag("output.distances") ? distances : nullptr};
}

void finish(Context& context, Figures& figures) {
  const Communicator& communicator = context.execution().communicator;
  figures.phases = context.phases().summarize(communicator);
  figures.total_seconds = context.seconds();
  figures.peak_bytes = communicator.maximum(peak_resident_bytes());
}

#define CAIRN_INSTANTIATE(T)                                                          \
  template Data<T> load_data(const Execution&, const Settings&, const KnownObjects*); \
  template Outcome<T> compute(const Execution&, const Settings&, const Data<T>&, std::chrono::steady_clock::time_point);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

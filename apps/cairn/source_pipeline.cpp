#include "source_pipeline.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "approximation/biharmonic.hpp"
#include "biharmonic_plan.hpp"
#include "exact_matrix.hpp"
#include "joining_storage.hpp"
#include "operator_source.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "reuse.hpp"
#include "vertex_data.hpp"

namespace cairn::app {

namespace {

template <class T>
InterpolationFigures interpolation_figures(const Communicator& communicator, const Approximation<T>& approximation,
                                           InterpolationReport report, const std::string& operator_kind) {
  InterpolationFigures figures;
  figures.report = std::move(report);
  figures.operator_kind = operator_kind;
  const SparseRows<T>& rows = approximation.left.sparse();
  figures.nonzeros = communicator.sum(rows.own_entries());
  figures.left_bytes = figures.nonzeros * static_cast<Index>(sizeof(Index) + sizeof(T));
  const SymmetricTiles& tiles = std::get<TilesJoining>(approximation.joining).matrix;
  figures.joining_bytes = communicator.sum(tiles.own_bytes());
  figures.joining_on_disk = !tiles.in_memory();
  figures.joining_number = name_of(tiles.number());
  return figures;
}

// @param l  landmarks
template <class T>
BiharmonicParameters parameters_of(const Execution& execution, const Settings& settings, const Data<T>& data, Index l) {
  const Communicator& communicator = execution.communicator;
  constexpr Index no_baseline = 0;  // work is asked for alone
  PlanInput input = plan_input(communicator, settings, shape_of(communicator, data), communicator.size(), no_baseline);
  input.s1 = l;
  BiharmonicParameters parameters = biharmonic_parameters(settings);
  parameters.storage = joining_storage(communicator, settings, work_beside_joining(input));
  return parameters;
}

// P and W, and what is said of P.
template <class T>
struct Interpolated {
  Approximation<T> approximation;
  InterpolationReport report;
  std::string operator_kind;
  std::string selection;  // of the landmarks
  EdgeFlips flips;        // of the operator's triangles
};

template <class T>
Interpolated<T> interpolate(const Execution& execution, const Settings& settings, const Data<T>& data,
                            const ExactMatrix<T>& exact, const std::vector<Index>& landmarks) {
  const BiharmonicOperator op = make_operator(execution, settings, data);
  if (data.mesh != nullptr && op.kind != "neighbours")
    require_landmarks_everywhere(execution.communicator, *data.mesh, landmarks);
  InterpolationReport report;
  Approximation<T> approximation =
      biharmonic<T>(execution, op, *exact.sources, landmarks,
                    parameters_of(execution, settings, data, static_cast<Index>(landmarks.size())), report);
  for (std::string& note : notes_of_interpolation(settings, report.solver)) {
    approximation.report.notes.push_back(std::move(note));
  }
  return {std::move(approximation), std::move(report), op.kind, settings.text("landmarks.selection"), op.flips};
}

// With P of another result.
template <class T>
Interpolated<T> reuse(const Execution& execution, const Settings& settings, const Data<T>& data,
                      const ExactMatrix<T>& exact, ReusedInterpolation<T> reused) {
  const std::string& path = settings.text("approximation.reuse");
  const auto l = static_cast<Index>(reused.landmarks.size());
  Approximation<T> approximation = biharmonic<T>(execution, std::move(reused.rows), *exact.sources, reused.landmarks,
                                                 parameters_of(execution, settings, data, l));
  approximation.report.notes.push_back("P and its landmarks are those of " + path);
  InterpolationReport report;
  report.solver = "none";
  report.reason = "P is that of " + path;
  return {std::move(approximation), std::move(report), "that of " + path, std::move(reused.selection), {}};
}

}  // namespace

template <class T>
Outcome<T> compute_biharmonic(const Execution& execution, const Settings& settings, const Data<T>& data,
                              std::chrono::steady_clock::time_point start) {
  const Communicator& communicator = execution.communicator;
  const Index l = landmark_count(settings, data.objects->size());
  std::optional<ReusedInterpolation<T>> reused;
  if (!settings.text("approximation.reuse").empty()) reused = read_reused(execution, settings, data);
  const ExactMatrix<T> exact =
      make_exact_matrix(execution, settings, data, settings.text("similarity.search"), similarity_parameters(settings));
  const SourceSimilarity& similarity = *exact.sources;
  Landmarks<T> landmarks = reused ? Landmarks<T>{} : select_landmarks(execution, settings, data, exact, l);
  // In the order of the vertices neighbours are near each other in W, which is then better compressed.
  if (settings.text("landmarks.selection") == "uniform") std::ranges::sort(landmarks.indices);
  const Index before = similarity.evaluations(), restored = similarity.restored();
  Interpolated<T> made = reused ? reuse(execution, settings, data, exact, std::move(*reused))
                                : interpolate(execution, settings, data, exact, landmarks.indices);
  Figures figures;
  if (made.flips.edges > 0) figures.flips = made.flips;
  if (made.flips.edges > 0 && similarity.name() != "geodesic")
    made.approximation.report.notes.push_back(note_of(made.flips));
  describe(exact, settings, made.approximation.report, figures);
  for (std::string& note : notes_of(data)) made.approximation.report.notes.push_back(std::move(note));
  for (std::string& warning : warnings_of(data)) made.approximation.report.warnings.push_back(std::move(warning));
  for (std::string& note : notes_of_separators(communicator, data)) {
    made.approximation.report.notes.push_back(std::move(note));
  }
  figures.selection = made.selection;
  figures.restored_evaluations = communicator.sum(similarity.restored() - restored);
  figures.evaluations = communicator.sum(similarity.evaluations() - before) + figures.restored_evaluations;
  figures.similarity = similarity.name();
  figures.similarity_parameters = similarity.parameters();
  figures.interpolation =
      interpolation_figures(communicator, made.approximation, std::move(made.report), made.operator_kind);
  figures.not_estimated = no_estimate(settings);
  if (figures.not_estimated.empty()) {
    figures.take(measure_error(execution, settings, made.approximation, exact, estimate_seconds_since(start)));
  }
  return finished_outcome(execution, settings, data, std::move(made.approximation), std::move(figures));
}

#define CAIRN_INSTANTIATE(T)                                                                \
  template Outcome<T> compute_biharmonic(const Execution&, const Settings&, const Data<T>&, \
                                         std::chrono::steady_clock::time_point);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

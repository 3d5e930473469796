#include "pipeline/exact_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "cairn/store/result/extension.hpp"
#include "keys/data_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"
#include "pipeline/reuse.hpp"

namespace cairn::app {

namespace {

template <class T>
std::unique_ptr<SourceSimilarity> sources_of(const Execution& execution, const Data<T>& data,
                                             const SimilarityChoice& similarity, bool nearest = false) {
  const SimilarityTraits traits = similarity.traits();
  if (!traits.single_source) {
    const PointSet<T>& points = *data.points();
    return make_point_sources<T>(execution.communicator, make_similarity<T>(execution, similarity, points), points);
  }
  const auto* mesh = data.template as<TriangleMesh>();
  if (mesh != nullptr) require_connected(execution.communicator, *mesh, largest_component_key);
  const SharedGraph* graph = data.template as<Graph>() != nullptr ? &data.shared_graph : nullptr;
  return make_source_similarity(similarity, {execution.communicator, similarity.values, graph, mesh, nearest});
}

// By the distances that K has. Those that come by source are asked for what is nearest to one source at a time. Where
// biharmonic interpolation takes rows of a similarity of points their entries serve here.
template <class T>
Landmarks<T> select_farthest_landmarks(const Execution& execution, const Settings& settings, const Data<T>& data,
                                       const ExactMatrix<T>& exact, Index count) {
  if (!exact.sources) return select_farthest<T>(execution, *exact.entries, *exact.objects, count, true, landmark_keys);
  const SimilarityChoice similarity = similarity_choice(settings);
  if (!similarity.traits().single_source) {
    const auto entries = make_similarity<T>(
        execution, from_resolved(exact.sources->name(), exact.sources->parameters()), *data.points());
    return select_farthest<T>(execution, *entries, *data.points(), count, false, landmark_keys);
  }
  if (data.template as<Graph>() == nullptr)
    return select_farthest<T>(execution, *exact.sources, *data.objects, count, landmark_keys);
  const auto nearest = sources_of(execution, data, similarity, true);
  return select_farthest<T>(execution, *nearest, *data.objects, count, landmark_keys);
}

}  // namespace

template <class T>
ExactMatrix<T> make_exact_matrix(const Execution& execution, const Settings& settings, const Data<T>& data,
                                 const SimilarityChoice& similarity) {
  auto phase = execution.phases.enter("similarity");
  ExactMatrix<T> exact;
  exact.objects = data.objects.get();
  if (!by_source(settings)) {
    if (data.positions) exact.objects = data.positions.get();
    exact.entries = make_similarity<T>(execution, similarity, *exact.objects);
    phase.count_evaluations(exact.evaluations());
    return exact;
  }
  exact.sources = sources_of(execution, data, similarity);
  exact.entries = std::make_unique<SourceEntries<T>>(*exact.sources);
  return exact;
}

std::string note_of(const EdgeFlips& flips) {
  return fmt::format("{} of {} edges of the surface were flipped to make its triangles Delaunay",
                     grouped(flips.flipped), grouped(flips.edges));
}

template <class T>
std::vector<std::string> notes_of(const ExactMatrix<T>& exact, const Settings& settings) {
  if (const auto* geodesic = dynamic_cast<const Geodesic*>(exact.sources.get()))
    return {note_of(geodesic->flips()), geodesic->check().summary()};
  const auto* paths = dynamic_cast<const PathLength*>(exact.sources.get());
  if (paths == nullptr || settings.text("similarity.search") != "auto") return {};
  return {fmt::format("search {}: {}", paths->method(), paths->choice())};
}

template <class T>
void describe(const ExactMatrix<T>& exact, const Settings& settings, MethodReport& report, Figures& figures) {
  for (std::string& note : notes_of(exact, settings)) report.notes.push_back(std::move(note));
  for (std::string& warning : warnings_of(exact.sources.get())) report.warnings.push_back(std::move(warning));
  if (const auto* geodesic = dynamic_cast<const Geodesic*>(exact.sources.get())) {
    figures.flips = geodesic->flips();
    figures.geodesics = geodesic->check();
  }
}

template <class T>
Landmarks<T> select_landmarks(const Execution& execution, const Settings& settings, const Data<T>& data,
                              const ExactMatrix<T>& exact, Index count) {
  const std::string& selection = settings.text("landmarks.selection");
  if (!method_of(settings).needs.landmarks) return {};
  if (selection == "uniform") return select_uniform<T>(execution, *exact.objects, count, landmark_keys);
  if (selection == "file") {
    const std::string& path = settings.required("landmarks.path");
    const auto warning =
        check_landmark_file(execution.communicator, "landmarks.path", path, data.objects->size(), data.digest);
    if (warning) log(LogLevel::warning, *warning);
    return read_landmarks<T>(execution, *exact.objects, path, count, landmark_keys);
  }
  if (selection == "farthest") return select_farthest_landmarks(execution, settings, data, exact, count);
  return select_rpcholesky<T>(execution, *exact.entries, *exact.objects, count, landmark_keys);
}

template <class T>
MeasuredError measure_error(const Execution& execution, const Settings& settings, const Approximation<T>& approximation,
                            const ExactMatrix<T>& exact, double seconds, VertexErrors* by_vertex) {
  const EstimateEffort effort = estimate_effort(settings, exact.objects->size(), seconds);
  if (exact.sources) {
    RowErrors details;
    const bool one_sided = !exact.sources->symmetric_by_construction();
    MeasuredError error{error_over_rows(execution, approximation, *exact.sources, effort,
                                        one_sided || by_vertex != nullptr ? &details : nullptr),
                        "rows",
                        {}};
    if (one_sided) error.symmetric = details.symmetric;
    if (by_vertex != nullptr) *by_vertex = std::move(details.by_vertex);
    return error;
  }
  if (settings.given("evaluation.rows")) {
    return {error_over_rows(execution, approximation, *exact.entries, *exact.objects, *effort.count, effort.keys),
            "rows",
            {}};
  }
  return {probe_error(execution, approximation, *exact.entries, *exact.objects, effort), "pairs", {}};
}

double estimate_seconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start;
  return seconds_for_estimate(so_far.count());
}

#define CAIRN_INSTANTIATE(T)                                                                                       \
  template ExactMatrix<T> make_exact_matrix(const Execution&, const Settings&, const Data<T>&,                     \
                                            const SimilarityChoice&);                                              \
  template std::vector<std::string> notes_of(const ExactMatrix<T>&, const Settings&);                              \
  template void describe(const ExactMatrix<T>&, const Settings&, MethodReport&, Figures&);                         \
  template Landmarks<T> select_landmarks(const Execution&, const Settings&, const Data<T>&, const ExactMatrix<T>&, \
                                         Index);                                                                   \
  template MeasuredError measure_error(const Execution&, const Settings&, const Approximation<T>&,                 \
                                       const ExactMatrix<T>&, double, VertexErrors*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

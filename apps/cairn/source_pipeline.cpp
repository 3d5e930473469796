#include "source_pipeline.hpp"

#include <fmt/format.h>

#include "approximation/biharmonic.hpp"
#include "evaluation/exact_error.hpp"
#include "landmark/landmarks.hpp"
#include "operator_source.hpp"
#include "problem.hpp"
#include "similarity/geodesic.hpp"
#include "similarity/path_length.hpp"
#include "similarity/point_sources.hpp"
#include "units.hpp"
#include "vertex_data.hpp"

namespace cairn::app {

namespace {

void require_connected(const TriangleMesh& mesh) {
  if (mesh.report().components <= 1 || mesh.report().dropped_vertices > 0) return;
  throw Error(ErrorKind::input, fmt::format("the mesh is in {} pieces; no path leads from one to another. Set "
                                            "data.largest-component = true to keep the largest alone",
                                            grouped(mesh.report().components)));
}

template <class T>
Landmarks<T> select_vertices(const Execution& execution, const Settings& settings, const ObjectSet& objects,
                             Index count) {
  const std::string& selection = settings.text("landmarks.selection");
  if (selection == "uniform") return select_uniform<T>(execution, objects, count);
  if (selection == "file") return read_landmarks<T>(execution, objects, settings.required("landmarks.path"), count);
  throw Error(ErrorKind::usage,
              fmt::format("{} = {} needs single entries of the matrix, and {} come by whole rows; "
                          "landmarks are uniform or from a file",
                          settings.where("landmarks.selection"), selection, similarity_kind(settings)));
}

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
  Index own_bytes = 0;
  for (Index tile = 0; tile < tiles.tiles(); ++tile) {
    if (tiles.mine(tile)) own_bytes += static_cast<Index>(tiles.bytes(tile).size());
  }
  figures.joining_bytes = communicator.sum(own_bytes);
  figures.joining_number = name_of(tiles.number());
  return figures;
}

}  // namespace

template <class T>
std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution& execution, const Settings& settings,
                                                         const Data<T>& data, const std::string& search,
                                                         const SimilarityParameters& resolved) {
  const auto phase = execution.phases.enter("similarity");
  const std::string kind = similarity_kind(settings);
  if (kind == "path-length") return make_path_length(execution.communicator, data.shared_graph, search);
  if (kind == "geodesic") {
    require_connected(*data.mesh);
    GeodesicParameters parameters;
    parameters.time_factor = settings.number("similarity.time-factor");
    parameters.boundary = settings.text("similarity.boundary");
    return make_geodesic(execution.communicator, *data.mesh, parameters);
  }
  const PointSet<T>& points = points_of(data);
  return make_point_sources<T>(execution.communicator, make_similarity<T>(execution, resolved, points), points);
}

template <class T>
Outcome<T> compute_biharmonic(const Execution& execution, const Settings& settings, const Data<T>& data) {
  const Communicator& communicator = execution.communicator;
  const Index l = landmark_count(settings, data.objects->size());
  Landmarks<T> landmarks = select_vertices<T>(execution, settings, *data.objects, l);
  const auto similarity = make_source_similarity(execution, settings, data, settings.text("similarity.search"),
                                                 similarity_parameters(settings));
  const BiharmonicOperator op = make_operator(execution, settings, data);
  InterpolationReport report;
  Approximation<T> approximation =
      biharmonic<T>(execution, op, *similarity, landmarks.indices, biharmonic_parameters(settings), report);
  for (std::string& note : notes_of(data)) approximation.report.notes.push_back(std::move(note));
  Figures figures;
  figures.evaluations = communicator.sum(similarity->evaluations());
  figures.similarity = similarity->name();
  figures.similarity_parameters = similarity->parameters();
  figures.interpolation = interpolation_figures(communicator, approximation, std::move(report), op.kind);
  figures.error_over = "rows";
  RowErrors details;
  const bool one_sided = !similarity->symmetric_by_construction();
  figures.error = error_over_rows(execution, approximation, *similarity,
                                  evaluation_rows(settings, data.objects->size()), one_sided ? &details : nullptr);
  if (one_sided) figures.symmetric_error = details.symmetric;
  return finished_outcome(execution, settings, data, std::move(approximation), std::move(figures));
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution&, const Settings&, const Data<T>&, \
                                                                    const std::string&, const SimilarityParameters&);  \
  template Outcome<T> compute_biharmonic(const Execution&, const Settings&, const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

#include "source_pipeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "approximation/biharmonic.hpp"
#include "data/digest.hpp"
#include "evaluation/exact_error.hpp"
#include "landmark/landmarks.hpp"
#include "operator/cotangent_operator.hpp"
#include "operator/graph_operator.hpp"
#include "operator/neighbour_operator.hpp"
#include "problem.hpp"
#include "similarity/geodesic.hpp"
#include "similarity/path_length.hpp"
#include "similarity/point_sources.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

// No path leads from one piece to another: the user decides which piece is meant.
void require_connected(const Communicator& communicator, const Graph& graph) {
  if (graph.report().components <= 1 || graph.report().dropped_vertices > 0) return;
  Components components = connected_components(communicator, graph);
  if (components.count <= 1) return;
  std::stable_sort(components.sizes.begin(), components.sizes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t most_named = 3;
  std::vector<std::string> sizes, vertices;
  for (const auto& [vertex, size] : components.sizes) {
    if (sizes.size() == most_named) break;
    sizes.push_back(grouped(size));
    vertices.push_back(std::to_string(vertex));
  }
  throw Error(ErrorKind::input,
              fmt::format("the graph is in {} pieces, the largest of {} vertices (those of the vertices {}); no path "
                          "leads from one to another. Set data.largest-component = true to keep the largest alone",
                          grouped(components.count), fmt::join(sizes, ", "), fmt::join(vertices, ", ")));
}

// Vertices that are numbered anew carry their numbers in the file as labels.
std::vector<std::string> labels_of(const std::vector<Index>& original_ids) {
  std::vector<std::string> labels;
  for (const Index id : original_ids) labels.push_back(std::to_string(id));
  return labels;
}

// What reading the graph changed, in sentences for the user.
std::vector<std::string> notes_of(const GraphReport& report) {
  std::vector<std::string> notes;
  if (report.self_loops > 0)
    notes.push_back(fmt::format("{} loops of the graph were dropped", grouped(report.self_loops)));
  if (report.repeated_edges > 0) {
    notes.push_back(fmt::format("{} edges that came more than once, in either direction, were taken once",
                                grouped(report.repeated_edges)));
  }
  if (report.dropped_vertices > 0) {
    notes.push_back(fmt::format("{} vertices outside the largest of {} components were dropped",
                                grouped(report.dropped_vertices), grouped(report.components)));
  }
  return notes;
}

std::vector<std::string> notes_of(const MeshReport& report) {
  std::vector<std::string> notes;
  if (report.unused_vertices > 0) {
    notes.push_back(fmt::format("{} vertices without triangle were dropped", grouped(report.unused_vertices)));
  }
  if (report.degenerate_triangles > 0 && report.degenerate_dropped) {
    notes.push_back(fmt::format("{} triangles of zero area were dropped", grouped(report.degenerate_triangles)));
  }
  if (report.boundary_edges > 0) {
    notes.push_back(fmt::format("the surface has a boundary of {} edges", grouped(report.boundary_edges)));
  }
  if (report.dropped_vertices > 0) {
    notes.push_back(fmt::format("{} vertices outside the largest of {} components were dropped",
                                grouped(report.dropped_vertices), grouped(report.components)));
  }
  return notes;
}

// The coordinates of a mesh as points of their own, and with them what the similarities of points are defined on.
template <class T>
std::shared_ptr<PointSet<T>> positions_of(const Communicator& communicator, const TriangleMesh& mesh) {
  RowBlock<T> rows(mesh.partition(), communicator.rank(), 3);
  for (Index v = mesh.range().begin; v < mesh.range().end; ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis) rows.row(v)[axis] = static_cast<T>(mesh.vertex(v)[axis]);
  }
  return std::make_shared<PointSet<T>>(std::move(rows), communicator.rank(), std::vector<std::string>{});
}

// Of coordinates and triangles. FNV-1a over the triangles, which every rank has.
template <class T>
std::uint64_t mesh_digest(const Communicator& communicator, const TriangleMesh& mesh, const PointSet<T>& positions) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::int32_t vertex : mesh.triangles().values()) {
    hash = (hash ^ static_cast<std::uint64_t>(vertex)) * 0x100000001b3ULL;
  }
  return data_digest(communicator, positions) ^ hash;
}

void require_connected(const TriangleMesh& mesh) {
  if (mesh.report().components <= 1 || mesh.report().dropped_vertices > 0) return;
  throw Error(ErrorKind::input, fmt::format("the mesh is in {} pieces; no path leads from one to another. Set "
                                            "data.largest-component = true to keep the largest alone",
                                            grouped(mesh.report().components)));
}

template <class T>
const PointSet<T>& points_of(const Data<T>& data) {
  return data.points != nullptr ? *data.points : *data.positions;
}

template <class T>
BiharmonicOperator make_operator(const Execution& execution, const Settings& settings, const Data<T>& data) {
  const auto phase = execution.phases.enter("operator");
  const std::string kind = operator_kind(settings);
  if (kind == "graph") return graph_operator(execution.communicator, data.shared_graph);
  if (kind == "cotangent") return cotangent_operator(execution.communicator, *data.mesh);
  NeighbourParameters parameters;
  parameters.neighbours = settings.integer("approximation.neighbours");
  parameters.perplexity = settings.number("approximation.perplexity");
  return neighbour_operator(execution, points_of(data), parameters);
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
Data<T> load_graph(const Execution& execution, const Settings& settings) {
  const Communicator& communicator = execution.communicator;
  auto graph = std::make_unique<Graph>(read_graph(communicator, graph_source(settings)));
  require_connected(communicator, *graph);
  Data<T> data;
  data.digest = data_digest(communicator, *graph);
  data.shared_graph = graph->share(communicator);
  data.vertex_labels = labels_of(graph->report().original_ids);
  data.graph = graph.get();
  data.objects = std::move(graph);
  return data;
}

template <class T>
Data<T> load_mesh(const Execution& execution, const Settings& settings) {
  const Communicator& communicator = execution.communicator;
  auto mesh = std::make_unique<TriangleMesh>(read_mesh(communicator, mesh_source(settings)));
  Data<T> data;
  data.positions = positions_of<T>(communicator, *mesh);
  data.digest = mesh_digest(communicator, *mesh, *data.positions);
  data.vertex_labels = labels_of(mesh->report().original_ids);
  data.mesh = mesh.get();
  data.objects = std::move(mesh);
  return data;
}

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
  std::vector<std::string> notes;
  if (data.graph != nullptr) notes = notes_of(data.graph->report());
  if (data.mesh != nullptr) notes = notes_of(data.mesh->report());
  for (std::string& note : notes) approximation.report.notes.push_back(std::move(note));
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
  template Data<T> load_graph(const Execution&, const Settings&);                                                      \
  template Data<T> load_mesh(const Execution&, const Settings&);                                                       \
  template std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution&, const Settings&, const Data<T>&, \
                                                                    const std::string&, const SimilarityParameters&);  \
  template Outcome<T> compute_biharmonic(const Execution&, const Settings&, const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

#include "vertex_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/digest.hpp"
#include "problem.hpp"
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
std::vector<std::string> notes_of(const Data<T>& data) {
  if (data.graph != nullptr) return notes_of(data.graph->report());
  if (data.mesh != nullptr) return notes_of(data.mesh->report());
  return {};
}

#define CAIRN_INSTANTIATE(T)                                      \
  template Data<T> load_graph(const Execution&, const Settings&); \
  template Data<T> load_mesh(const Execution&, const Settings&);  \
  template std::vector<std::string> notes_of(const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

#include "vertex_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/graph/level_separator.hpp"
#include "cairn/parameters/units.hpp"
#include "data_report.hpp"
#include "document_data.hpp"
#include "problem.hpp"
#include "row_names.hpp"

namespace cairn::app {

namespace {

// A connected piece of the data: its first vertex, as the file numbers it (those of a mesh from 0), and its size.
struct Piece {
  Index vertex = 0;
  Index size = 0;
};

// The numbers in the file of some vertices, the same list on every rank. @param original_ids  of own vertices, or empty
// everywhere: then vertex v is first_id + v. Collective.
std::vector<Index> numbers_in_file(const Communicator& communicator, Range own, bool renumbered, Index first_id,
                                   const std::vector<Index>& original_ids, std::vector<Index> vertices) {
  for (Index& vertex : vertices) {
    if (!renumbered) {
      vertex += first_id;
    } else {
      vertex = own.contains(vertex) ? original_ids[static_cast<std::size_t>(vertex - own.begin)] : 0;
    }
  }
  if (renumbered) communicator.sum(std::span(vertices));
  return vertices;
}

// Path lengths and geodesics do not exist between pieces: the user decides which one is meant.
// @param numbering  how the file's numbers are to be read
[[noreturn]] void report_pieces(const std::string& kind, Index count, const std::vector<Piece>& largest,
                                const std::string& numbering) {
  std::vector<std::string> sizes, vertices;
  for (const Piece& piece : largest) {
    sizes.push_back(grouped(piece.size));
    vertices.push_back(std::to_string(piece.vertex));
  }
  throw Error(ErrorKind::input,
              fmt::format("the {} is in {} pieces, the largest of {} vertices (those of the vertices {} {}); no "
                          "path leads from one to another. Set data.largest-component = true to keep the largest alone",
                          kind, grouped(count), fmt::join(sizes, ", "), fmt::join(vertices, ", "), numbering));
}

constexpr std::size_t most_named = 3;

void require_connected(const Communicator& communicator, const Graph& graph, const std::string& numbering) {
  const GraphReport& report = graph.report();
  if (report.components <= 1 || report.dropped_vertices > 0) return;
  Components components = connected_components(communicator, graph);
  if (components.count <= 1) return;
  std::stable_sort(components.sizes.begin(), components.sizes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  components.sizes.resize(std::min(components.sizes.size(), most_named));
  std::vector<Index> first;
  for (const auto& [vertex, size] : components.sizes) first.push_back(vertex);
  first = numbers_in_file(communicator, graph.range(), report.renumbered, report.first_id, report.original_ids, first);
  std::vector<Piece> largest;
  for (std::size_t k = 0; k < first.size(); ++k) largest.push_back({first[k], components.sizes[k].second});
  report_pieces("graph", components.count, largest, numbering);
}

// The pieces of a mesh, those that come first in the numbers of vertices first. Collective.
std::vector<Piece> pieces_of(const Communicator& communicator, const TriangleMesh& mesh,
                             const std::vector<Index>& component) {
  std::vector<Piece> pieces;
  std::vector<Index> first;
  for (std::size_t v = 0; v < component.size(); ++v) {
    const auto k = static_cast<std::size_t>(component[v]);
    if (k == pieces.size()) pieces.emplace_back(), first.push_back(static_cast<Index>(v));
    ++pieces[k].size;
  }
  const std::vector<Index>& original_ids = mesh.report().original_ids;
  const bool renumbered = communicator.sum(static_cast<Index>(original_ids.size())) > 0;
  first = numbers_in_file(communicator, mesh.range(), renumbered, 0, original_ids, first);
  for (std::size_t k = 0; k < pieces.size(); ++k) pieces[k].vertex = first[k];
  return pieces;
}

bool in_pieces(const TriangleMesh& mesh) { return mesh.report().components > 1 && mesh.report().dropped_vertices == 0; }

// What reading the graph changed, in sentences for the user.
std::vector<std::string> notes_of(const GraphReport& report) {
  std::vector<std::string> notes;
  if (report.self_loops > 0)
    notes.push_back(fmt::format("{} loops of the graph were dropped", grouped(report.self_loops)));
  if (report.repeated_edges > 0) {
    notes.push_back(fmt::format("{} edges that came more than once, in either direction, were taken once",
                                grouped(report.repeated_edges)));
  }
  if (report.different_lengths > 0) {
    notes.push_back(fmt::format("{} pairs of vertices had two different lengths; the shorter is taken",
                                grouped(report.different_lengths)));
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
  require_connected(communicator, *graph, settings.given("data.generate") ? "of the grid, from 0" : "in the file");
  Data<T> data;
  data.digest = data_digest(communicator, *graph);
  data.shared_graph = graph->share(communicator);
  const GraphReport& report = graph->report();
  data.numbers = report.renumbered ? listed_numbers(communicator, graph->range(), report.original_ids)
                                   : NumbersInFile{.first = report.first_id};
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
  data.numbers = listed_numbers(communicator, mesh->range(), mesh->report().original_ids);
  data.mesh = mesh.get();
  data.objects = std::move(mesh);
  return data;
}

void require_connected(const Communicator& communicator, const TriangleMesh& mesh) {
  if (!in_pieces(mesh)) return;
  std::vector<Piece> pieces = pieces_of(communicator, mesh, components_of_vertices(mesh));
  const auto count = static_cast<Index>(pieces.size());
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.size > b.size; });
  pieces.resize(std::min(pieces.size(), most_named));
  report_pieces("mesh", count, pieces, "of the file, from 0");
}

void require_landmarks_everywhere(const Communicator& communicator, const TriangleMesh& mesh,
                                  const std::vector<Index>& landmarks) {
  if (!in_pieces(mesh)) return;
  const std::vector<Index> component = components_of_vertices(mesh);
  const std::vector<Piece> pieces = pieces_of(communicator, mesh, component);
  std::vector<bool> held(pieces.size(), false);
  for (const Index landmark : landmarks) {
    held[static_cast<std::size_t>(component[static_cast<std::size_t>(landmark)])] = true;
  }
  const auto missed = std::find(held.begin(), held.end(), false);
  if (missed == held.end()) return;
  const Piece& piece = pieces[static_cast<std::size_t>(missed - held.begin())];
  throw Error(
      ErrorKind::input,
      fmt::format(
          "the piece of the mesh that vertex {} of the file, from 0, belongs to ({} vertices) holds no landmark; "
          "take landmarks in every piece, or the largest alone (data.largest-component = true)",
          piece.vertex, grouped(piece.size)));
}

namespace {

template <class T>
std::vector<std::string> notes_of_reader(const Data<T>& data) {
  if (data.graph != nullptr) return notes_of(data.graph->report());
  if (data.mesh != nullptr) return notes_of(data.mesh->report());
  if (data.documents != nullptr) return app::notes_of(data.document_report);
  if (data.points != nullptr) return app::notes_of(data.point_report);
  return {};
}

}  // namespace

template <class T>
std::vector<std::string> notes_of(const Data<T>& data) {
  std::vector<std::string> notes = notes_of_reader(data);
  if (data.numbers.differ_from_rows()) notes.push_back(note_of_numbers());
  return notes;
}

template <class T>
std::vector<std::string> warnings_of(const Data<T>& data) {
  return data.documents != nullptr ? app::warnings_of(data.document_report) : std::vector<std::string>();
}

template <class T>
std::vector<std::string> notes_of_separators(const Communicator& communicator, const Data<T>& data) {
  constexpr double high_degree = 8.0, small_share = 0.2;
  if (data.graph == nullptr) return {};
  const auto n = static_cast<double>(data.shared_graph.vertices());
  const double degree = static_cast<double>(data.shared_graph.arcs()) / n;
  if (degree <= high_degree) return {};
  Index separator = 0;
  collectively(communicator, [&] {
    if (communicator.is_root()) separator = level_separator(data.shared_graph);
  });
  communicator.broadcast(std::span(&separator, 1), 0);
  if (static_cast<double>(separator) <= small_share * n) return {};
  return {fmt::format(
      "the graph has a mean degree of {:.3g} and no small separators, as social, e-mail and citation graphs do: values "
      "are not smooth over its neighbourhoods, and approximation.method = nystrom or sicur is likely to do better",
      degree)};
}

#define CAIRN_INSTANTIATE(T)                                      \
  template Data<T> load_graph(const Execution&, const Settings&); \
  template Data<T> load_mesh(const Execution&, const Settings&);  \
  template std::vector<std::string> notes_of(const Data<T>&);     \
  template std::vector<std::string> warnings_of(const Data<T>&);  \
  template std::vector<std::string> notes_of_separators(const Communicator&, const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

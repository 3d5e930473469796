// Triangle meshes as a kind of data.
#include "cairn/data/mesh/mesh_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/graph/pieces.hpp"
#include "cairn/data/mesh/mesh_cleaning.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

MeshSource source_of(const Values& values) {
  MeshSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.generator = values.text("generate");
  source.format = values.text("format");
  source.largest_component = values.flag("largest-component");
  source.drop_unused = values.flag("drop-unused");
  source.drop_degenerate = values.flag("drop-degenerate");
  if (!source.generator.empty()) source.points = values.integer("points");
  return source;
}

// The pieces of a mesh, in the order of their first vertices. Collective.
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
  first = vertices_in_file(communicator, mesh.range(), renumbered, 0, original_ids, first);
  for (std::size_t k = 0; k < pieces.size(); ++k) pieces[k].vertex = std::to_string(first[k]);
  return pieces;
}

bool in_pieces(const TriangleMesh& mesh) { return mesh.report().components > 1 && mesh.report().dropped_vertices == 0; }

std::vector<std::string> notes_of(const MeshReport& report, const EqualPositions& positions) {
  std::vector<std::string> notes;
  if (positions.merged > 0) {
    notes.push_back(
        fmt::format("{} vertices at the positions of others were merged with these", grouped(positions.merged)));
  }
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

// Empty if there are no vertices at equal positions.
std::string cuts_of(Index equal, const KeyNames& keys) {
  if (equal == 0) return "";
  return fmt::format("{} vertices lie exactly where others do, and are not joined to these; {} = true makes them one",
                     grouped(equal), keys("merge-vertices"));
}
std::string cuts_of(const TriangleMesh& mesh) {
  return cuts_of(count_equal_positions(mesh.coordinates().values()), mesh.report().keys);
}

std::vector<std::string> warnings_of(const MeshReport& report, const EqualPositions& positions) {
  // A surface without boundary has no cuts.
  if (positions.kept == 0 || (report.boundary_edges == 0 && report.dropped_vertices == 0)) return {};
  return {"the surface may be cut: " + cuts_of(positions.kept, report.keys)};
}

// The coordinates of a mesh as a point set, on which the similarities of points are defined.
template <class T>
std::shared_ptr<PointSet<T>> positions_of(const Communicator& communicator, const TriangleMesh& mesh) {
  RowBlock<T> rows(mesh.partition(), communicator.rank(), 3);
  for (Index v = mesh.range().begin; v < mesh.range().end; ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis) rows.row(v)[axis] = static_cast<T>(mesh.vertex(v)[axis]);
  }
  return std::make_shared<PointSet<T>>(std::move(rows), communicator.rank(), std::vector<std::string>{});
}

// Digest of coordinates and triangles; FNV-1a over the triangles, which every rank has.
template <class T>
std::uint64_t mesh_digest(const Communicator& communicator, const TriangleMesh& mesh, const PointSet<T>& positions) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::int32_t vertex : mesh.triangles().values()) {
    hash = (hash ^ static_cast<std::uint64_t>(vertex)) * 0x100000001b3ULL;
  }
  return data_digest(communicator, positions) ^ hash;
}

template <class T>
Data<T> read(const DataInput& input, const MeshSource& source) {
  const Communicator& communicator = input.execution.communicator;
  EqualPositions equal{.merge = input.values.flag("merge-vertices")};
  auto mesh = std::make_unique<TriangleMesh>(read_mesh(communicator, source, equal));
  Data<T> data;
  const auto positions = positions_of<T>(communicator, *mesh);
  data.digest = mesh_digest(communicator, *mesh, *positions);
  data.positions = positions;
  data.numbers = listed_numbers(communicator, mesh->range(), mesh->report().original_ids);
  data.notes = notes_of(mesh->report(), equal);
  data.warnings = warnings_of(mesh->report(), equal);
  const Index triangles = mesh->triangle_count();
  data.facts = {
      {"mesh",
       fmt::format("{} vertices, {} triangle{}", grouped(mesh->size()), grouped(triangles), triangles == 1 ? "" : "s"),
       "vertices", mesh->size()},
      {"", "", "triangles", triangles}};
  data.objects = std::move(mesh);
  return data;
}

template <class T>
Data<T> read(const DataInput& input) {
  return read<T>(input, source_of(input.values));
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  return {
      path("The file with the mesh."),
      format({"obj", "off", "ply", "gifti"}, "ply in text or binary form."),
      largest_component("otherwise several pieces are an error if the similarity is geodesic."),
      {.name = "merge-vertices",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help = "Make vertices at exactly equal positions one, that with the smallest number: for files whose triangles "
               "do not share their vertices, or whose surface is cut along seams."},
      {.name = "drop-unused",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help = "Leave out vertices that belong to no triangle; otherwise they are an error."},
      {.name = "drop-degenerate",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help = "Leave out triangles of zero area, also those that have a vertex twice. Otherwise the latter are an "
               "error, and all of them if angles count: for the operator cotangent and for geodesics."},
      generate({"sphere", "torus", "swiss-roll"}, "."),
      count("Number of vertices to generate: as many as the form allows, at most this."),
  };
}

}  // namespace

void require_connected(const Communicator& communicator, const TriangleMesh& mesh, const std::string& key) {
  if (!in_pieces(mesh)) return;
  std::vector<Piece> pieces = pieces_of(communicator, mesh, components_of_vertices(mesh));
  const auto count = static_cast<Index>(pieces.size());
  const Index single = std::ranges::count(pieces, 1, &Piece::size);
  refuse_pieces("mesh", count, single, std::move(pieces), "of the file, from 0", key, cuts_of(mesh));
}

void require_landmarks_everywhere(const Communicator& communicator, const TriangleMesh& mesh,
                                  const std::vector<Index>& landmarks, const std::string& key) {
  if (!in_pieces(mesh)) return;
  const std::vector<Index> component = components_of_vertices(mesh);
  const std::vector<Piece> pieces = pieces_of(communicator, mesh, component);
  std::vector<bool> held(pieces.size(), false);
  for (const Index landmark : landmarks) {
    held[component[landmark]] = true;
  }
  const auto missed = std::ranges::find(held, false);
  if (missed == held.end()) return;
  const std::string cuts = cuts_of(mesh);
  const Piece& piece = pieces[missed - held.begin()];
  throw Error(ErrorKind::input,
              fmt::format("the piece of the mesh that vertex {} of the file, from 0, belongs to ({} vertices) holds no "
                          "landmark; take landmarks in every piece, or only the largest ({} = true){}",
                          piece.vertex, grouped(piece.size), key, cuts.empty() ? "" : ". " + cuts));
}

template <class T>
Data<T> data_of(const DataInput& input, MeshArrays arrays) {
  MeshSource source = source_of(input.values);
  source.arrays = std::make_shared<const MeshArrays>(std::move(arrays));
  return read<T>(input, source);
}
template Data<float> data_of(const DataInput&, MeshArrays);
template Data<double> data_of(const DataInput&, MeshArrays);

const DataKind& mesh_data() {
  static const DataKind kind = {
      .name = "mesh",
      .summary = "The vertices of a triangle mesh.",
      .subject = "mesh is",
      .objects = objects::mesh_vertices,
      .parameters = parameters(),
      .operators = {"cotangent", "graph", "neighbours"},
      .of_files = {"path", "format"},
      .of_generators = {"points"},
      .of_places = {"path", "format", "generate", "points"},
      .check = [](const Values& values) { static_cast<void>(source_of(values)); },
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn

#include "cairn/data/mesh/triangle_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/base/mpi/root_reading.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/mesh/mesh_cleaning.hpp"
#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

namespace {

constexpr const char* known_formats = "obj, off, ply and gifti";

std::string mesh_format(const MeshSource& source) {
  if (!source.format.empty()) return source.format;
  const std::string name = without_compression(source.path);
  for (const auto& [ending, format] :
       {std::pair{".obj", "obj"}, {".off", "off"}, {".ply", "ply"}, {".gii", "gifti"}, {".gifti", "gifti"}}) {
    if (name.ends_with(ending)) return format;
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format of the mesh; name it with {}: {}",
                                            source.path, source.keys("format"), known_formats));
}

MeshFile read_or_generate(const MeshSource& source) {
  if (source.arrays) {
    MeshFile mesh;
    mesh.path = "the mesh";
    mesh.coordinates = source.arrays->coordinates;
    mesh.triangles = source.arrays->triangles;
    return mesh;
  }
  if (!source.generator.empty()) return generate_mesh(source.generator, source.points, source.keys);
  const std::string format = mesh_format(source);
  if (format == "obj") return read_obj(source.path);
  if (format == "off") return read_off(source.path);
  if (format == "ply") return read_ply(source.path);
  if (format == "gifti") return read_gifti(source.path);
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known for a mesh; there are {}", source.keys("format"),
                                            format, known_formats));
}

void check_coordinates(const MeshFile& mesh) {
  for (Index k = 0; k < static_cast<Index>(mesh.coordinates.size()); ++k) {
    if (std::isfinite(mesh.coordinates[k])) continue;
    throw Error(ErrorKind::input,
                fmt::format("{}: vertex {}: a coordinate is not finite", mesh.path, k / 3 + mesh.first_number));
  }
  if (mesh.vertices() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::resource, fmt::format("{}: {} vertices; 2^31 - 1 is the most", mesh.path, mesh.vertices()));
  }
}

void drop_unused(MeshFile& mesh, const MeshSource& source, MeshReport& report) {
  const std::vector<bool> used = used_vertices(mesh);
  report.unused_vertices = std::count(used.begin(), used.end(), false);
  if (report.unused_vertices == 0) return;
  if (!source.drop_unused) {
    const auto first = std::find(used.begin(), used.end(), false) - used.begin();
    throw Error(ErrorKind::input, fmt::format("{}: {} of {} vertices belong to no triangle (vertex {} is the first); "
                                              "{} = true leaves them out",
                                              mesh.path, report.unused_vertices, mesh.vertices(),
                                              first + mesh.first_number, source.keys("drop-unused")));
  }
  keep_vertices(mesh, used, report.original_ids);
}

void keep_largest(MeshFile& mesh, const MeshSource& source, MeshReport& report) {
  const MeshComponents components = mesh_components(mesh.vertices(), mesh.triangles);
  report.components = static_cast<Index>(components.sizes.size());
  if (!source.largest_component || report.components == 1) return;
  const auto largest = std::max_element(components.sizes.begin(), components.sizes.end()) - components.sizes.begin();
  std::vector<bool> keep(components.of_vertex.size());
  for (std::size_t v = 0; v < keep.size(); ++v) keep[v] = components.of_vertex[v] == largest;
  report.dropped_vertices = mesh.vertices() - components.sizes[largest];
  keep_vertices(mesh, keep, report.original_ids);
}

// Reads and checks the mesh on one rank; its report has the numbers of all vertices.
MeshFile read_and_clean(const MeshSource& source, MeshReport& report, EqualPositions& positions) {
  MeshFile mesh = read_or_generate(source);
  check_coordinates(mesh);
  check_triangles(mesh);
  if (positions.merge) positions.merged = merge_equal_positions(mesh, report.original_ids);
  if (!source.drop_degenerate) refuse_repeated_corners(mesh, source.keys("drop-degenerate"));
  report.degenerate_dropped = source.drop_degenerate;
  report.degenerate_triangles = source.drop_degenerate ? drop_degenerate(mesh) : count_degenerate(mesh);
  if (mesh.triangles.empty()) throw Error(ErrorKind::input, mesh.path + ": has no triangles");
  drop_unused(mesh, source, report);
  if (!positions.merge) positions.kept = count_equal_positions(mesh.coordinates);
  keep_largest(mesh, source, report);
  report.boundary_edges = count_boundary_edges(mesh);
  return mesh;
}

// Sends rank 0's counts to every rank, and its part of the numbers to each rank.
void share_report(const Communicator& communicator, MeshReport& report, EqualPositions& positions,
                  RowPartition& partition, Index vertices) {
  std::vector<Index> metrics{
      vertices,          report.unused_vertices,  report.degenerate_triangles,         report.boundary_edges,
      report.components, report.dropped_vertices, report.original_ids.empty() ? 0 : 1, positions.merged,
      positions.kept};
  communicator.broadcast(std::span(metrics), 0);
  partition = RowPartition(metrics[0], communicator.size());
  report.unused_vertices = metrics[1];
  report.degenerate_triangles = metrics[2];
  report.boundary_edges = metrics[3];
  report.components = metrics[4];
  report.dropped_vertices = metrics[5];
  positions.merged = metrics[7];
  positions.kept = metrics[8];
  if (metrics[6] == 0) return;
  std::vector<std::vector<Index>> parts(communicator.size());
  for (int r = 0; r < communicator.size() && communicator.is_root(); ++r) {
    const Range range = partition.range(r);
    parts[r].assign(report.original_ids.begin() + range.begin, report.original_ids.begin() + range.end);
  }
  report.original_ids = std::move(communicator.exchange(parts).front());
}

}  // namespace

void MeshFile::add_polygon(std::span<const Index> corners) {
  for (std::size_t k = 2; k < corners.size(); ++k)
    triangles.insert(triangles.end(), {corners[0], corners[k - 1], corners[k]});
}

std::string MeshFile::place(Index triangle) const {
  return lines.empty() ? fmt::format("{}: triangle {}: ", path, triangle)
                       : fmt::format("{}:{}: ", path, lines[triangle]);
}

TriangleMesh::TriangleMesh(const RowPartition& partition, int rank, NodeArray<double> coordinates,
                           NodeArray<std::int32_t> triangles, MeshReport report)
    : NumberedObjects(partition, rank),
      coordinates_(std::move(coordinates)),
      triangles_(std::move(triangles)),
      report_(std::move(report)) {}

TriangleMesh read_mesh(const Communicator& communicator, const MeshSource& source) {
  EqualPositions positions;
  return read_mesh(communicator, source, positions);
}

TriangleMesh read_mesh(const Communicator& communicator, const MeshSource& source, EqualPositions& positions) {
  MeshReport report;
  report.degenerate_dropped = source.drop_degenerate;
  report.keys = source.keys;
  MeshFile mesh;
  read_on_root(communicator,
               source.arrays         ? "the mesh"
               : source.path.empty() ? source.generator
                                     : source.path,
               [&] { mesh = read_and_clean(source, report, positions); });
  RowPartition partition;
  share_report(communicator, report, positions, partition, mesh.vertices());
  auto coordinates = replicate_on_nodes(communicator, std::span<const double>(mesh.coordinates));
  const std::vector<std::int32_t> corners(mesh.triangles.begin(), mesh.triangles.end());
  auto triangles = replicate_on_nodes(communicator, std::span<const std::int32_t>(corners));
  return TriangleMesh(partition, communicator.rank(), std::move(coordinates), std::move(triangles), std::move(report));
}

std::vector<Index> components_of_vertices(const TriangleMesh& mesh) {
  const auto corners = mesh.triangles().values();
  const std::vector<Index> triangles(corners.begin(), corners.end());
  return mesh_components(mesh.size(), triangles).of_vertex;
}

void TriangleMesh::add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const {
  ObjectSet::add_sizes(communicator, value_bytes, sizes);
  sizes.surface = true;
}

}  // namespace cairn

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

namespace {

// The vertex of a corner v, v/vt, v//vn or v/vt/vn, counted from 0; negative numbers count back from the last vertex.
Index corner_vertex(std::string_view corner, Index vertices) {
  const Index number = parse_integer(corner.substr(0, corner.find('/')), "a corner of a face");
  if (number >= 0) return number - 1;
  if (number < -vertices) {
    throw Error(ErrorKind::input,
                fmt::format("vertex {} counts back before the first; {} are defined so far", number, vertices));
  }
  return vertices + number;
}

// Reads one statement; true for a face, whose corners are then in `corners`.
bool read_statement(std::string_view line, MeshFile& mesh, std::vector<Index>& corners) {
  const std::string_view word = take_field(line);
  if (word == "v") {
    for (const char* axis : {"x", "y", "z"}) mesh.coordinates.push_back(take_number(line, axis));
  }
  if (word != "f") return false;
  corners.clear();
  for (std::string_view corner = take_field(line); !corner.empty(); corner = take_field(line)) {
    corners.push_back(corner_vertex(corner, mesh.vertices()));
  }
  if (corners.size() < 3) throw Error(ErrorKind::input, fmt::format("a face of {} corners", corners.size()));
  return true;
}

}  // namespace

MeshFile read_obj(const std::string& path) {
  LineReader reader(path);
  MeshFile mesh;
  mesh.path = path;
  mesh.first_number = 1;
  std::vector<Index> corners;
  std::string_view line;
  std::string joined;  // lines joined at a backslash at their end
  while (reader.next_filled(line, '#')) {
    joined.clear();
    while (line.ends_with('\\')) {
      joined.append(line.substr(0, line.size() - 1)).push_back(' ');
      if (!reader.next(line)) line = {};
    }
    if (!joined.empty()) line = joined.append(line);
    try {
      if (!read_statement(line, mesh, corners)) continue;
    } catch (const Error& error) {
      reader.fail(error.what());
    }
    mesh.add_polygon(corners);
    mesh.lines.resize(mesh.triangle_count(), reader.number());
  }
  return mesh;
}

}  // namespace cairn

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

namespace {

constexpr Index most_counted = Index{1} << 40;  // vertices or faces: their sum fits

struct OffCounts {
  Index vertices = 0, faces = 0;
};

// Reads the keyword, and the counts after it or in the next line.
OffCounts read_header(LineReader& reader) {
  std::string_view line;
  if (!reader.next_filled(line, '#')) throw Error(ErrorKind::input, reader.path() + ": has no header");
  const std::string_view word = take_field(line);
  if (word != "OFF" && word != "COFF" && word != "NOFF" && word != "CNOFF" && word != "STOFF")
    reader.fail(
        fmt::format("'{}' is no OFF mesh in three dimensions (OFF, COFF, NOFF, CNOFF, STOFF)", word.substr(0, 40)));
  if (line.find("BINARY") != std::string_view::npos) reader.fail("binary OFF is not read; write it as text, or as PLY");
  const bool more = line.find_first_not_of(" \t") != std::string_view::npos || reader.next_filled(line, '#');
  if (!more) throw Error(ErrorKind::input, reader.path() + ": is truncated: there are no counts");
  OffCounts counts;
  try {
    counts.vertices = take_integer(line, "the number of vertices");
    counts.faces = take_integer(line, "the number of faces");
  } catch (const Error& error) {
    reader.fail(error.what());
  }
  if (counts.vertices < 0 || counts.faces < 0) reader.fail("a negative count");
  if (std::max(counts.vertices, counts.faces) > most_counted)
    reader.fail(fmt::format("counts {} vertices and {} faces; no file has so many", counts.vertices, counts.faces));
  return counts;
}

void read_corners(std::string_view line, std::vector<Index>& corners) {
  const Index count = take_integer(line, "the number of corners");
  if (count < 3) throw Error(ErrorKind::input, fmt::format("a face of {} corners", count));
  corners.clear();
  for (Index k = 0; k < count; ++k) corners.push_back(take_integer(line, "a corner of a face"));
}

}  // namespace

MeshFile read_off(const std::string& path) {
  LineReader reader(path);
  const OffCounts counts = read_header(reader);
  MeshFile mesh;
  mesh.path = path;
  std::vector<Index> corners;
  std::string_view line;
  for (Index k = 0; k < counts.vertices + counts.faces; ++k) {
    if (!reader.next_filled(line, '#')) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: is truncated: its header promises {} vertices and {} faces, it has "
                              "{} and {}",
                              path, counts.vertices, counts.faces, std::min(k, counts.vertices),
                              std::max<Index>(k - counts.vertices, 0)));
    }
    try {
      if (k < counts.vertices) {
        for (const char* axis : {"x", "y", "z"}) mesh.coordinates.push_back(take_number(line, axis));
        continue;
      }
      read_corners(line, corners);
    } catch (const Error& error) {
      reader.fail(error.what());
    }
    mesh.add_polygon(corners);
    mesh.lines.resize(mesh.triangle_count(), reader.number());
  }
  return mesh;
}

}  // namespace cairn

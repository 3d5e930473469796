// A triangle mesh as read from a file, held entirely by one rank; one reader per format. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Vertices and triangles as in a file, vertices counted from 0; not checked yet.
struct MeshFile {
  std::string path;                 ///< path of the file, or name of a generator
  std::vector<double> coordinates;  ///< x, y, z of each vertex
  std::vector<Index> triangles;     ///< three vertices each
  std::vector<Index> lines;         ///< line of each triangle; empty if a file has no lines
  Index first_number = 0;           ///< number of the first vertex in the file

  [[nodiscard]] Index vertices() const { return static_cast<Index>(coordinates.size()) / 3; }
  [[nodiscard]] Index triangle_count() const { return static_cast<Index>(triangles.size()) / 3; }
  /// Splits a polygon into triangles that share its first corner.
  void add_polygon(std::span<const Index> corners);
  /// Position of a triangle: "path:line: " or "path: triangle t: ".
  [[nodiscard]] std::string place(Index triangle) const;
};

/// Wavefront OBJ: `v x y z`, `f` with v, v/vt, v//vn or v/vt/vn, negative (relative) numbers, any polygons. Everything
/// else is skipped. @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_obj(const std::string& path);
/// Object File Format, text: OFF, COFF, NOFF, CNOFF or STOFF (values after x y z in a line are skipped), any polygons.
/// @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_off(const std::string& path);
/// Polygon File Format, version 1.0: ascii, binary_little_endian, binary_big_endian; x, y, z of `vertex` and
/// vertex_indices (or vertex_index) of `face`, of any number types, any polygons; everything else is skipped.
/// @throws Error(input) with file:line (header, ascii) or the element. Local.
[[nodiscard]] MeshFile read_ply(const std::string& path);
/// GIFTI 1.0 surface: one array of intent POINTSET and one of TRIANGLE; ASCII, Base64Binary or GZipBase64Binary, any of
/// UINT8, INT32, UINT32, FLOAT32 and FLOAT64, both byte and index orders. The transforms in the file are not applied to
/// the coordinates. @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_gifti(const std::string& path);

/// sphere: icosahedron whose faces are split into f x f triangles, projected onto the unit sphere: 10 f² + 2 vertices;
/// torus: a x b vertices, ring radius 1, tube radius 0.4, closed; swiss-roll: a x b vertices of (t cos t, h, t sin t),
/// t in [1.5 pi, 4.5 pi], h in [0, 21], equidistant along the roll, so that geodesic distances are those of a
/// rectangle. The number of vertices is the largest that these forms allow, at most `points`.
/// @param keys  names of generate and points @throws Error(usage) for another kind, or too few points. Local.
[[nodiscard]] MeshFile generate_mesh(const std::string& kind, Index points, const KeyNames& keys);

}  // namespace cairn

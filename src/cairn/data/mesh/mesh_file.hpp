// A triangle mesh as a file gives it, whole on one rank; one reader a format. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Vertices and triangles as they stand in a file, vertices counted from 0 (nothing is checked yet).
struct MeshFile {
  std::string path;                 ///< or the name of a generator
  std::vector<double> coordinates;  ///< x, y, z of each vertex
  std::vector<Index> triangles;     ///< three vertices each
  std::vector<Index> lines;         ///< of each triangle; empty if a file has no lines
  Index first_number = 0;           ///< of the first vertex in the file's own counting

  [[nodiscard]] Index vertices() const { return static_cast<Index>(coordinates.size()) / 3; }
  [[nodiscard]] Index triangle_count() const { return static_cast<Index>(triangles.size()) / 3; }
  /// Cuts a polygon into triangles that share its first corner.
  void add_polygon(std::span<const Index> corners);
  /// "path:line: " of a triangle, or "path: triangle t: ".
  [[nodiscard]] std::string place(Index triangle) const;
};

/// Wavefront OBJ: `v x y z`, `f` with v, v/vt, v//vn or v/vt/vn, negative (relative) numbers, any polygons. All else
/// is skipped. @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_obj(const std::string& path);
/// Object File Format: OFF, with COFF, NOFF, CNOFF or STOFF in front too (what follows x y z in a line is skipped),
/// any polygons, text. @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_off(const std::string& path);
/// Polygon File Format, version 1.0: ascii, binary_little_endian, binary_big_endian; x, y, z of `vertex` and
/// vertex_indices (or vertex_index) of `face`, of any number types, any polygons; all else is skipped.
/// @throws Error(input) with file:line (header, ascii) or the element. Local.
[[nodiscard]] MeshFile read_ply(const std::string& path);
/// GIFTI 1.0 surface: one array of intent POINTSET and one of TRIANGLE; ASCII, Base64Binary or GZipBase64Binary, any of
/// UINT8, INT32, UINT32, FLOAT32 and FLOAT64, both byte and index orders. Coordinates are taken as they are, without
/// the transforms in the file. @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_gifti(const std::string& path);

/// sphere: icosahedron whose faces are cut into f x f triangles, put on the unit sphere: 10 f² + 2 vertices; torus:
/// a x b vertices, ring radius 1, tube radius 0.4, closed; swiss-roll: a x b vertices of (t cos t, h, t sin t), t in
/// [1.5 pi, 4.5 pi], h in [0, 21], equally far apart along the roll, so that geodesic distances are those of a
/// rectangle. As many vertices as these forms give, at most `points`.
/// @param keys  of generate and points @throws Error(usage) for another kind, or too few points. Local.
[[nodiscard]] MeshFile generate_mesh(const std::string& kind, Index points, const KeyNames& keys);

}  // namespace cairn

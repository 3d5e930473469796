// A triangle mesh as a file gives it, whole on one rank; one reader a format. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/index.hpp"

namespace cairn {

/// Vertices and triangles as they stand in a file, vertices counted from 0 (nothing is checked yet).
struct MeshFile {
  std::string path;                 ///< or the name of a generator
  std::vector<double> coordinates;  ///< x, y, z of each vertex
  std::vector<Index> triangles;     ///< three vertices each
  std::vector<Index> lines;         ///< of each triangle; empty where a file has no lines
  Index first_number = 0;           ///< of the first vertex in the file's own counting

  [[nodiscard]] Index vertices() const { return static_cast<Index>(coordinates.size()) / 3; }
  [[nodiscard]] Index triangle_count() const { return static_cast<Index>(triangles.size()) / 3; }
  /// Cuts a polygon into triangles that share its first corner.
  void add_polygon(std::span<const Index> corners);
  /// "path:line: " of a triangle, or "path: triangle t: ".
  [[nodiscard]] std::string place(Index triangle) const;
};

/// Wavefront OBJ: `v x y z`, `f` with v, v/vt, v//vn or v/vt/vn, negative (relative) numbers, any polygons. All else
/// is passed over. @throws Error(input) with file:line. Local.
[[nodiscard]] MeshFile read_obj(const std::string& path);

}  // namespace cairn

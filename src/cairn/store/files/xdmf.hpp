// XDMF 3, the text that describes the data sets of a file of fields to ParaView and VisIt. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn::xdmf {

// Groups and data sets of a file of fields.
inline constexpr const char* fields = "fields";
inline constexpr const char* landmark = "landmark";
inline constexpr const char* geometry = "geometry";
inline constexpr const char* positions = "positions";
inline constexpr const char* triangles = "triangles";
inline constexpr const char* edges = "edges";
inline constexpr const char* points = "points";

[[nodiscard]] inline std::string in_geometry(const std::string& name) { return std::string(geometry) + "/" + name; }

/// A document of one uniform grid: `vertices` positions, `count` cells of this kind (triangles, edges, points), and the
/// fields (float64) and landmark numbers (int64) on vertices, all by reference to the HDF5 file `hdf5` beside it.
/// Local.
[[nodiscard]] std::string text(const std::string& hdf5, Index vertices, const std::string& cells, Index count,
                               const std::vector<std::string>& names);

}  // namespace cairn::xdmf

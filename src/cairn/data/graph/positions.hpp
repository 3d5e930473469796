// Positions at which the vertices of a graph or mesh are drawn.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/numbers_in_file.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Reads a position for every vertex: x, y and z, 0 if the file has two coordinates (n x 3, rows distributed by
/// `partition`).
///
/// - Text (.csv, .txt, ..., also .gz and .xz): one line per vertex, in order, "x,y" or "x,y,z". If a header gives the
///   first column a name that ends in "id" (id, Node_ID), this column holds the vertices' numbers in the file of the
///   graph, or their names. Lines may then be in any order, and lines of omitted vertices are skipped. A header that
///   names latitude and longitude, or y and x, may have them in this order.
/// - DIMACS (.co, also .gz and .xz): lines `v number longitude latitude` in units of 1e-6 degrees.
/// - OpenStreetMap (.osm.pbf): longitude and latitude of the nodes whose ids are the vertices' numbers.
/// - HDF5 (.h5): the first three coordinates of the data set /embedding, or a data set of points, n x 2 or 3.
/// - NumPy (.npy): n x 2 or 3.
///
/// Longitudes and latitudes are in degrees. Memory: 100 bytes per vertex of this rank.
/// @throws Error(input) with file:line for an invalid line; if there are more or fewer rows than vertices, or a vertex
/// is repeated, out of range or missing. Collective.
[[nodiscard]] RowBlock<double> read_positions(const Communicator& communicator, const std::string& path,
                                              const RowPartition& partition, const NumbersInFile& numbers);

/// True if the file of a graph also holds the positions of its vertices: .osm.pbf. Local.
[[nodiscard]] bool graph_holds_positions(const std::string& path);

/// True if positions of that file are longitude and latitude in degrees: .co, .osm.pbf, and text whose header says so.
/// Local.
[[nodiscard]] bool positions_are_degrees(const std::string& path);

}  // namespace cairn

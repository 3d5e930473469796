// Numbers on the vertices of a graph or mesh, with its shape: HDF5 for programs, XDMF beside it for ParaView.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// How a field is to be coloured.
enum class FieldScale {
  sequential,  ///< from its least to its largest value
  diverging,   ///< symmetric about 0
  logarithmic  ///< of values that are not negative
};

/// One number a vertex.
struct Field {
  std::string name;   ///< a word, unique in its file
  std::string title;  ///< for people
  std::string unit;   ///< empty: none
  FieldScale scale = FieldScale::sequential;
  Index vertex = -1;           ///< the vertex that it belongs to (a row's, a landmark's); negative: none
  std::vector<double> values;  ///< of this rank's vertices
};

/// Vertices in space and what joins them.
struct Geometry {
  RowBlock<double> positions;    ///< n x 3, rows as everywhere
  Index corners = 1;             ///< of a cell: 1 points, 2 edges, 3 triangles
  std::vector<Index> own_cells;  ///< this rank's part of them, `corners` vertices each, in any split over ranks
};

/// What is written: fields, where they are, and which vertices are landmarks.
struct FieldSet {
  std::vector<Field> fields;
  std::vector<Index> landmarks;  ///< in the order of the columns of P, the same on every rank; empty: none
  Geometry geometry;
};

/// Writes `path`, HDF5, and with `xdmf` that text file beside it, which names the data sets of `path` and is complete
/// last. docs/file-format.md describes both. Each rank writes its vertices' values; every file is complete or not
/// there.
/// @param xdmf  empty: none; in the folder of `path`
/// @throws Error(usage) if a path cannot become a file, Error(resource) if the disk is full. Collective.
void write_fields(const Execution& execution, const OutputPath& path, const std::string& xdmf, const FieldSet& set);

/// What a file of fields says of itself.
struct StoredFields {
  std::string cells;  ///< triangles, edges, points
  Index vertices = 0;
  Index landmarks = 0;
  std::vector<Field> fields;  ///< without their values
};

/// Whether `path` holds fields. @throws Error(input) if it is no HDF5 file. Collective.
[[nodiscard]] bool is_fields(const Communicator& communicator, const std::string& path);

/// All but the numbers. @throws Error(input) if the file holds no fields, is newer than this program, or damaged.
/// Collective.
[[nodiscard]] StoredFields read_fields_description(const Communicator& communicator, const std::string& path);

}  // namespace cairn

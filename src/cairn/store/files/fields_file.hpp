// Numbers on the vertices of a graph or mesh, with its geometry: HDF5 for programs, XDMF beside it for ParaView.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Color scale of a field.
enum class FieldScale {
  sequential,  ///< from its least to its largest value
  diverging,   ///< symmetric about 0
  logarithmic  ///< for nonnegative values
};

/// One number per vertex.
struct Field {
  std::string name;   ///< a word, unique in its file
  std::string title;  ///< for people
  std::string unit;   ///< empty: none
  FieldScale scale = FieldScale::sequential;
  Index vertex = -1;           ///< vertex of the field (a row or a landmark); negative: none
  std::vector<double> values;  ///< values at this rank's vertices
};

/// Positions of the vertices and the cells that connect them.
struct Geometry {
  RowBlock<double> positions;    ///< n x 3, distributed by rows as elsewhere
  Index corners = 1;             ///< corners of a cell: 1 points, 2 edges, 3 triangles
  std::vector<Index> own_cells;  ///< this rank's part, `corners` vertices each, in any distribution over ranks
};

/// The data to write: fields, geometry, and the landmark vertices.
struct FieldSet {
  std::vector<Field> fields;
  std::vector<Index> landmarks;  ///< in the order of the columns of P, the same on every rank; may be empty
  Geometry geometry;
};

/// Writes the HDF5 file `path`, and with `xdmf` that text file beside it, which names the data sets of `path` and is
/// completed last. docs/file-format.md describes both. Each rank writes the values of its vertices; every file is
/// complete or absent.
/// @param xdmf  path in the folder of `path`; empty: none
/// @throws Error(usage) if a path cannot become a file, Error(resource) if the disk is full. Collective.
void write_fields(const Execution& execution, const OutputPath& path, const std::string& xdmf, const FieldSet& set);

/// Description stored in a file of fields.
struct StoredFields {
  std::string cells;  ///< triangles, edges, points
  Index vertices = 0;
  Index landmarks = 0;
  std::vector<Field> fields;  ///< without their values
};

/// True if `path` holds fields. @throws Error(input) if it is not an HDF5 file. Collective.
[[nodiscard]] bool is_fields(const Communicator& communicator, const std::string& path);

/// Reads all but the values. @throws Error(input) if the file holds no fields, is newer than this program, or damaged.
/// Collective.
[[nodiscard]] StoredFields read_fields_description(const Communicator& communicator, const std::string& path);

}  // namespace cairn

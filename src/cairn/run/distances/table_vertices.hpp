// The vertices of a table of path lengths: by number or name, or the nearest to points.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/graph/point_list.hpp"
#include "cairn/data/graph/vertex_list.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/run/distances/vertex_snapper.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Points of a file and the vertices that they were snapped to.
struct SnappedPoints {
  std::string path{};
  PointList list{};
  std::vector<double> distances{};  ///< of each point from its vertex
  bool degrees = false;             ///< longitudes and latitudes, distances in meters; else all in the same unit
};

/// Vertices of one side of a table.
struct TableVertices {
  VertexList list{};
  std::optional<SnappedPoints> points{};  ///< if the file lists points
};

/// The options positions, coordinates, snap-limit and snapped.
[[nodiscard]] const std::vector<Parameter>& snapping_options();

/// Reads the files that name vertices.
class TableVertexReader {
 public:
  /// @param own_positions  a file with positions that is taken if options.positions names none; empty: there is none
  /// All arguments must outlive the object.
  TableVertexReader(const Execution& execution, const NumbersInFile& numbers, const RowPartition& partition,
                    const std::string& own_positions, const Values& options);
  ~TableVertexReader();
  TableVertexReader(const TableVertexReader&) = delete;
  TableVertexReader& operator=(const TableVertexReader&) = delete;

  /// Reads a list of vertices (read_vertex_list), or of points (read_point_list), which are snapped to their nearest
  /// vertices. Positions are read for the first list of points.
  /// @throws Error(usage) if there are no positions; Error(input) with file:line for a point farther than
  /// options.snap-limit from all vertices, or outside of the sphere; as these functions. Collective.
  [[nodiscard]] TableVertices read(const std::string& path);

  /// @throws Error(usage) for an option of points, if no list had points. Local.
  void require_use() const;

 private:
  [[nodiscard]] TableVertices snapped(const std::string& path);
  void prepare(const std::string& path);
  void check(const SnappedPoints& points) const;

  const Execution& execution_;
  const NumbersInFile& numbers_;
  const RowPartition& partition_;
  std::string positions_;
  const Values& options_;
  bool degrees_ = false;
  std::unique_ptr<VertexSnapper> snapper_;
};

/// The distances of points from their vertices, as a line of text.
[[nodiscard]] std::string snapping_text(const TableVertices& vertices);
/// The same by point, for JSON: lines, vertices (numbers or names; rank 0 alone knows the names), distances.
[[nodiscard]] Metric::Record snapping_record(const TableVertices& vertices);
/// Lists of numbers by name, for a file beside the table. @param side  begins their names: "source". Local.
void add_snapping_lists(const std::string& side, const TableVertices& vertices,
                        std::vector<std::pair<std::string, std::vector<double>>>& lists);
/// Lines of CSV, each with its side, point, vertex and distance. Rank 0. @param side  first field of the lines.
[[nodiscard]] std::string snapping_lines(const std::string& side, const TableVertices& vertices);
/// The heading above such lines.
[[nodiscard]] std::string snapping_heading(bool degrees);

}  // namespace cairn

// The objects that similarities compare: read from files, or handed over by the ranks of a program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/matrix/numbers_in_file.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

class Session;

/// n objects of one kind, each rank with its rows. Copies share them; the last copy of a graph or mesh is let go by all
/// ranks together.
template <class T = double>
class Objects {
 public:
  /// What they are made of. The set is destroyed before the session that it was made in.
  struct State {
    std::shared_ptr<const void> session;
    ObjectKind kind = ObjectKind::numbers;
    std::unique_ptr<ObjectSet> set;
    const PointSet<T>* points = nullptr;     ///< the set, if it is one of points
    const Graph* graph = nullptr;            ///< the set, if it is a graph
    const TriangleMesh* mesh = nullptr;      ///< the set, if it is a mesh
    SharedGraph shared_graph;                ///< the graph whole, once per node
    std::unique_ptr<PointSet<T>> positions;  ///< of the vertices of a mesh
    Scaling scaling;                         ///< that was applied to points
    PointReport report;                      ///< of points: columns of the file, warnings of the reader
    NumbersInFile numbers;                   ///< of the objects in their file
    std::uint64_t digest = 0;                ///< of the objects before they were scaled
  };
  explicit Objects(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] ObjectKind kind() const { return state_->kind; }
  [[nodiscard]] Index size() const { return state_->set->size(); }
  /// Rows of this rank.
  [[nodiscard]] Range range() const { return state_->set->range(); }
  /// Coordinates of points, 3 for a mesh, else 0.
  [[nodiscard]] Index dimension() const;
  /// This rank's labels, one a row, or none.
  [[nodiscard]] std::vector<std::string> labels() const;
  /// As a similarity of entries compares them: the vertices of a mesh by their positions.
  [[nodiscard]] const ObjectSet& compared() const;

 private:
  std::shared_ptr<const State> state_;
};

/// Reads or generates points. @param scaling  none, standard, min-max or unit-norm
/// @throws as read_point_table() and fit_scaling(). Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_points(const Session& session, const PointSource& source,
                                     const std::string& scaling = "none");
/// The same of a file whose columns are all coordinates.
template <class T = double>
[[nodiscard]] Objects<T> read_points(const Session& session, const std::string& path,
                                     const std::string& scaling = "none") {
  return read_points<T>(session, PointSource{.path = path}, scaling);
}

/// Points that the ranks hold: the rows of rank 0, then those of rank 1, and so on; a rank may have none. They are
/// copied to the ranks that own them here, so that results do not depend on how they came.
/// @param rows  of this rank, row-major @param labels  one a row, or none on every rank
/// @throws Error(usage) if there is no row, if `rows` are not whole rows of `dimension` values, or if ranks have
///   another dimension; Error(input) that names the first row with a value that is not finite. Collective. Memory: the
///   rows three times for a moment.
template <class T>
[[nodiscard]] Objects<T> distribute_points(const Session& session, std::span<const T> rows, Index dimension,
                                           const std::vector<std::string>& labels = {},
                                           const std::string& scaling = "none");
template <class T>
[[nodiscard]] Objects<T> distribute_points(const Session& session, const std::vector<T>& rows, Index dimension,
                                           const std::vector<std::string>& labels = {},
                                           const std::string& scaling = "none") {
  return distribute_points(session, std::span<const T>(rows), dimension, labels, scaling);
}

/// Reads or generates a graph, whose vertices are the objects. @throws as the reader. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_graph(const Session& session, const GraphSource& source);
template <class T = double>
[[nodiscard]] Objects<T> read_graph(const Session& session, const std::string& path) {
  return read_graph<T>(session, GraphSource{.path = path});
}

/// Reads or generates a triangle mesh, whose vertices are the objects. @throws as the reader. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_mesh(const Session& session, const MeshSource& source);
template <class T = double>
[[nodiscard]] Objects<T> read_mesh(const Session& session, const std::string& path) {
  return read_mesh<T>(session, MeshSource{.path = path});
}

/// Objects that are numbers alone, 0 to n - 1: rows of a precomputed matrix. @throws Error(usage) if count < 1.
/// Collective.
template <class T = double>
[[nodiscard]] Objects<T> numbered_objects(const Session& session, Index count);

}  // namespace cairn

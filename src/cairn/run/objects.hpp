// Objects that similarities compare: read from files, or passed by the ranks of a program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/given.hpp"

namespace cairn {

class Session;

/// n objects of one kind; each rank has its rows. Copies share them. All ranks must destroy the last copy of a graph or
/// mesh together.
template <class T = double>
class Objects {
 public:
  /// Contents. The data are destroyed before the session in which they were created.
  struct State {
    std::shared_ptr<const void> session;
    Data<T> data;
    bool lent = false;  ///< the program holds the coordinates (lend_points)
  };
  explicit Objects(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  /// The objects, and findings from reading them.
  [[nodiscard]] const Data<T>& data() const { return state_->data; }
  [[nodiscard]] ObjectKind kind() const { return data().kind->objects; }
  [[nodiscard]] Index size() const { return data().objects->size(); }
  /// Rows of this rank.
  [[nodiscard]] Range range() const { return data().objects->range(); }
  /// Coordinates of points, 3 for a mesh, otherwise 0.
  [[nodiscard]] Index dimension() const { return data().dimension(); }
  /// This rank's labels, one per row, or empty.
  [[nodiscard]] const std::vector<std::string>& labels() const { return data().objects->labels(); }
  /// The objects as a similarity of entries compares them: the vertices of a mesh by their positions.
  [[nodiscard]] const ObjectSet& compared() const;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

/// One number for each of `objects` objects, which the ranks hold in their order in any shares, for this rank's rows of
/// them. @param what  "weights", for messages @throws Error(usage) for another number of them. Collective.
[[nodiscard]] std::vector<double> distribute_numbers(const Session& session, std::span<const double> numbers,
                                                     Index objects, const char* what);

/// Reads or generates objects of one kind ("points", "graph", "documents", ...).
/// @param given  parameters by the names of the kind's descriptor: {"path", "letter.csv"}, {"label", "class"}
/// @throws Error(usage) for an unknown kind or parameter, or an invalid value; as the readers. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_objects(const Session& session, const std::string& kind, const GivenValues& given);

/// The same from a file. @param more  parameters besides the path. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_points(const Session& session, const std::string& path, const GivenValues& more = {}) {
  return read_objects<T>(session, point_data().name, with_path(path, more));
}
/// The vertices of a graph. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_graph(const Session& session, const std::string& path, const GivenValues& more = {}) {
  return read_objects<T>(session, graph_data().name, with_path(path, more));
}
/// The vertices of a triangle mesh. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_mesh(const Session& session, const std::string& path, const GivenValues& more = {}) {
  return read_objects<T>(session, mesh_data().name, with_path(path, more));
}
/// Documents; with {"vectors", FILE} as bags of words. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_documents(const Session& session, const std::string& path, const GivenValues& more = {}) {
  return read_objects<T>(session, document_data().name, with_path(path, more));
}
/// Objects from data that were already read. Local.
template <class T>
[[nodiscard]] Objects<T> objects_of(const Session& session, Data<T> data);

/// Points passed by the ranks: the rows of rank 0, then those of rank 1, and so on; a rank may have none. They are
/// redistributed to the ranks that own them here, so that results do not depend on the original distribution.
/// @param rows  of this rank, row-major @param labels  one per row, or empty on every rank
/// @throws Error(usage) if there is no row, if `rows` are not whole rows of `dimension` values, or if the dimension
/// differs between ranks; Error(input) that names the first row with a value that is not finite. Collective. Memory: on
/// several ranks, some MB for messages.
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

/// The same without a copy: the points are the memory of `rows`, if each rank passes exactly the rows that it owns here
/// (own_rows(); one rank always does) and no scaling changes them. Otherwise they are copied, as by
/// distribute_points().
/// @param rows  alive as long as `keeper`, and unchanged as long as something is computed from the points:
/// require_unchanged() looks @throws as distribute_points(). Collective.
template <class T>
[[nodiscard]] Objects<T> lend_points(const Session& session, std::span<const T> rows, Index dimension,
                                     const std::shared_ptr<const void>& keeper,
                                     const std::vector<std::string>& labels = {}, const std::string& scaling = "none");

/// Rows of `count` that this rank owns. Local.
[[nodiscard]] Range own_rows(const Session& session, Index count);

/// @throws Error(input) if points that were lent are no longer those that they were. Reads them once. Collective.
template <class T>
void require_unchanged(const Session& session, const Objects<T>& objects);

/// Points stored by their nonzero coordinates, passed by the ranks in compressed rows (CSR), in the order of the ranks.
/// Points whose coordinates are mostly not 0, or that a scaling moves, get all coordinates.
/// @param starts  of this rank's rows, from 0, and the number of its entries @param columns  from 0, ascending in a row
/// @throws as distribute_points(); Error(usage) for arrays of inconsistent sizes or starts that descend; Error(input)
/// that names the row for a column out of range or out of order, or a value that is not finite. Collective.
template <class T = double>
[[nodiscard]] Objects<T> distribute_points(const Session& session, std::span<const Index> starts,
                                           std::span<const Index> columns, std::span<const double> values,
                                           Index dimension, const std::vector<std::string>& labels = {},
                                           const std::string& scaling = "none");

/// Documents, passed by the ranks as texts in the order of the ranks.
/// @param labels  one per text, or empty on every rank @param given  parameters of documents but for files: {"vectors",
/// "glove.txt"} makes them bags of words @throws as read_documents(), for another number of labels. Collective.
template <class T = double>
[[nodiscard]] Objects<T> distribute_documents(const Session& session, const std::vector<std::string>& texts,
                                              const std::vector<std::string>& labels = {},
                                              const GivenValues& given = {});

/// Vertices of a triangle mesh, passed by the ranks: the vertices and triangles of rank 0, then those of rank 1, and so
/// on. @param coordinates  x, y, z of each vertex @param triangles  three vertices each, counted from 0 over all ranks
/// @param given  parameters of meshes but for files: {"largest-component", true} @throws as read_mesh(); Error(usage)
/// for arrays that are not rows of three. Collective. Memory: the mesh on rank 0 twice, temporarily.
template <class T = double>
[[nodiscard]] Objects<T> distribute_mesh(const Session& session, std::span<const double> coordinates,
                                         std::span<const Index> triangles, const GivenValues& given = {});

/// Vertices of an undirected graph, passed by the ranks in compressed rows: the rows of rank 0, then those of rank 1,
/// and so on. An edge may be listed in one direction or in both; loops are dropped.
/// @param starts  of this rank's rows, from 0, and the number of its arcs @param neighbors  global numbers
/// @param weights  one per arc, above 0, or empty on every rank: then each edge weighs 1
/// @param largest_component  keep only the vertices of the largest component, renumbered
/// @throws Error(usage) for arrays of inconsistent sizes or starts that descend; Error(input) that names the vertex
///   for a neighbor out of range or a weight that is not positive and finite, and for a graph in several pieces.
///   Collective. Memory: 4 arcs of 24 bytes per edge, temporarily.
template <class T = double>
[[nodiscard]] Objects<T> distribute_graph(const Session& session, std::span<const Index> starts,
                                          std::span<const Index> neighbors, std::span<const double> weights = {},
                                          bool largest_component = false);

/// Objects that are only numbers, 0 to n - 1: rows of a precomputed matrix. @throws Error(usage) if count < 1.
/// Collective.
template <class T = double>
[[nodiscard]] Objects<T> numbered_objects(const Session& session, Index count);

}  // namespace cairn

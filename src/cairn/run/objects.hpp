// The objects that similarities compare: read from files, or handed over by the ranks of a program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/data_kinds.hpp"
#include "cairn/run/given.hpp"

namespace cairn {

class Session;

/// n objects of one kind, each rank with its rows. Copies share them; the last copy of a graph or mesh is let go by all
/// ranks together.
template <class T = double>
class Objects {
 public:
  /// What they are made of. The data are destroyed before the session that they were made in.
  struct State {
    std::shared_ptr<const void> session;
    Data<T> data;
  };
  explicit Objects(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  /// The objects, and what reading them found.
  [[nodiscard]] const Data<T>& data() const { return state_->data; }
  [[nodiscard]] ObjectKind kind() const { return data().kind->objects; }
  [[nodiscard]] Index size() const { return data().objects->size(); }
  /// Rows of this rank.
  [[nodiscard]] Range range() const { return data().objects->range(); }
  /// Coordinates of points, 3 for a mesh, else 0.
  [[nodiscard]] Index dimension() const { return data().dimension(); }
  /// This rank's labels, one per row, or none.
  [[nodiscard]] const std::vector<std::string>& labels() const { return data().objects->labels(); }
  /// As a similarity of entries compares them: the vertices of a mesh by their positions.
  [[nodiscard]] const ObjectSet& compared() const;

 private:
  std::shared_ptr<const State> state_;
};

/// Reads or generates objects of one kind ("points", "graph", "documents", ...).
/// @param given  parameters by the names of the kind's descriptor: {"path", "letter.csv"}, {"label", "class"}
/// @throws Error(usage) for an unknown kind or parameter, or a value that is refused, as the readers. Collective.
template <class T = double>
[[nodiscard]] Objects<T> read_objects(const Session& session, const std::string& kind, const GivenValues& given);

/// The same of a file. @param more  parameters beside the path. Collective.
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
/// The objects of data that were read. Local.
template <class T>
[[nodiscard]] Objects<T> objects_of(const Session& session, Data<T> data);

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

/// Objects that are numbers alone, 0 to n - 1: rows of a precomputed matrix. @throws Error(usage) if count < 1.
/// Collective.
template <class T = double>
[[nodiscard]] Objects<T> numbered_objects(const Session& session, Index count);

}  // namespace cairn

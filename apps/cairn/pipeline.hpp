// Data, similarity, landmarks, approximation, error: the steps that commands put together.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/methods.hpp"
#include "cairn/data/documents/document_reader.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/matrix/numbers_in_file.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/store/result/result_file.hpp"
#include "context.hpp"
#include "figures.hpp"

namespace cairn::app {

/// What new or old points of a stored result are read with.
struct KnownPoints {
  Scaling scaling;
  Index dimension = 0;
  std::optional<PointColumns> columns;
  std::string path;  ///< of the result
};

/// Of a result that was made from points. Local.
[[nodiscard]] KnownPoints known_points(const ResultDescription& description, const std::string& path);

/// The objects of a run, scaled.
template <class T>
struct Data {
  std::unique_ptr<ObjectSet> objects;
  const PointSet<T>* points = nullptr;     ///< the objects, where they are points
  const Graph* graph = nullptr;            ///< the objects, where they are vertices of a graph
  SharedGraph shared_graph;                ///< the same graph, whole, once per node
  const TriangleMesh* mesh = nullptr;      ///< the objects, where they are vertices of a mesh
  const DocumentSet* documents = nullptr;  ///< the objects, where they are documents
  DocumentReport document_report;          ///< what reading those left out
  Tokenization tokenization;               ///< how they were cut into words
  std::shared_ptr<PointSet<T>> positions;  ///< of the vertices of a mesh, as points
  NumbersInFile numbers;                   ///< of the objects, if they are not their rows
  Scaling scaling;
  PointReport point_report;  ///< what reading points found
  std::uint64_t digest = 0;  ///< of the objects as read, before scaling

  /// The objects as points: themselves, or the positions of a mesh. There are such.
  [[nodiscard]] const PointSet<T>& as_points() const { return points != nullptr ? *points : *positions; }
  [[nodiscard]] Index dimension() const { return points != nullptr || positions ? as_points().dimension() : 0; }
  [[nodiscard]] std::vector<std::string> labels() const {
    if (documents != nullptr) return documents->labels();
    return points != nullptr ? points->labels() : std::vector<std::string>();
  }
  /// Of documents: the names of their splits, this rank's, or nothing.
  [[nodiscard]] std::vector<std::string> splits() const {
    return documents != nullptr ? documents->splits() : std::vector<std::string>();
  }
};

/// Reads or generates what [data] names and scales it: as `known` says if it is given, else as data.scaling says.
/// @throws Error(input) for points of another dimension than the known ones; as the readers. Collective.
template <class T>
[[nodiscard]] Data<T> load_data(const Execution& execution, const Settings& settings,
                                const KnownPoints* known = nullptr);

/// What a run made.
template <class T>
struct Outcome {
  Approximation<T> approximation;
  ResultDescription description;
  Figures figures;                              ///< without phases, seconds and peak
  std::shared_ptr<DistanceTable<T>> distances;  ///< where output.distances asks for them, else null
};

/// From data to an approximation and its error. @param start  of the run, which says how long the estimate may take.
/// Collective.
template <class T>
[[nodiscard]] Outcome<T> compute(const Execution& execution, const Settings& settings, const Data<T>& data,
                                 std::chrono::steady_clock::time_point start);

}  // namespace cairn::app

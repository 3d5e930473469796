#include "cairn/run/computation/exact_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/points/point_differences.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "cairn/similarity/shortest_paths/edge_graph.hpp"
#include "cairn/similarity/shortest_paths/graph_search.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/source_entries.hpp"

namespace cairn {

namespace {

// Nearest vertices on a surface are found by path lengths along its edges, which cost far less than geodesics and are
// independent of a similarity of positions.
std::function<std::unique_ptr<SourceSimilarity>()> along_edges(const Execution& execution, const TriangleMesh& mesh) {
  return [&execution, &mesh]() -> std::unique_ptr<SourceSimilarity> {
    const SharedGraph edges = edge_graph(execution.communicator, mesh);
    return collectively(execution.communicator, [&] { return make_dijkstra(edges); });
  };
}

}  // namespace

template <class T>
ExactMatrix<T> make_exact_matrix(const Execution& execution, const Data<T>& data, const SimilarityChoice& similarity) {
  auto phase = execution.phases.enter("similarity setup");
  ExactMatrix<T> exact;
  exact.traits = similarity.traits();
  if (!exact.traits.single_source) {
    exact.objects = data.positions ? data.positions.get() : data.objects.get();
    exact.right = data.right.get();
    exact.entries = make_similarity<T>(execution, for_moved_points(execution, data, similarity), *exact.objects);
    exact.again = [&execution, resolved = from_resolved(exact.name(), exact.parameters()), objects = exact.objects] {
      return make_similarity<T>(execution, resolved, *objects);
    };
    exact.setup = exact.evaluations();
    phase.count_evaluations(exact.setup);
    return exact;
  }
  exact.objects = data.objects.get();
  const auto* mesh = data.template as<TriangleMesh>();
  if (mesh != nullptr) require_connected(execution.communicator, *mesh, data.keys("largest-component"));
  const SharedGraph* graph = data.template as<Graph>() != nullptr ? &data.shared_graph : nullptr;
  const auto make = [&execution, similarity, graph, mesh](bool nearest) {
    return make_source_similarity(similarity, {execution.communicator, similarity.values, graph, mesh, nearest});
  };
  exact.sources = make(false);
  exact.entries = std::make_unique<SourceEntries<T>>(*exact.sources);
  if (graph != nullptr) exact.nearest = [make] { return make(true); };
  if (mesh != nullptr) exact.nearest = along_edges(execution, *mesh);
  return exact;
}

template <class T>
ExactMatrix<T> by_rows(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                       const MethodChoice& method) {
  collectively(execution.communicator, [&] {
    if (exact.traits.whole_rows && data.points() != nullptr) return;
    throw Error(ErrorKind::usage, fmt::format("{} takes whole rows of K, which the similarity {} of these objects does "
                                              "not have",
                                              method.called, exact.name()));
  });
  ExactMatrix<T> rows;
  rows.traits = exact.traits;
  rows.objects = data.objects.get();
  rows.again = exact.again;
  rows.sources = make_point_sources<T>(execution.communicator, exact.again(), *data.points());
  rows.entries = std::make_unique<SourceEntries<T>>(*rows.sources);
  if (const auto* mesh = data.template as<TriangleMesh>()) rows.nearest = along_edges(execution, *mesh);
  return rows;
}

template <class T>
std::vector<double> exact_row(const Execution& execution, const ExactMatrix<T>& exact, Index row) {
  const ObjectSet& objects = exact.right != nullptr ? *exact.right : *exact.objects;
  const auto own = static_cast<std::size_t>(objects.range().size());
  std::vector<double> values(own);
  if (exact.sources) {
    std::vector<double> whole(objects.size());
    exact.sources->to_all(std::span(&row, 1), MatrixView<double>(whole.data(), 1, objects.size()));
    std::copy_n(whole.begin() + objects.range().begin, own, values.begin());
    return values;
  }
  const auto object = exact.objects->gather(execution.communicator, std::span(&row, 1));
  const RowBlock<T> column =
      evaluate_columns(execution, *exact.entries, objects, *object, "similarities", "evaluate-row");
  for (std::size_t i = 0; i < own; ++i) values[i] = column.row(objects.range().begin + static_cast<Index>(i))[0];
  return values;
}

std::string note_of(const EdgeFlips& flips) {
  if (flips.edges == 0) return "no edges of the surface were flipped: its triangles are those of the file";
  return fmt::format("{} of {} edges of the surface were flipped to make its triangles Delaunay",
                     grouped(flips.flipped), grouped(flips.edges));
}

template <class T>
std::vector<std::string> notes_of(const ExactMatrix<T>& exact, const Values* similarity) {
  if (const auto* geodesic = dynamic_cast<const Geodesic*>(exact.sources.get())) {
    return {note_of(geodesic->flips()), geodesic->check().summary()};
  }
  const auto* paths = dynamic_cast<const PathLength*>(exact.sources.get());
  if (paths == nullptr || similarity == nullptr || similarity->text("search") != "auto") return {};
  return {fmt::format("search {}: {}", paths->method(), paths->choice())};
}

template <class T>
Landmarks<T> selected(const LandmarkSelection& selection, const MethodChoice& method, const SelectionInput<T>& input) {
  Landmarks<T> landmarks;
  if constexpr (std::is_same_v<T, float>) {
    landmarks = selection.run_single(input);
  } else {
    landmarks = selection.run_double(input);
  }
  if (const std::string split = landmark_split().name; method.landmarks.given(split)) {
    landmarks.split = method.landmarks.text(split);
  }
  // In the order of the vertices, neighbors are close to each other in W, which then compresses better.
  if (method.method->needs.rows && selection.any_order) std::ranges::sort(landmarks.indices);
  return landmarks;
}

template <class T>
Landmarks<T> select_landmarks(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                              const MethodChoice& method, Index count) {
  if (!method.method->needs.landmarks) return {};
  const LandmarkSelection& selection = method.selection();
  // For points, entries serve a selection better than rows do; for the vertices of a surface they do not.
  std::unique_ptr<Similarity<T>> entries;
  if (exact.sources && exact.again && !exact.nearest && selection.evaluates) entries = exact.again();
  const SelectionInput<T> input{execution,
                                entries ? *data.points() : *exact.objects,
                                entries ? *entries : *exact.entries,
                                entries ? nullptr : exact.sources.get(),
                                exact.nearest,
                                count,
                                method.landmarks,
                                data.digest,
                                !method.method->needs.order,
                                !exact.sources};
  return selected(selection, method, input);
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template std::vector<double> exact_row(const Execution&, const ExactMatrix<T>&, Index);                              \
  template ExactMatrix<T> make_exact_matrix(const Execution&, const Data<T>&, const SimilarityChoice&);                \
  template ExactMatrix<T> by_rows(const Execution&, const Data<T>&, const ExactMatrix<T>&, const MethodChoice&);       \
  template std::vector<std::string> notes_of(const ExactMatrix<T>&, const Values*);                                    \
  template Landmarks<T> selected(const LandmarkSelection&, const MethodChoice&, const SelectionInput<T>&);             \
  template Landmarks<T> select_landmarks(const Execution&, const Data<T>&, const ExactMatrix<T>&, const MethodChoice&, \
                                         Index);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

#include "source_pipeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "approximation/biharmonic.hpp"
#include "data/digest.hpp"
#include "evaluation/exact_error.hpp"
#include "landmark/landmarks.hpp"
#include "operator/graph_operator.hpp"
#include "problem.hpp"
#include "similarity/path_length.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

// No path leads from one piece to another: the user decides which piece is meant.
void require_connected(const Communicator& communicator, const Graph& graph) {
  if (graph.report().components <= 1 || graph.report().dropped_vertices > 0) return;
  Components components = connected_components(communicator, graph);
  if (components.count <= 1) return;
  std::stable_sort(components.sizes.begin(), components.sizes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t most_named = 3;
  std::vector<std::string> sizes, vertices;
  for (const auto& [vertex, size] : components.sizes) {
    if (sizes.size() == most_named) break;
    sizes.push_back(grouped(size));
    vertices.push_back(std::to_string(vertex));
  }
  throw Error(ErrorKind::input,
              fmt::format("the graph is in {} pieces, the largest of {} vertices (those of the vertices {}); no path "
                          "leads from one to another. Set data.largest-component = true to keep the largest alone",
                          grouped(components.count), fmt::join(sizes, ", "), fmt::join(vertices, ", ")));
}

// Vertices that are numbered anew carry their numbers in the file as labels.
std::vector<std::string> labels_of(const Graph& graph) {
  std::vector<std::string> labels;
  for (const Index id : graph.report().original_ids) labels.push_back(std::to_string(id));
  return labels;
}

// What reading the graph changed, in sentences for the user.
std::vector<std::string> notes_of(const GraphReport& report) {
  std::vector<std::string> notes;
  if (report.self_loops > 0)
    notes.push_back(fmt::format("{} loops of the graph were dropped", grouped(report.self_loops)));
  if (report.repeated_edges > 0) {
    notes.push_back(fmt::format("{} edges that came more than once, in either direction, were taken once",
                                grouped(report.repeated_edges)));
  }
  if (report.dropped_vertices > 0) {
    notes.push_back(fmt::format("{} vertices outside the largest of {} components were dropped",
                                grouped(report.dropped_vertices), grouped(report.components)));
  }
  return notes;
}

template <class T>
Landmarks<T> select_vertices(const Execution& execution, const Settings& settings, const ObjectSet& objects,
                             Index count) {
  const std::string& selection = settings.text("landmarks.selection");
  if (selection == "uniform") return select_uniform<T>(execution, objects, count);
  if (selection == "file") return read_landmarks<T>(execution, objects, settings.required("landmarks.path"), count);
  throw Error(ErrorKind::usage,
              fmt::format("{} = {} needs single entries of the matrix, and {} come by whole rows; "
                          "landmarks are uniform or from a file",
                          settings.where("landmarks.selection"), selection, similarity_kind(settings)));
}

template <class T>
InterpolationFigures interpolation_figures(const Communicator& communicator, const Approximation<T>& approximation,
                                           InterpolationReport report, const std::string& operator_kind) {
  InterpolationFigures figures;
  figures.report = std::move(report);
  figures.operator_kind = operator_kind;
  const SparseRows<T>& rows = approximation.left.sparse();
  figures.nonzeros = communicator.sum(rows.own_entries());
  figures.left_bytes = figures.nonzeros * static_cast<Index>(sizeof(Index) + sizeof(T));
  const SymmetricTiles& tiles = std::get<TilesJoining>(approximation.joining).matrix;
  Index own_bytes = 0;
  for (Index tile = 0; tile < tiles.tiles(); ++tile) {
    if (tiles.mine(tile)) own_bytes += static_cast<Index>(tiles.bytes(tile).size());
  }
  figures.joining_bytes = communicator.sum(own_bytes);
  figures.joining_number = name_of(tiles.number());
  return figures;
}

}  // namespace

template <class T>
Data<T> load_graph(const Execution& execution, const Settings& settings) {
  const Communicator& communicator = execution.communicator;
  auto graph = std::make_unique<Graph>(read_graph(communicator, graph_source(settings)));
  require_connected(communicator, *graph);
  Data<T> data;
  data.digest = data_digest(communicator, *graph);
  data.shared_graph = graph->share(communicator);
  data.vertex_labels = labels_of(*graph);
  data.graph = graph.get();
  data.objects = std::move(graph);
  return data;
}

template <class T>
std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution& execution, const Data<T>& data,
                                                         const std::string& search) {
  const auto phase = execution.phases.enter("similarity");
  return make_path_length(execution.communicator, data.shared_graph, search);
}

template <class T>
Outcome<T> compute_biharmonic(const Execution& execution, const Settings& settings, const Data<T>& data) {
  const Communicator& communicator = execution.communicator;
  const Index l = landmark_count(settings, data.objects->size());
  Landmarks<T> landmarks = select_vertices<T>(execution, settings, *data.objects, l);
  const BiharmonicOperator op = graph_operator(communicator, data.shared_graph);
  const auto similarity = make_source_similarity(execution, data, settings.text("similarity.search"));
  InterpolationReport report;
  Approximation<T> approximation =
      biharmonic<T>(execution, op, *similarity, landmarks.indices, biharmonic_parameters(settings), report);
  for (std::string& note : notes_of(data.graph->report())) approximation.report.notes.push_back(std::move(note));
  Figures figures;
  figures.evaluations = communicator.sum(similarity->evaluations());
  figures.similarity = similarity->name();
  figures.similarity_parameters = similarity->parameters();
  figures.interpolation = interpolation_figures(communicator, approximation, std::move(report), op.kind);
  figures.error_over = "rows";
  figures.error =
      error_over_rows(execution, approximation, *similarity, evaluation_rows(settings, data.objects->size()));
  return finished_outcome(execution, settings, data, std::move(approximation), std::move(figures));
}

#define CAIRN_INSTANTIATE(T)                                                                          \
  template Data<T> load_graph(const Execution&, const Settings&);                                     \
  template std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution&, const Data<T>&, \
                                                                    const std::string&);              \
  template Outcome<T> compute_biharmonic(const Execution&, const Settings&, const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app

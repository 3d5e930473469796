#include "cairn/run/computation/core_landmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cairn/data/object_set.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

namespace {

template <class T>
bool takes_trees(const Data<T>& data, const ExactMatrix<T>& exact, const MethodChoice& method) {
  return method.method->has("exact-trees") && method.values.flag("exact-trees") &&
         method.values.text("transform") == "none" && data.template as<Graph>() != nullptr &&
         dynamic_cast<const PathLength*>(exact.sources.get()) != nullptr;
}

// Converts distinct numbers in the 2-core to numbers in the graph, in one pass over its vertices.
void number_in_graph(const HangingTrees& trees, std::vector<Index>& numbers) {
  std::vector<Index*> ascending;
  for (Index& number : numbers) ascending.push_back(&number);
  std::ranges::sort(ascending, {}, [](const Index* number) { return *number; });
  auto next = ascending.begin();
  for (Index v = 0; v < trees.size() && next != ascending.end(); ++v) {
    if (trees.in_core(v) && trees.roots[v] == **next) **next++ = v;
  }
}

// Selects by the numbers in the 2-core, then converts them to numbers in the graph.
template <class T>
Landmarks<T> select_on_core(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                            const MethodChoice& method, Index count, const HangingTrees& trees) {
  const Communicator& communicator = execution.communicator;
  const LandmarkSelection& selection = method.selection();
  const NumberedObjects vertices(RowPartition(trees.core, communicator.size()), communicator.rank());
  std::unique_ptr<PathLength> paths;
  if (selection.evaluates) {
    paths = make_path_length(communicator, core_of(communicator, data.shared_graph, trees),
                             data.shared_graph.lengths.empty() ? "breadth-first" : "dijkstra");
  }
  const SelectionInput<T> input{execution, vertices,         *exact.entries, paths.get(), {},
                                count,     method.landmarks, data.digest,    false,       false};
  Landmarks<T> landmarks = selected(selection, method, input);
  number_in_graph(trees, landmarks.indices);
  landmarks.objects = data.objects->gather(communicator, landmarks.indices);
  return landmarks;
}

std::string note_of(const HangingTrees& trees) {
  return fmt::format(
      "{} of {} vertices are in pendant trees: they use the rows of their roots, and the path lengths to the roots are "
      "exact",
      grouped(trees.hanging()), grouped(trees.size()));
}

}  // namespace

template <class T>
CoreLandmarks<T> select_core_landmarks(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                       const MethodChoice& method, Index count) {
  if (!method.method->needs.landmarks || !takes_trees(data, exact, method)) {
    return {select_landmarks(execution, data, exact, method, count)};
  }
  const Communicator& communicator = execution.communicator;
  const LandmarkSelection* const selection = &method.selection();
  const bool on_core = selection == &uniform_selection() || selection == &farthest_selection();
  CoreLandmarks<T> result;
  if (!on_core) result.landmarks = select_landmarks(execution, data, exact, method, count);
  const Index l = on_core ? count : static_cast<Index>(result.landmarks.indices.size());
  const Index n = data.objects->size();
  auto trees = std::make_shared<const HangingTrees>(
      hanging_trees(communicator, data.shared_graph, std::max<Index>(1, n / l), result.landmarks.indices));
  if (trees->core < l) {
    result.note = fmt::format(
        "without its pendant trees the graph has {} vertices, fewer than the landmarks; the trees are therefore "
        "interpolated as well, which reduces accuracy. Use at most {} landmarks to keep them exact, or a method that "
        "takes columns of K (sicur)",
        grouped(trees->core), grouped(trees->core));
  } else if (trees->hanging() > 0) {
    if (on_core) result.landmarks = select_on_core(execution, data, exact, method, count, *trees);
    result.note = note_of(*trees);
    result.trees = std::move(trees);
    return result;
  }
  if (on_core) result.landmarks = select_landmarks(execution, data, exact, method, count);
  return result;
}

template CoreLandmarks<float> select_core_landmarks(const Execution&, const Data<float>&, const ExactMatrix<float>&,
                                                    const MethodChoice&, Index);
template CoreLandmarks<double> select_core_landmarks(const Execution&, const Data<double>&, const ExactMatrix<double>&,
                                                     const MethodChoice&, Index);

}  // namespace cairn

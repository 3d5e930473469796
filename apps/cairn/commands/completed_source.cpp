#include "commands/completed_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn::app {

void refuse_graph_keys(const Settings& settings, const std::string& path, const char* what,
                       const std::vector<std::string>& kept) {
  for (const std::string& name : settings.known_names()) {
    if (!settings.given(name) || !(name.starts_with(data_prefix) || name == "similarity.search")) continue;
    if (std::ranges::find(kept, name) != kept.end()) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect: {} is {}, and no graph is read", settings.where(name), path, what));
  }
}

CompletedSource completed_source(const Job& job, const Execution& execution) {
  const Settings& settings = job.settings;
  const std::string &path = job.arguments.front(), &weights = settings.text("weights");
  const Values graph(graph_data().parameters, settings, data_prefix);
  CompletedSource source;
  if (is_completed_graph(job.communicator, path)) {
    std::vector<std::string> of_weights;
    if (!weights.empty()) of_weights = {"data.format", "data.columns", "data.zero-lengths"};
    refuse_graph_keys(settings, path, "a file of cairn reweigh", of_weights);
    source = read_completed_source(execution, path);
  } else if (is_result(job.communicator, path)) {
    throw Error(ErrorKind::input,
                fmt::format("{} is a result, which keeps only the arcs that its own lengths need: name "
                            "the file of the graph, or one that cairn reweigh made of it",
                            path));
  } else {
    source =
        complete_graph(execution, graph.with("path", path),
                       Values(path_length_similarity().parameters, settings, "similarity.").named(similarity_keys));
  }
  if (!weights.empty()) take_lengths(execution, graph, weights, source);
  return source;
}

}  // namespace cairn::app

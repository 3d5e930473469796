// Graphs with chordal completions, for commands that take new lengths of edges.
#pragma once

#include "cairn/base/schedule/execution.hpp"
#include "cairn/run/distances/reweighing.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Throws Error(usage) if keys of the graph are given that only reading one from a text takes. @param path  a file that
/// holds the graph already @param what  it is, in messages @param kept  keys that it may have. Local.
void refuse_graph_keys(const Settings& settings, const std::string& path, const char* what,
                       const std::vector<std::string>& kept = {});

/// The completed graph that the first argument names, with the lengths of --weights if these are given. Collective.
[[nodiscard]] CompletedSource completed_source(const Job& job, const Execution& execution);

}  // namespace cairn::app

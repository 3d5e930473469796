// Graphs: their path lengths come by source, and P and W approximate them.
#pragma once

#include <memory>

#include "pipeline.hpp"
#include "similarity/source_similarity.hpp"

namespace cairn::app {

/// Reads or generates the graph that [data] names. @throws Error(input) where it is in several pieces and
/// data.largest-component is not set. Collective.
template <class T>
[[nodiscard]] Data<T> load_graph(const Execution& execution, const Settings& settings);

/// The similarity of `data` that comes by source. @param search  of paths; as similarity.search
/// Collective.
template <class T>
[[nodiscard]] std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution& execution, const Data<T>& data,
                                                                       const std::string& search);

/// From a graph to P and W, and their error over rows. Collective.
template <class T>
[[nodiscard]] Outcome<T> compute_biharmonic(const Execution& execution, const Settings& settings, const Data<T>& data);

}  // namespace cairn::app

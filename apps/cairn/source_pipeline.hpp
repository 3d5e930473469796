// Graphs, meshes and points whose similarities come by source, and P and W, which approximate them.
#pragma once

#include <memory>

#include "pipeline.hpp"
#include "similarity/make_similarity.hpp"
#include "similarity/source_similarity.hpp"

namespace cairn::app {

/// The similarity of `data` that comes by source, as [similarity] says. @param search  of paths, as similarity.search
/// @param resolved  parameters of a similarity of points, where they are known @throws Error(input) for geodesics on a
/// mesh in several pieces. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<SourceSimilarity> make_source_similarity(const Execution& execution,
                                                                       const Settings& settings, const Data<T>& data,
                                                                       const std::string& search,
                                                                       const SimilarityParameters& resolved);

/// From a graph, mesh or points to P and W, and their error over rows. Collective.
template <class T>
[[nodiscard]] Outcome<T> compute_biharmonic(const Execution& execution, const Settings& settings, const Data<T>& data);

}  // namespace cairn::app

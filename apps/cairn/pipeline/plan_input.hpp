// The plan of a config, from its settings and the shape of its data.
#pragma once

#include <optional>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/plan/plan_model.hpp"
#include "keys/data_shape.hpp"
#include "pipeline/pipeline.hpp"

namespace cairn::app {

/// The shape that the file's header or the generator's parameters tell, without reading values; nothing where the
/// format does not tell. Collective.
[[nodiscard]] std::optional<DataShape> peek_shape(const Communicator& communicator, const Settings& settings);

/// Sets the bytes of `shape`. Collective.
void take_document_shape(const Communicator& communicator, const DocumentSet& documents, DataShape& shape);

/// The shape of data that were read. Collective.
template <class T>
[[nodiscard]] DataShape shape_of(const Communicator& communicator, const Data<T>& data) {
  DataShape shape{data.objects->size(), data.dimension()};
  shape.mesh = data.template as<TriangleMesh>() != nullptr;
  if (const auto* documents = data.template as<DocumentSet>()) {
    take_document_shape(communicator, *documents, shape);
    if (data.numbers.listed) shape.document_bytes += static_cast<Index>(sizeof(Index));
  }
  if (const auto* graph = data.template as<Graph>()) {
    shape.arcs = communicator.sum(static_cast<Index>(graph->neighbours().size()));
    shape.weighted = graph->weighted();
  }
  return shape;
}

/// @param ranks  ranks to plan for @param baseline  resident bytes of a rank before any data
/// @throws Error(input) where approximation.reuse names no biharmonic result. Collective over `communicator`.
[[nodiscard]] PlanInput plan_input(const Communicator& communicator, const Settings& settings, const DataShape& shape,
                                   int ranks, Index baseline);

/// A plan needs to know s1; a file of landmarks is read only by the run. @throws Error(usage) if it is not given.
/// Local.
void require_landmarks(const PlanInput& input);

/// @throws Error(resource) with the figures and what to change, where the plan exceeds run.memory
void require_memory(const Settings& settings, const PlanInput& input);

}  // namespace cairn::app

#include "cairn/run/planning.hpp"

#include <fmt/format.h>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/approximation/methods.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/landmark/landmark_parameters.hpp"
#include "cairn/plan/biharmonic_plan.hpp"
#include "cairn/run/method_values.hpp"
#include "cairn/run/plan_sizes.hpp"
#include "cairn/run/session.hpp"

namespace cairn {

namespace {

// What a method, its values and a similarity say.
struct Chosen {
  const MethodDescriptor& method;
  const Values& values;
  Index landmarks = 0;
  std::string similarity;
  SimilarityTraits traits;
};

// Path lengths in edges are taken to be below 65,536; their squares take twice the room.
Index tile_number_bytes(const PlanInput& input, const Values& values) {
  if (input.similarity != "path-length" || input.weighted) return input.number_bytes;
  return values.text("transform") == "sqrt" ? 4 : 2;
}

// Arcs of the graph that P is solved on.
Index operator_arcs(const PlannedObjects& objects, const std::string& kind, Index neighbours) {
  constexpr Index mesh_degree = 6;
  constexpr double one_sided = 1.4;  // arcs of a neighbour's edge, which may be a neighbour of both or of one
  if (objects.kind == objects::graph_vertices) return objects.arcs;
  if (objects.kind == objects::mesh_vertices && kind != "neighbours") return mesh_degree * objects.objects;
  return static_cast<Index>(one_sided * static_cast<double>(neighbours * objects.objects));
}

void set_biharmonic(const PlannedObjects& objects, const Values& values, PlanInput& input) {
  const std::vector<std::string> own = operators_of(objects.kind);
  std::string kind = values.text("operator");
  if (kind == "auto" && !own.empty()) kind = own.front();
  input.tile_number_bytes = tile_number_bytes(input, values);
  input.solver = values.text("solver");
  input.soft = values.given("soft-landmarks");
  input.storage = values.text("joining-storage");
  input.p_row = values.integer("p-row");
  input.patch_share = patch_share(objects.objects, input.s1, interpolation_parameters(values));
  input.mesh = objects.kind == objects::mesh_vertices;
  input.arcs = operator_arcs(objects, kind, values.integer("neighbours"));
  input.weighted = objects.weighted || kind != "graph";
}

SimilarityChoice choice_of(const PlannedRun& run) {
  const SimilarityDescriptor& similarity = similarity_named(run.similarity);
  SimilarityChoice choice(similarity, values_of(similarity.parameters, run.similarity_values));
  check_parameters(choice);
  return choice;
}

PlanInput input_of(const Session& session, const PlannedObjects& objects, const Chosen& chosen, int ranks,
                   Index baseline) {
  const bool by_source = chosen.method.needs.rows || chosen.traits.single_source;
  PlanInput input;
  input.objects = objects.objects;
  input.dimension = objects.dimension;
  input.number_bytes = objects.single_precision ? 4 : 8;
  input.interpolates = chosen.method.needs.rows;
  if (chosen.method.needs.landmarks) input.selection = chosen.values.text(landmark_parameters::selection);
  input.s1 = chosen.landmarks;
  input.evaluations_per_entry = chosen.traits.evaluations_per_entry;
  input.by_source = by_source;
  input.probe_rows = by_source ? most_compared_rows(objects.objects) : 0;
  input.similarity = chosen.similarity;
  input.tile_number_bytes = input.number_bytes;
  input.threads = session.options().threads;
  input.memory_limit = session.options().memory;
  input.ranks = ranks;
  input.arcs = objects.arcs;
  input.weighted = objects.weighted;
  input.baseline_bytes = baseline;
  if (chosen.method.cost != nullptr) {
    input.cost = chosen.method.cost(chosen.values, {.objects = objects.objects,
                                                    .landmarks = chosen.landmarks,
                                                    .ranks = ranks,
                                                    .definite = chosen.traits.definite,
                                                    .by_source = by_source});
  }
  if (input.interpolates) set_biharmonic(objects, chosen.values, input);
  return input;
}

}  // namespace

template <class T>
PlannedObjects sizes_of(const Session& session, const Objects<T>& objects) {
  PlannedObjects sizes{.kind = objects.kind(),
                       .objects = objects.size(),
                       .dimension = objects.dimension(),
                       .single_precision = sizeof(T) == 4};
  const auto* graph = objects.data().template as<Graph>();
  if (graph == nullptr) return sizes;
  sizes.arcs = session.communicator().sum(static_cast<Index>(graph->neighbours().size()));
  sizes.weighted = graph->weighted();
  return sizes;
}

template <class T>
Index work_beside_tiles(const Session& session, const SimilarityMatrix<T>& matrix, const MethodDescriptor& method,
                        const Values& values, Index landmarks) {
  const Chosen chosen{method, values, landmarks, matrix.name(), matrix.state().traits};
  constexpr Index no_baseline = 0;  // only work is asked for
  return work_beside_joining(
      input_of(session, sizes_of(session, matrix.objects()), chosen, session.communicator().size(), no_baseline));
}

Plan plan(const Session& session, const PlannedObjects& objects, const PlannedRun& run) {
  const Index baseline = session.communicator().maximum(resident_bytes());
  return collectively(session.communicator(), [&] {
    const MethodDescriptor& method = method_named(run.method);
    const auto [values, landmarks] =
        method_values(method, run.values, {objects.objects, 0, operators_of(objects.kind)});
    if (landmarks == 0 && method.needs.landmarks) {
      throw Error(ErrorKind::usage,
                  fmt::format("parameter {} is missing: a plan needs it if landmarks come from a file",
                              landmark_parameters::count));
    }
    const SimilarityChoice choice = choice_of(run);
    const SimilarityTraits traits = choice.traits();
    PlanInput input = input_of(session, objects, {method, values, landmarks, run.similarity, traits},
                               run.ranks > 0 ? run.ranks : session.communicator().size(), baseline);
    const auto preparation = choice.descriptor->preparation;
    if (preparation != nullptr) input.preparation = preparation(choice.values, objects.objects);
    input.measures_error = run.measures_error;
    if (!run.measures_error) input.probe_rows = 0;
    return plan_memory(input);
  });
}

template PlannedObjects sizes_of(const Session&, const Objects<float>&);
template PlannedObjects sizes_of(const Session&, const Objects<double>&);
template Index work_beside_tiles(const Session&, const SimilarityMatrix<float>&, const MethodDescriptor&, const Values&,
                                 Index);
template Index work_beside_tiles(const Session&, const SimilarityMatrix<double>&, const MethodDescriptor&,
                                 const Values&, Index);

}  // namespace cairn

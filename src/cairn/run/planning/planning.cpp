#include "cairn/run/planning/planning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/catalog/data_size.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/plan/staged_plan.hpp"
#include "cairn/run/computation/error_goal.hpp"
#include "cairn/run/computation/reused_rows.hpp"
#include "cairn/run/planning/plan_budget.hpp"
#include "cairn/run/session.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

namespace {

// Evaluations for setting up parameters: for words among them, and for a sample of distances.
Index preparation(const SimilarityChoice& similarity, Index objects) {
  const auto own = similarity.descriptor->preparation;
  Index evaluations = own != nullptr ? own(similarity.values, objects) : 0;
  for (const SimilarityChoice& part : similarity.parts) evaluations += preparation(part, objects);
  return evaluations;
}

// Cost of rows of the similarity, by its name.
SourceCost rows_of(const std::string& similarity, const PlanInput& input, const MethodChoice& method,
                   const PlannedObjects& objects) {
  const bool squared = method.method->has("transform") && method.values.text("transform") == "sqrt";
  const SourceCostInput sizes{.objects = objects.size.objects,
                              .points_bytes = point_bytes(input) * objects.size.objects,
                              .value_bytes = objects.single_precision ? 4 : 8,
                              .weighted = objects.size.weighted,
                              .directed = objects.size.directed,
                              .squared = squared};
  return input.similarity.single_source ? similarity_named(similarity).source_cost(sizes) : point_source_cost(sizes);
}

PlanInput input_of(const PlannedObjects& objects, const std::string& similarity, const SimilarityTraits& traits,
                   const MethodChoice& method) {
  PlanInput input;
  input.data = objects.size;
  input.method = method.method;
  input.values = method.values;
  input.operators = operators_of(objects.kind);
  input.landmarks = method.landmark_count(objects.size.objects);
  if (input.landmarks == 0 && method.method->needs.order) input.landmarks = objects.size.objects;  // all objects
  if (method.method->needs.landmarks) input.selection = &method.selection();
  input.similarity = traits;
  input.value_bytes = objects.single_precision ? 4 : 8;
  if (input.by_source()) {
    input.rows = rows_of(similarity, input, method, objects);
    input.estimate.rows = most_compared_rows(objects.size.objects, input.landmarks, input.estimate.share);
  }
  return input;
}

// Bytes of an entry of columns of K if they stay integers as factors, as those of growing samples do not. That depends
// on the weights, and on the search: a hierarchy is assumed if it may be used.
Index planned_column_bytes(const PlanInput& input, const MethodChoice& method, const SimilarityChoice& similarity,
                           const PlannedObjects& objects) {
  if (!input.similarity.single_source || objects.size.weighted || method.grows()) return 0;
  if (similarity.descriptor != &path_length_similarity()) return 0;
  return may_use_hierarchy(similarity.values) ? input.rows.value_bytes : Index{4};
}

PlannedDistances planned(const Communicator& communicator, const DistanceUse& use, const RunKeys& keys) {
  PlannedDistances distances;
  distances.kept = use.keep || !use.reuse.empty();
  if (use.reuse.empty()) return distances;
  const DistancesShape read = read_distances_shape(communicator, use.reuse, keys.output);
  distances.columns = read.columns;
  distances.random = read.random;
  distances.sample = read.sample;
  return distances;
}

}  // namespace

PlanInput plan_input(const Communicator& communicator, const PlannedObjects& objects, const RunChoices& run,
                     const PlannedPlace& place, const RunKeys& keys) {
  PlanInput input = input_of(objects, run.similarity.name(), run.similarity.traits(), run.method);
  input.preparation = preparation(run.similarity, objects.size.objects);
  input.estimate = run.estimate;
  if (!run.similarity.traits().base.empty()) input.distances = planned(communicator, run.distances, keys);
  const SimilarityDescriptor* const paths = &path_length_similarity();
  if (run.keep_hierarchy && run.similarity.descriptor == paths && may_use_hierarchy(run.similarity.values) &&
      !objects.size.directed) {  // the mean of both directions is not kept
    input.kept_bytes = planned_hierarchy_bytes(objects.size.objects, objects.size.weighted);
  }
  input.column_bytes = planned_column_bytes(input, run.method, run.similarity, objects);
  input.near = run.near.near;
  if (input.near > 0 && input.similarity.single_source) {
    input.rows.shared.insert(input.rows.shared.end(), input.rows.pairs.begin(), input.rows.pairs.end());
  }
  input.checks_near = run.near.check;
  input.near_exact = run.near.exact;
  if (run.method.reuses_landmarks()) {
    const ReusedShape known = reused_shape(communicator, run.method, run.similarity.name());
    input.landmarks = known.landmarks;
    input.known_entries = known.entries;
  }
  input.ranks = place.ranks;
  input.threads = place.threads;
  input.baseline_bytes = place.baseline_bytes;
  input.memory_limit = place.memory;
  return input;
}

void require_landmarks(const PlanInput& input, const MethodChoice& method) {
  if (input.landmarks > 0 || !method.count_is_read()) return;
  throw Error(ErrorKind::usage, fmt::format("{} is missing: a plan needs it if the landmarks come from a file, or "
                                            "if their number follows from an error",
                                            method.landmarks.keys()(landmark_names::count)));
}

template <class T>
PlannedObjects sizes_of(const Session& session, const Objects<T>& objects) {
  return {objects.kind(), size_of(session.communicator(), objects.data()), sizeof(T) == 4};
}

template <class T>
bool require_run_budget(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                        const MethodChoice& method, const MemoryLimit& memory, const RunLandmarks& landmarks) {
  const Communicator& communicator = execution.communicator;
  const PlannedObjects objects{data.kind->objects, size_of(communicator, data), sizeof(T) == 4};
  PlanInput input = input_of(objects, exact.name(), exact.traits, method);
  if (landmarks.count > 0 || method.grows()) input.landmarks = landmarks.count;
  if (input.landmarks == 0 && method.method->needs.landmarks) return false;  // or taken from another result
  input.ranks = communicator.size();
  input.threads = execution.threads;
  const Index resident = communicator.maximum(resident_bytes() - landmarks.held_bytes);
  input.baseline_bytes = std::max<Index>(0, resident - held_data_bytes(input));
  input.memory_limit = memory.bytes > 0 ? memory.bytes : default_memory(communicator);
  if (!method.grows() && exact.entries) input.column_bytes = whole_column_bytes(*exact.entries);
  input.estimate = {.measured = false};
  return require_plan_budget(communicator, plan_memory(input), memory, "", landmarks.warns);
}

template <class T>
Index work_beside_tiles(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                        const MethodChoice& method, Index landmarks) {
  const PlannedObjects objects{data.kind->objects, size_of(execution.communicator, data), sizeof(T) == 4};
  PlanInput input = input_of(objects, exact.name(), exact.traits, method);
  input.landmarks = landmarks;
  input.ranks = execution.communicator.size();
  input.threads = execution.threads;
  return work_beside_tiles(input);
}

Plan plan(const Session& session, const PlannedObjects& objects, const PlannedRun& planned_run) {
  const Communicator& communicator = session.communicator();
  session.require_same_call(
      "plan", words_of(planned_run.values,
                       words_of(planned_run.similarity_values, {planned_run.similarity, planned_run.method})));
  const Index baseline = communicator.maximum(resident_bytes());
  const RunChoices run = collectively(communicator, [&] {
    const SimilarityDescriptor& similarity = similarity_named(planned_run.similarity);
    SimilarityChoice choice(similarity, values_of(similarity.parameters, planned_run.similarity_values));
    check_parameters(choice);
    const SimilarityTraits traits = choice.traits();
    RunChoices choices{
        std::move(choice),
        for_error_goal(with_default_selection(method_choice(planned_run.method, planned_run.values), objects.kind),
                       traits)};
    check_error_goal(choices.method, objects.single_precision);
    check(choices.method, {objects.size.objects, 0, operators_of(objects.kind)}, choices.similarity.name(),
          choices.similarity.traits());
    return choices;
  });
  PlannedPlace place{planned_run.ranks > 0 ? planned_run.ranks : communicator.size(), session.options().threads,
                     baseline, session.memory().bytes};
  PlanInput input = plan_input(communicator, objects, run, place);
  input.estimate.measured = planned_run.measures_error;
  input.estimate.share = EstimateEffort::no_limit;
  if (input.by_source() && input.estimate.measured)
    input.estimate.rows = most_compared_rows(objects.size.objects, input.landmarks, input.estimate.share);
  return collectively(communicator, [&] {
    require_landmarks(input, run.method);
    return plan_memory(input);
  });
}

#define CAIRN_INSTANTIATE(T)                                                                                     \
  template PlannedObjects sizes_of(const Session&, const Objects<T>&);                                           \
  template bool require_run_budget(const Execution&, const Data<T>&, const ExactMatrix<T>&, const MethodChoice&, \
                                   const MemoryLimit&, const RunLandmarks&);                                     \
  template Index work_beside_tiles(const Execution&, const Data<T>&, const ExactMatrix<T>&, const MethodChoice&, Index);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

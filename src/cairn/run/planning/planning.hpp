// What an approximation will take, before anything is computed.
#pragma once

#include <string>

#include "cairn/parameters/memory_limit.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/run/computation/kept_distances.hpp"
#include "cairn/run/computation/method_choice.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/run/objects.hpp"

namespace cairn {

class Session;

/// Objects that a plan is made for, read or not.
struct PlannedObjects {
  ObjectKind kind = objects::points;
  DataSize size{};
  bool single_precision = false;  ///< of factors and points
};

/// Those that were read. Collective.
template <class T>
[[nodiscard]] PlannedObjects sizes_of(const Session& session, const Objects<T>& objects);

/// A run: what similarity() and approximate() would be given.
struct PlannedRun {
  std::string similarity;
  GivenValues similarity_values{};
  std::string method;
  GivenValues values{};
  int ranks = 0;               ///< 0: those of the session
  bool measures_error = true;  ///< by probe_error()
};

/// Bytes per rank by item, evaluations, bytes of the file: from the cost that the method states, and for biharmonic
/// interpolation from measured sizes of its factors. What ranks hold already is counted.
/// @throws Error(usage) as similarity() and approximate() for bad parameters, and where the number of landmarks follows
/// from a file alone. Collective.
[[nodiscard]] Plan plan(const Session& session, const PlannedObjects& objects, const PlannedRun& run);
template <class T>
[[nodiscard]] Plan plan(const Session& session, const Objects<T>& objects, const PlannedRun& run) {
  return plan(session, sizes_of(session, objects), run);
}

/// The same run by its choices.
struct RunChoices {
  SimilarityChoice similarity;
  MethodChoice method;
  PlannedEstimate estimate{};
  DistanceUse distances{};
  bool keep_hierarchy = false;  ///< as ComputationOptions has it
  NearChoice near{};            ///< likewise
};

/// Where it is planned.
struct PlannedPlace {
  int ranks = 1, threads = 1;
  Index baseline_bytes = 0;  ///< resident on a rank before any data
  Index memory = 0;          ///< bytes per rank to count on; 0: no limit
};

/// The sizes that its plan is made from. @throws Error(input) if P or distances are those of a file that has none.
/// Collective.
[[nodiscard]] PlanInput plan_input(const Communicator& communicator, const PlannedObjects& objects,
                                   const RunChoices& run, const PlannedPlace& place, const RunKeys& keys = {});

/// A plan needs to know s1; a file of landmarks is read only by the run. @throws Error(usage) if it is not given.
/// Local.
void require_landmarks(const PlanInput& input, const MethodChoice& method);

/// What require_plan_room says of a run whose objects are read, its error not measured. Without a number of landmarks
/// (a file has them) nothing is compared. @param landmarks  s1, if the choice does not tell; 0: unknown
/// @throws Error(resource). Collective.
template <class T>
void require_run_room(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                      const MethodChoice& method, const MemoryLimit& memory, Index landmarks = 0);

/// Bytes that a rank takes beside W, while it is made and rows are compared. @param landmarks  s1 Collective.
template <class T>
[[nodiscard]] Index work_beside_tiles(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                      const MethodChoice& method, Index landmarks);

}  // namespace cairn

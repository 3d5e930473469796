// Cost of an approximation, before anything is computed.
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

/// Objects for which a plan is made, read or not.
struct PlannedObjects {
  ObjectKind kind = objects::points;
  DataSize size{};
  bool single_precision = false;  ///< for factors and points
};

/// Sizes of objects that were read. Collective.
template <class T>
[[nodiscard]] PlannedObjects sizes_of(const Session& session, const Objects<T>& objects);

/// A run: the arguments of similarity() and approximate().
struct PlannedRun {
  std::string similarity;
  GivenValues similarity_values{};
  std::string method;
  GivenValues values{};
  int ranks = 0;               ///< 0: those of the session
  bool measures_error = true;  ///< by probe_error()
};

/// Bytes per rank by item, evaluations, bytes of the file: from the cost that the method states, and for biharmonic
/// interpolation from measured sizes of its factors. Memory that the ranks already hold is included.
/// @throws Error(usage) as similarity() and approximate() for bad parameters, and if the number of landmarks follows
/// only from a file. Collective.
[[nodiscard]] Plan plan(const Session& session, const PlannedObjects& objects, const PlannedRun& run);
template <class T>
[[nodiscard]] Plan plan(const Session& session, const Objects<T>& objects, const PlannedRun& run) {
  return plan(session, sizes_of(session, objects), run);
}

/// The same run, as choices.
struct RunChoices {
  SimilarityChoice similarity;
  MethodChoice method;
  PlannedEstimate estimate{};
  DistanceUse distances{};
  bool keep_hierarchy = false;  ///< as in ComputationOptions
  NearChoice near{};            ///< likewise
};

/// Place for which a run is planned.
struct PlannedPlace {
  int ranks = 1, threads = 1;
  Index baseline_bytes = 0;  ///< resident on a rank before any data
  Index memory = 0;          ///< limit in bytes per rank; 0: none
};

/// Sizes from which the plan is computed. @throws Error(input) if P or distances are taken from a file that has none.
/// Collective.
[[nodiscard]] PlanInput plan_input(const Communicator& communicator, const PlannedObjects& objects,
                                   const RunChoices& run, const PlannedPlace& place, const RunKeys& keys = {});

/// A plan needs s1; a file of landmarks is read only by the run. @throws Error(usage) if s1 is not given. Local.
void require_landmarks(const PlanInput& input, const MethodChoice& method);

/// What a run knows of its landmarks.
struct RunLandmarks {
  Index count = 0;       ///< s1; 0: as the choice states it
  Index held_bytes = 0;  ///< on this rank: what is there of what the plan has
  bool warns = true;     ///< if the run may not fit
};

/// Calls require_plan_budget for a run whose objects are read, without the measurement of its error. Does nothing if
/// the number of landmarks is not known: a file has them, or it grows.
/// @return true if the run may not fit @throws Error(resource). Collective.
template <class T>
bool require_run_budget(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                        const MethodChoice& method, const MemoryLimit& memory, const RunLandmarks& landmarks = {});

/// Bytes that a rank needs besides W, while W is computed and rows are compared. @param landmarks  s1. Collective.
template <class T>
[[nodiscard]] Index work_beside_tiles(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                      const MethodChoice& method, Index landmarks);

}  // namespace cairn

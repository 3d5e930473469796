// What an approximation will take, before anything is computed.
#pragma once

#include <string>

#include "cairn/plan/plan_model.hpp"
#include "cairn/run/given.hpp"
#include "cairn/run/objects.hpp"

namespace cairn {

class Session;

/// Sizes of objects that a plan depends on.
struct PlannedObjects {
  ObjectKind kind = objects::points;
  Index objects = 0;
  Index dimension = 0;            ///< of points
  Index arcs = 0;                 ///< of a graph, two an edge
  bool weighted = false;          ///< its edges have lengths
  bool single_precision = false;  ///< of factors and points
};

/// Those of objects that were read. Collective.
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

}  // namespace cairn

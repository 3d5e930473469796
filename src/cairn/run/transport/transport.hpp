// From two sets of points to a plan of transport between them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/run/computation/computation.hpp"
#include "cairn/run/objects.hpp"
#include "cairn/run/transport/transport_parameters.hpp"
#include "cairn/task/transport/transport_plan.hpp"

namespace cairn {

class Session;

/// What is moved. All of it outlives the computation.
template <class T>
struct TransportInput {
  const Execution& execution;
  const RowBlock<T>& source;
  const RowBlock<T>& target;
  std::span<const double> source_weights{};  ///< of this rank's rows, sums of any size; empty everywhere: all equal
  std::span<const double> target_weights{};
  std::string source_weights_file{};  ///< that messages name, if any
  std::string target_weights_file{};
  const RowBlock<T>* unseen = nullptr;  ///< points that are mapped by the plan, if any
  TransportChoice choice;
  RunRoom room{};
};

/// What was found. Each rank has its own points; groups and mapped points are of the rows as they were given.
template <class T>
struct Transported {
  Measure<T> source, target;
  std::vector<Index> source_groups, target_groups;  ///< the point that each row became; -1: its weight is 0
  Index dropped = 0;                                ///< rows of weight 0
  std::string kernel;                               ///< that was used
  Index columns = 0;                                ///< of its factors; 0: exact
  SinkhornOutcome iterations;
  TransportPlan<T> plan;
  std::optional<SampledViolation> exact_source, exact_target;  ///< violations under the kernel itself
  std::optional<double> divergence;
  std::optional<RowBlock<double>> mapped;
  Index evaluations = 0;  ///< of distances and of K, over all ranks
  std::vector<std::string> notes, warnings;
};

/// Merges equal points, computes a plan by Sinkhorn's iteration and describes it.
/// @throws Error(usage) for sides of unlike dimension, too many landmarks, or a method that does not take such points;
/// Error(input) for weights that are negative, not finite, or all 0; Error(numeric) if the kernel times a scaling is
/// not above 0, which ends `auto` in the exact kernel, or if marginals are off by more than 1. Collective.
template <class T>
[[nodiscard]] Transported<T> transport(const TransportInput<T>& input);

/// The same of the objects of a program, which are points. @param given  names of transport_parameters(), of the
/// method that is the kernel, and of landmarks: {{"epsilon", 0.1}, {"kernel", "nystrom"}, {"landmarks.count", 100}}
/// Collective.
template <class T>
[[nodiscard]] Transported<T> transport(const Session& session, const Objects<T>& source, const Objects<T>& target,
                                       const GivenValues& given);

}  // namespace cairn

// Plans of transport between two sets of points.
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

/// Input of a transport. All of it must outlive the computation.
template <class T>
struct TransportInput {
  const Execution& execution;
  const RowBlock<T>& source;
  const RowBlock<T>& target;
  std::span<const double> source_weights{};  ///< of this rank's rows, with any sum; empty on every rank: all are equal
  std::span<const double> target_weights{};
  std::string source_weights_file{};  ///< name for messages, if any
  std::string target_weights_file{};
  const RowBlock<T>* unseen = nullptr;  ///< points to be mapped by the plan, if any
  TransportChoice choice;
  RunResources budget{};
};

/// Result of a transport. Each rank has its own points; groups and mapped points are those of the rows as given.
template <class T>
struct Transported {
  Measure<T> source, target;
  std::vector<Index> source_groups, target_groups;  ///< point of each row; -1: its weight is 0
  Index dropped = 0;                                ///< rows of weight 0
  std::string kernel;                               ///< kernel that was used
  Index columns = 0;                                ///< columns of its factors; 0: exact
  SinkhornOutcome iterations;
  TransportPlan<T> plan;
  std::optional<SampledViolation> exact_source, exact_target;  ///< violations under the exact kernel
  std::optional<double> divergence;
  std::optional<RowBlock<double>> mapped;
  Index evaluations = 0;  ///< of distances and of K, over all ranks
  std::vector<std::string> notes, warnings;
};

/// Merges equal points, computes a plan by Sinkhorn's iteration and describes it.
/// @throws Error(usage) for sides of different dimension, too many landmarks, or a method that does not take such
/// points; Error(input) for weights that are negative, not finite, or all 0; Error(numeric) if the product of the
/// kernel and a scaling is not above 0 (then `auto` falls back to the exact kernel), or if marginals are off by more
/// than 1. Collective.
template <class T>
[[nodiscard]] Transported<T> transport(const TransportInput<T>& input);

/// Weights of the points of a program, with any sum, which ranks hold in the order of the points, in any shares; empty on
/// every rank: all are equal.
struct TransportWeights {
  std::span<const double> source{}, target{};
};

/// The same for objects of a program, which must be points. @param given  names of transport_parameters(), of the
/// kernel's method, and of landmarks: {{"epsilon", 0.1}, {"kernel", "nystrom"}, {"landmarks.count", 100}} Collective.
template <class T>
[[nodiscard]] Transported<T> transport(const Session& session, const Objects<T>& source, const Objects<T>& target,
                                       const GivenValues& given, const TransportWeights& weights = {});

}  // namespace cairn

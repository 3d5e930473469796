// K S for the landmarks passed to a method.
#pragma once

#include "cairn/approximation/method.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/similarity/distance_table.hpp"

namespace cairn {

/// The phase in which similarities for the factors are counted, and the phase of the core step.
inline constexpr const char* similarities_phase = "similarities";
inline constexpr const char* core_phase = "joining";

/// K S1: moved out of input.landmarks if the selection evaluated it, else evaluated. Collective.
template <class T>
[[nodiscard]] RowBlock<T> landmark_columns(Problem<T>& input);

/// The same in the numbers in which the columns come, as evaluate_whole_columns: for an L that is K S1. Collective.
template <class T>
[[nodiscard]] TallMatrix<T> whole_landmark_columns(Problem<T>& input);

/// The origin of K S1; moves the landmark objects out of `input`. Local.
template <class T>
[[nodiscard]] FactorOrigin landmark_origin(Problem<T>& input);

/// The objects from which samples other than the landmarks are drawn: all, or those of the landmarks' split.
/// @throws Error(usage) that names the parameter s2 if they are too few. Collective.
template <class T>
[[nodiscard]] EligibleObjects sampled_objects(const Problem<T>& input);

/// `count` of these objects, drawn uniformly (Stream::second_sample). @pre count <= from.count(). Collective.
[[nodiscard]] std::vector<Index> draw_apart(const EligibleObjects& from, Index count, std::uint64_t seed);

/// `count` of these objects besides `sample`, drawn uniformly (Stream::second_sample), in the order of the draw; those
/// of `known`, whose columns cost nothing, come first.
/// @pre all of `sample` are eligible, and sample.size() + count <= from.count(). Collective.
[[nodiscard]] std::vector<Index> draw_beside(const EligibleObjects& from, const std::vector<Index>& sample, Index count,
                                             std::uint64_t seed, const std::vector<Index>& known);

/// Objects whose distances to all were read from a file. Local.
template <class T>
[[nodiscard]] std::vector<Index> known_columns(const Similarity<T>& similarity) {
  const DistanceTable<T>* const table = similarity.distances();
  return table == nullptr ? std::vector<Index>{} : table->read_columns();
}

}  // namespace cairn

// K S for the landmarks that a method was handed.
#pragma once

#include "cairn/approximation/method.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/similarity/distance_table.hpp"

namespace cairn {

/// The phase that similarities for the factors are counted in, and the one of the joining step.
inline constexpr const char* similarities_phase = "similarities";
inline constexpr const char* joining_phase = "joining";

/// K S1: moved out of input.landmarks where the selection evaluated it, else evaluated. Collective.
template <class T>
[[nodiscard]] RowBlock<T> landmark_columns(Problem<T>& input);

/// Where K S1 comes from; takes the landmark objects out of `input`. Local.
template <class T>
[[nodiscard]] FactorOrigin landmark_origin(Problem<T>& input);

/// The objects that other samples than the landmarks are drawn from: all, or those of the split of the landmarks.
/// @throws Error(usage) that names the parameter s2 if they are fewer. Collective.
template <class T>
[[nodiscard]] EligibleObjects sampled_objects(const Problem<T>& input);

/// `count` of these objects, drawn uniformly (Stream::second_sample). @pre count <= from.count(). Collective.
[[nodiscard]] std::vector<Index> draw_apart(const EligibleObjects& from, Index count, std::uint64_t seed);

/// `count` of these objects beside `sample`, drawn uniformly (Stream::second_sample), in the order of the draw; those
/// of `known`, whose columns cost nothing, before any other.
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

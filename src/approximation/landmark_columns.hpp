// K S for the landmarks that a method was handed.
#pragma once

#include "approximation/methods.hpp"

namespace cairn {

/// The phase that similarities for the factors are counted in, and the one of the joining step.
inline constexpr const char* similarities_phase = "similarities";
inline constexpr const char* joining_phase = "joining";

/// K S1: moved out of input.landmarks where the selection evaluated it, else evaluated. Collective.
template <class T>
[[nodiscard]] RowBlock<T> landmark_columns(MethodInput<T>& input);

/// Where K S1 comes from; takes the landmark objects out of `input`. Local.
template <class T>
[[nodiscard]] FactorOrigin landmark_origin(MethodInput<T>& input);

/// `count` objects beside `sample`, drawn uniformly (Stream::second_sample), in the order of the draw.
/// @pre sample.size() + count <= population. The same on every rank, local.
[[nodiscard]] std::vector<Index> draw_beside(const std::vector<Index>& sample, Index count, Index population,
                                             std::uint64_t seed);

}  // namespace cairn

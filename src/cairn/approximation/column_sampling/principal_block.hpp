// K among the landmarks and further objects.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/approximation/method.hpp"

namespace cairn {

/// K among the objects `indices`: strips of columns, of which each rank has some rows. Strip k ends before column
/// ends[k], and has the rows before it: the entries below are those of later strips, as K is symmetric.
template <class T>
struct SampleBlock {
  std::vector<Index> indices{};
  std::vector<Index> ends{};
  std::vector<RowBlock<T>> strips{};
};

/// Strips of a block of which only one triangle is evaluated.
inline constexpr Index block_strips = 8;
/// Entries evaluated for K among `count` objects in so many strips. Local.
[[nodiscard]] Index entries_of_strips(Index count, Index strips);

/// Evaluates K among the objects `indices`, in the phase of the similarities. @param strips  1: all entries; more are
/// not taken if the similarity has a table of distances. Collective.
template <class T>
[[nodiscard]] SampleBlock<T> evaluate_among(const Problem<T>& input, std::vector<Index> indices, Index strips);

/// Adds the objects `more`: evaluates K between them and all objects of the block. Collective.
template <class T>
void add_to_block(const Problem<T>& input, std::span<const Index> more, SampleBlock<T>& block);

/// Draws `count` objects that are not landmarks and evaluates K among them, count² entries. Collective.
template <class T>
[[nodiscard]] SampleBlock<T> evaluate_beside(const Problem<T>& input, const std::vector<Index>& landmarks, Index count);

/// PᵀKP. P holds the landmarks, and after them the objects of `beside` that are no landmarks. Entries of landmarks come
/// from K S1.
/// @param columns  K S1, or K S with S1 its first landmarks
/// @throws Error(input) as landmark_block, on the entries of which both directions are known. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix principal_block(const Problem<T>& input, const TallMatrix<T>& columns,
                                                const std::vector<Index>& landmarks, const SampleBlock<T>& beside,
                                                const std::shared_ptr<const ProcessGrid>& grid);

}  // namespace cairn

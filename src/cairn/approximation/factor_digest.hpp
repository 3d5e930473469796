// Numbers that tell whether two results have the same factors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// 64 bits of all entries of a factor and their places, the same on any number of ranks: a hash of each RowPartition
/// unit, added up modulo 2^64. Factors of other precision have another digest. Collective.
template <class T>
[[nodiscard]] std::uint64_t factor_digest(const Communicator& communicator, const Factor<T>& factor);

/// 64 bits of what the columns of L stand for. Two results with the same one have rows of L that may be multiplied by
/// the same coefficients: of factors that come from similarities with landmarks, a hash of the landmarks, the map and
/// J, which an extension keeps; of others, and of sparse factors, factor_digest. Landmarks that are not of the data
/// (random documents) count with their words and vectors, and with the parameters of the similarity: neither is in
/// their numbers or in J.
/// @param parameters  resolved, of the similarity
/// Collective.
template <class T>
[[nodiscard]] std::uint64_t basis_digest(const Communicator& communicator, const Approximation<T>& approximation,
                                         std::span<const std::pair<std::string, std::string>> parameters = {});

}  // namespace cairn

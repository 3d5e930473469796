// Digests that show whether two results have the same factors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// 64-bit digest of all entries of a factor and their positions, the same on any number of ranks: a hash of each
/// RowPartition unit, added up modulo 2^64. Factors of different precision have different digests. Collective.
template <class T>
[[nodiscard]] std::uint64_t factor_digest(const Communicator& communicator, const Factor<T>& factor);

/// 64-bit digest of the meaning of the columns of L. If two results have the same one, rows of their L may be
/// multiplied by the same coefficients. For factors from similarities with landmarks: a hash of the landmarks, the map
/// and J, which an extension keeps; for other and for sparse factors: factor_digest. Landmarks that are not in the data
/// (random documents) are hashed with their words and vectors, and with the parameters of the similarity, because their
/// numbers and J do not identify these.
/// @param parameters  resolved, of the similarity
/// Collective.
template <class T>
[[nodiscard]] std::uint64_t basis_digest(const Communicator& communicator, const Approximation<T>& approximation,
                                         std::span<const std::pair<std::string, std::string>> parameters = {});

}  // namespace cairn

// Probabilities of Stochastic Neighbor Embedding.
#pragma once

#include <span>
#include <vector>

namespace cairn {

/// p_j = exp(-d_j / 2 sigma²) / sum_k exp(-d_k / 2 sigma²) for the squared distances d_j of a point's neighbors, with
/// sigma such that the perplexity exp(-sum_j p_j log p_j) is `perplexity` to 1e-10 of its logarithm.
/// [Turek and Huth 2022, section 3.1]
///
/// If no sigma reaches it, the limit is taken: equal p for all neighbors if there are no more than `perplexity` (sigma
/// infinite), equal p for the nearest only if at least that many are equally near (sigma 0).
/// @param squared_distances  finite, at least one
/// @param perplexity         at least 1
/// Local.
[[nodiscard]] std::vector<double> equalized_probabilities(std::span<const double> squared_distances, double perplexity);

}  // namespace cairn

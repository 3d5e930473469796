// The parameters of linearize, and their rules. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/network/dense_network.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

[[nodiscard]] std::vector<Parameter> linearize_parameters();
/// @throws Error(usage) that names the parameter. Local.
void check_linearize(const Values& values);

/// f from the file or, if the file does not define it, from the values. @throws Error(usage) if both define it, or a
/// parameter has no effect on it. Local.
[[nodiscard]] SimilarityChoice activation_of(const DenseNetwork& network, const Values& values,
                                             const std::string& path);
/// The penalties to try. @throws Error(usage) for one that is not above 0. Local.
[[nodiscard]] std::vector<double> penalties_of(const Values& values);

}  // namespace cairn

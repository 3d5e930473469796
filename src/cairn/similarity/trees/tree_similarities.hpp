// Tree kernels as similarities, and by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"

namespace cairn {

/// Names of the kernels below, and the parameters of one, without `normalize`. @throws Error(internal) for an unknown
/// name. Local.
[[nodiscard]] const std::vector<std::string>& tree_kernel_names();
[[nodiscard]] const std::vector<Parameter>& tree_kernel_parameters(const std::string& name);

/// A kernel by name.
/// @param values  of its parameters, and possibly of others
/// @param labels  of all trees to compare
/// @throws Error(usage) if it compares words and the labels have no vectors, or no label is lexical. Local.
[[nodiscard]] std::unique_ptr<TreeKernel> make_tree_kernel(const std::string& name, const Values& values,
                                                           const std::shared_ptr<const TreeLabels>& labels);
/// The resolved parameters of a kernel, as Similarity::parameters(). Local.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> resolved_tree_kernel(const std::string& name,
                                                                                    const Values& values);

[[nodiscard]] const SimilarityDescriptor& subtree_similarity();
[[nodiscard]] const SimilarityDescriptor& subset_tree_similarity();
[[nodiscard]] const SimilarityDescriptor& partial_tree_similarity();
[[nodiscard]] const SimilarityDescriptor& smoothed_tree_similarity();

}  // namespace cairn

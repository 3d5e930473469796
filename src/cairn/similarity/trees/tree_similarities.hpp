// Tree kernels as similarities, and by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"

namespace cairn {

/// The names of the kernels below, and the parameters of one, without `normalize`. @throws Error(internal) for another
/// name. Local.
[[nodiscard]] const std::vector<std::string>& tree_kernel_names();
[[nodiscard]] const std::vector<Parameter>& tree_kernel_parameters(const std::string& name);

/// A kernel by name.
/// @param values  of its parameters, or of more than those
/// @param labels  of all trees that it will be asked for
/// @throws Error(usage) if it compares words and the labels have no vectors, or none of them is a lexical one. Local.
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

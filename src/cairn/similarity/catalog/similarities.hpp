// Table of similarities, and construction of a similarity from a name and parameters.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// All similarities, in the order of --help. Local.
[[nodiscard]] const std::vector<const SimilarityDescriptor*>& similarities();

/// The similarity of that name. @throws Error(usage) with the nearest name if there is none. Local.
[[nodiscard]] const SimilarityDescriptor& similarity_named(const std::string& name);

/// Adds a similarity of a program that uses this library. `similarity` must outlive all uses of the table. Call this
/// before anything else. @throws Error(usage) if the name is taken. Local.
void add_similarity(const SimilarityDescriptor& similarity);

/// Checks form, range and choices of every given parameter, and the rules of the similarity and its parts.
/// @throws Error(usage). Local.
void check_parameters(const SimilarityChoice& choice);

/// Inverse of Similarity::parameters(): make_similarity makes the same similarity from the result. Parameters of a part
/// of a sum or product carry its number: "1.kind", "1.gamma", "1.weight".
/// @throws Error(input) for an unknown name or a value of the wrong form: the file with the parameters is damaged.
///   Local.
[[nodiscard]] SimilarityChoice from_resolved(const std::string& name,
                                             const std::vector<std::pair<std::string, std::string>>& resolved);

/// Makes the similarity and resolves words into numbers from the data. Document distances needed for this are its first
/// evaluations. `objects` must outlive it.
/// @throws Error(usage) for a bad parameter (it is named), a similarity that does not compare these objects or is
///   single-source; Error(input) for a matrix file, or values whose meaning must be given (sampled_meaning.hpp). The
///   same on every rank. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_similarity(const Execution& execution, const SimilarityChoice& choice,
                                                             const ObjectSet& objects);

/// Makes a single-source similarity. @throws Error(usage) for any other, or a bad parameter; as its maker. Collective.
[[nodiscard]] std::unique_ptr<SourceSimilarity> make_source_similarity(const SimilarityChoice& choice,
                                                                       const SourceInput& input);

}  // namespace cairn

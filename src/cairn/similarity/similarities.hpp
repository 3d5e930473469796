// The table of similarities, and from a name and parameters to a similarity.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// All similarities, in the order of --help. Local.
[[nodiscard]] const std::vector<const SimilarityDescriptor*>& similarities();

/// The similarity of that name. @throws Error(usage) if there is none; it suggests the nearest. Local.
[[nodiscard]] const SimilarityDescriptor& similarity_named(const std::string& name);

/// Puts a similarity in the table: one of a program that uses this library. It outlives all use of the table. Call it
/// before anything else does. @throws Error(usage) if there is one of that name. Local.
void add_similarity(const SimilarityDescriptor& similarity);

/// The form, range and choices of every given parameter, and the rules of the similarity and its parts.
/// @throws Error(usage). Local.
void check_parameters(const SimilarityChoice& choice);

/// What Similarity::parameters() gave, turned back: make_similarity makes the same similarity from it. Those of a part
/// of a sum or product carry its number: "1.kind", "1.gamma", "1.weight".
/// @throws Error(input) for an unknown name, or a value of the wrong form: the file that it was read from is damaged.
/// Local.
[[nodiscard]] SimilarityChoice from_resolved(const std::string& name,
                                             const std::vector<std::pair<std::string, std::string>>& resolved);

/// Makes the similarity and resolves words into numbers from the data; distances of documents that this takes are its
/// first evaluations. `objects` must outlive it.
/// @throws Error(usage) for a bad parameter (it is named), a similarity that does not compare these objects or comes by
///   source; Error(input) for a matrix file, or values of which the meaning must be given (sampled_meaning.hpp). The
///   same on every rank. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_similarity(const Execution& execution, const SimilarityChoice& choice,
                                                             const ObjectSet& objects);

/// One that comes by source. @throws Error(usage) for another, or a bad parameter; as its maker. Collective.
[[nodiscard]] std::unique_ptr<SourceSimilarity> make_source_similarity(const SimilarityChoice& choice,
                                                                       const SourceInput& input);

}  // namespace cairn

// Similarities computed by another program.
#pragma once

#include <memory>
#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/external/scorers.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// k(x, y) as a scorer answers for the pair (x, y), in this order; docs/external-scorers.md describes the protocol.
/// Each pair that is sent counts as an evaluation, also if it is sent again. A tile has about 16 batches.
///
/// Every rank starts program.processes scorers. Their environment has CAIRN_RANK, CAIRN_RANKS, CAIRN_SCORER (number of
/// the scorer on its node, from 0) and CAIRN_SCORERS (scorers on the node).
/// @param send  texts, ids or vectors; empty: the default for the objects
/// @param meaning  meaning of the scores
/// @throws Error(usage) if the objects lack what is sent, or the command is empty. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_external(const Execution& execution, const ScorerProgram& program,
                                                           const std::string& send, const ObjectSet& objects,
                                                           Meaning meaning);

/// Settings of the scorer program from the values of the similarity. Local.
[[nodiscard]] ScorerProgram scorer_program(const Values& values);

[[nodiscard]] const SimilarityDescriptor& external_similarity();

}  // namespace cairn

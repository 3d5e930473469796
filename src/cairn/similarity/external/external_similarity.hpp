// Similarities that another program computes.
#pragma once

#include <memory>
#include <string>

#include "cairn/base/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/external/scorers.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// k(x, y) as a scorer answers for the pair (x, y), in this order; docs/external-scorers.md describes how it is asked.
/// Each pair that is sent counts as an evaluation, those that are sent again as well. Tiles are of some 16 batches.
///
/// Every rank starts program.processes of them, whose environment has CAIRN_RANK and CAIRN_RANKS, CAIRN_SCORER (from 0,
/// among those of its node) and CAIRN_SCORERS (of the node).
/// @param send  texts, ids, vectors; empty: what suits the objects
/// @param meaning  of the scores
/// @throws Error(usage) if the objects have no such thing, or the command is empty. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_external(const Execution& execution, const ScorerProgram& program,
                                                           const std::string& send, const ObjectSet& objects,
                                                           Meaning meaning);

/// How its values say that a scorer is run. Local.
[[nodiscard]] ScorerProgram scorer_program(const Values& values);

[[nodiscard]] const SimilarityDescriptor& external_similarity();

}  // namespace cairn

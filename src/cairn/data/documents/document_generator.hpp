// Documents made by formula, so that everything runs without data.
#pragma once

#include "cairn/data/documents/document_reader.hpp"

namespace cairn {

/// zipf: document i has 4 to 12 words, drawn with probability proportional to 1 / r for the word of rank r in a
/// vocabulary of `source.vocabulary` words, w0, w1, ..., whose vectors are standard normal in `source.dimension`
/// coordinates. Document i and word w are functions of (seed, i) and (seed, w) alone. All words are in use.
/// @throws Error(usage) for another generator, and where documents, vocabulary or dimension are below 1. Collective.
[[nodiscard]] std::unique_ptr<DocumentSet> generate_documents(const Communicator& communicator,
                                                              const DocumentSource& source);

}  // namespace cairn

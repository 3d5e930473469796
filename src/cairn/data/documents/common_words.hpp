// Two sets of documents whose words are numbered alike.
#pragma once

#include <memory>

#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// Copies of two sets that can be compared with each other.
struct DocumentsOfCommonWords {
  std::unique_ptr<DocumentSet> first, second;
};

/// Copies of both sets with the same WordVectors: the words of `first`, then those that only `second` has. Both sets
/// must have vectors. Memory: another copy of the bags, and of all words and vectors on every rank meanwhile.
/// @throws Error(input) for vectors of different dimensions, or a word with two different vectors. Collective.
[[nodiscard]] DocumentsOfCommonWords with_common_words(const Communicator& communicator, const DocumentSet& first,
                                                       const DocumentSet& second);

}  // namespace cairn

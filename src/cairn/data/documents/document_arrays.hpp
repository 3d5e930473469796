// Documents and their words, read back from the arrays that DocumentBlock writes.
#pragma once

#include <memory>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/object_arrays.hpp"

namespace cairn {

/// words/names and words/vectors: the words that the blocks of a file number; null if it has none. Every rank reads
/// them. @param dimension  of their vectors
/// @throws Error(input) for names or vectors that cannot be. Collective.
[[nodiscard]] std::unique_ptr<CommonObjects> read_common_words(const Communicator& communicator,
                                                               const ArrayReader& file, Index dimension);

/// The documents of a block. Without words in common they are texts alone.
/// @throws Error(input) if they are not sound. Local.
[[nodiscard]] std::unique_ptr<ObjectBlock> read_document_block(const StoredObjects& stored);

}  // namespace cairn

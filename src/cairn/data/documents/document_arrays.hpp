// Reads documents and their words from the arrays that DocumentBlock writes.
#pragma once

#include <memory>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/object_arrays.hpp"

namespace cairn {

/// Reads words/names and words/vectors, the words that the blocks of a file refer to; null if the file has none. Every
/// rank reads them.
/// @param dimension  dimension of the vectors
/// @throws Error(input) for invalid names or vectors. Collective.
[[nodiscard]] std::unique_ptr<CommonObjects> read_common_words(const Communicator& communicator,
                                                               const ArrayReader& file, Index dimension);

/// Reads the documents of a block. Without common words the documents are texts only.
/// @throws Error(input) if the arrays are inconsistent. Local.
[[nodiscard]] std::unique_ptr<ObjectBlock> read_document_block(const StoredObjects& stored);

}  // namespace cairn

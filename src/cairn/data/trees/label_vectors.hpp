// Vectors of the words in lexical labels. Private to this folder and to kinds of data that hold trees.
#pragma once

#include <memory>

#include "cairn/data/trees/tree_labels.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"

namespace cairn {

struct LabelVectors {
  std::shared_ptr<const WordVectors> vectors;  ///< null: not requested
  Index words = 0;                             ///< number of different words in lexical labels
  Index without_vector = 0;                    ///< of `words`: those without a vector
  Index repeated = 0;                          ///< vectors left out because the word has an earlier one
};

/// Reads the vectors of the words in lexical labels (LEX##word::p), numbered in the order of the file. Words of `known`
/// that the file lacks follow. Returns nothing if `source` has no path.
/// @param known  labels of a result, or null; their vectors must equal those of the file
/// @throws Error(input) as the readers do, if there are no lexical labels, or none of the words has a vector.
///   Collective.
[[nodiscard]] LabelVectors read_label_vectors(const Communicator& communicator, const TreeLabels& labels,
                                              const WordVectorSource& source, const TreeLabels* known);

}  // namespace cairn

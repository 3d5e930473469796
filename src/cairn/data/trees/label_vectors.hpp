// Vectors of the words of lexical labels. Private to this folder and to kinds of data that hold trees.
#pragma once

#include <memory>

#include "cairn/data/documents/document_reader.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

struct LabelVectors {
  std::shared_ptr<const WordVectors> vectors;  ///< null: none were asked for
  Index words = 0;                             ///< different words in lexical labels,
  Index without_vector = 0;                    ///< and those of them that have none
  Index repeated = 0;                          ///< vectors left out: the word has one before them
};

/// Reads the vectors of the words of lexical labels (LEX##word::p), numbered in the order of the file; those that
/// `known` has and the file lacks follow. Nothing if `source` has no path.
/// @param known  labels of a result, or null: their vectors must be those of the file
/// @throws Error(input) as the readers do, if no label is a lexical one, or none of the words has a vector. Collective.
[[nodiscard]] LabelVectors read_label_vectors(const Communicator& communicator, const TreeLabels& labels,
                                              const WordVectorSource& source, const TreeLabels* known);

}  // namespace cairn

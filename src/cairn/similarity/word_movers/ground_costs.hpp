// Euclidean distances between the words of documents, all that a block of a tile needs at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// Consecutive documents of a block, their distinct words numbered from 0.
class DocumentGroup {
 public:
  /// Takes documents of `documents` from number `begin` on: one, and more while together they have no more than
  /// `most_words` distinct words.
  /// @param marks  one a word of `vectors`, all negative; they are so again afterwards
  /// @return the documents taken
  Range take(const WordVectors& vectors, const DocumentBlock& documents, Index begin, Index most_words,
             std::span<std::int32_t> marks);

  [[nodiscard]] Index words() const { return static_cast<Index>(distinct_.size()); }
  /// words() x dimension, and squared norms.
  [[nodiscard]] MatrixView<const double> vectors() const { return {vectors_.data(), words(), dimension_}; }
  [[nodiscard]] const double* norms() const { return norms_.data(); }
  /// The numbers of a taken document's words, in the order of the document.
  [[nodiscard]] const std::int32_t* numbers(const DocumentBlock& documents, Index document) const;

 private:
  std::vector<std::int32_t> distinct_;  // numbers in WordVectors
  std::vector<std::int32_t> numbers_;   // of all words of the group, one document after the other
  Index first_word_ = 0;                // where the first document starts in DocumentBlock::words
  Index dimension_ = 0;
  Buffer<double> vectors_, norms_;
};

/// |x - y| for all words of two groups, in double precision whatever the vectors are stored in. Products come from
/// BLAS; where |x|^2 + |y|^2 - 2 x.y cancels the distance is taken from the differences instead, so that each is within
/// a few units of 1e-13 of itself, and that of a word to itself, or to one with the same vector, is 0.
class GroundCosts {
 public:
  /// Memory: 8 bytes a pair of words, of the largest block so far.
  void compute(const DocumentGroup& rows, const DocumentGroup& columns);
  /// rows.words() x columns.words(), as computed last.
  [[nodiscard]] MatrixView<const double> costs() const { return costs_; }

 private:
  void finish_row(const DocumentGroup& rows, const DocumentGroup& columns, Index row);

  Buffer<double> room_;
  MatrixView<const double> costs_;
  std::vector<Index> cancelled_;
};

}  // namespace cairn

// Euclidean distances between the words of documents, for a block of a tile at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/data/documents/document_set.hpp"

namespace cairn {

/// Consecutive documents of a block, with their distinct words numbered from 0.
class DocumentGroup {
 public:
  /// Takes documents of `documents` from number `begin` on: at least one, and more while together they have at most
  /// `most_words` distinct words.
  /// @param marks  one per word of `vectors`, all negative before and after
  /// @return the documents taken
  Range take(const WordVectors& vectors, const DocumentBlock& documents, Index begin, Index most_words,
             std::span<std::int32_t> marks);

  [[nodiscard]] Index words() const { return static_cast<Index>(distinct_.size()); }
  /// words() x dimension, and squared norms.
  [[nodiscard]] MatrixView<const double> vectors() const { return {vectors_.data(), words(), dimension_}; }
  [[nodiscard]] const double* norms() const { return norms_.data(); }
  /// Numbers of the words of a taken document, in the order of the document.
  [[nodiscard]] const std::int32_t* numbers(const DocumentBlock& documents, Index document) const;

 private:
  std::vector<std::int32_t> distinct_;  // numbers in WordVectors
  std::vector<std::int32_t> numbers_;   // of all words of the group, one document after the other
  Index first_word_ = 0;                // start of the first document in DocumentBlock::words
  Index dimension_ = 0;
  Buffer<double> vectors_, norms_;
};

/// |x - y| for all words of two groups, in double precision for any stored type. Products come from BLAS. Where |x|^2 +
/// |y|^2 - 2 x.y cancels, the distance is taken from the differences, so that each relative error is within a few units
/// of 1e-13, and the distance of a word to itself, or to one with the same vector, is 0.
class GroundCosts {
 public:
  /// Memory: 8 bytes per pair of words of the largest block so far.
  void compute(const DocumentGroup& rows, const DocumentGroup& columns);
  /// rows.words() x columns.words(), from the last compute().
  [[nodiscard]] MatrixView<const double> costs() const { return costs_; }

 private:
  void finish_row(const DocumentGroup& rows, const DocumentGroup& columns, Index row);

  Buffer<double> room_;
  MatrixView<const double> costs_;
  std::vector<Index> cancelled_;
};

}  // namespace cairn

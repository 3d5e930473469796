// Words and their vectors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// Vectors of the words in use, stored once per node (NodeArray). Word w is row w. Words are numbered in the order of
/// the file of vectors, so that the numbers do not depend on the ranks. Words of a result file that are not in the file
/// of vectors follow.
///
/// Memory, once per node: 4 bytes per value, the words' bytes and 8 per word.
class WordVectors {
 public:
  /// A rank's part of the words: numbers, texts and vectors (numbers.size() x dimension, row-major).
  struct Part {
    std::vector<Index> numbers{};
    std::vector<std::string> words{};
    std::vector<float> values{};
  };

  /// Collects the words of all ranks. Each word is in the part of one rank.
  /// @param dimension  >= 1
  /// @throws Error(resource) if a node lacks memory; Error(internal) unless the numbers of all parts are a permutation
  ///   of 0, 1, ... and the values have the right size. Collective.
  WordVectors(const Communicator& communicator, Index dimension, const Part& own);

  /// Uses words that every rank has, numbered in this order.
  /// @param values  words.size() x dimension
  /// Collective.
  WordVectors(const Communicator& communicator, std::span<const std::string> words, Index dimension,
              std::span<const float> values);

  [[nodiscard]] Index size() const { return starts_.size() - 1; }
  [[nodiscard]] Index dimension() const { return dimension_; }
  /// size() x dimension(), row-major.
  [[nodiscard]] MatrixView<const float> vectors() const { return {values_.values().data(), size(), dimension_}; }
  [[nodiscard]] std::string_view word(Index w) const {
    return {characters_.values().data() + starts_[w], static_cast<std::size_t>(starts_[w + 1] - starts_[w])};
  }

 private:
  [[nodiscard]] std::vector<std::string> gather(const Communicator& communicator, const Part& own);
  void keep_words(const Communicator& communicator, const std::vector<std::string>& words);

  Index dimension_ = 0;
  NodeArray<float> values_;
  NodeArray<char> characters_;
  NodeArray<Index> starts_;
};

}  // namespace cairn

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

/// Vectors of the words in use, once per node (NodeArray). Word w is row w. Words are numbered in the order of the
/// file of vectors, so that the numbers do not depend on the ranks; those that the file lacks and a result file gave
/// follow.
///
/// Memory, once per node: 4 bytes a value, the words' bytes and 8 a word.
class WordVectors {
 public:
  /// Some words of a rank: their numbers, texts and vectors (numbers.size() x dimension, row-major).
  struct Part {
    std::vector<Index> numbers{};
    std::vector<std::string> words{};
    std::vector<float> values{};
  };

  /// Of the words that the ranks have, each word of them with one rank.
  /// @param dimension  >= 1
  /// @throws Error(resource) if a node has no room; Error(internal) unless the numbers of all parts are 0, 1, ...
  ///   once each and the values fit. Collective.
  WordVectors(const Communicator& communicator, Index dimension, const Part& own);

  /// Of words that every rank has, numbered as they stand. @param values  words.size() x dimension. Collective.
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

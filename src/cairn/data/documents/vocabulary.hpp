// The words of one rank, and their numbers shared by all ranks. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/document_reader.hpp"

namespace cairn {

/// Hashes texts without creating strings.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// Words numbered in order of appearance, with their counts.
class Vocabulary {
 public:
  /// Adds `times` to the count of the word. @throws Error(resource) for more than 2^31 different words
  std::int32_t add(std::string_view word, Index times = 1);
  [[nodiscard]] Index size() const { return std::ssize(words_); }
  [[nodiscard]] const std::string& word(Index number) const { return *words_[number]; }
  [[nodiscard]] Index count(Index number) const { return counts_[number]; }

 private:
  TextMap<std::int32_t> numbers_;
  std::vector<const std::string*> words_;  // pointers to keys of numbers_, which are stable
  std::vector<Index> counts_;
};

/// Shared numbers of the words of one rank.
struct SharedWords {
  static constexpr std::int32_t rare = -1, without_vector = -2;
  std::shared_ptr<const WordVectors> vectors;
  std::vector<std::int32_t> numbers;    ///< per word of the vocabulary: index into `vectors`, or one of the two above
  std::int32_t blank = without_vector;  ///< number of the only word of kept documents that have no other word
  Index different = 0;                  ///< different words of all ranks
  Index different_without_vector = 0;   ///< of `different`: words that occur often enough and have no vector
  Index repeated_vectors = 0;           ///< vectors left out because the word has an earlier one
};

/// Counts the words of all ranks, reads the vectors of those that occur often enough, and numbers those that have one
/// in the order of the file. Each word is counted and numbered by the rank given by its hash. Memory: the rank's share
/// of the words and vectors in use, and 16 bytes per word in use.
///
/// @param has_empty  true if, by these numbers, this rank has documents without a known word. If such documents are
///   kept and a rank has some, their word is a blank with vector 0. It is the last word, unless DocumentSource::known
///   has it.
/// Collective. @throws as read_documents
[[nodiscard]] SharedWords share_words(const Communicator& communicator, const Vocabulary& vocabulary,
                                      const DocumentSource& source,
                                      const std::function<bool(std::span<const std::int32_t>)>& has_empty);

}  // namespace cairn

// The words that one rank met, and what all ranks make of them. Private to this folder.
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

/// Hashes texts without making strings of them.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// Words numbered as they come, and how often they came.
class Vocabulary {
 public:
  /// Counts the word so many times more. @throws Error(resource) for more than 2^31 different words
  std::int32_t add(std::string_view word, Index times = 1);
  [[nodiscard]] Index size() const { return std::ssize(words_); }
  [[nodiscard]] const std::string& word(Index number) const { return *words_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] Index count(Index number) const { return counts_[static_cast<std::size_t>(number)]; }

 private:
  TextMap<std::int32_t> numbers_;
  std::vector<const std::string*> words_;  // keys of numbers_, which stay where they are
  std::vector<Index> counts_;
};

/// What words of one rank are for all.
struct SharedWords {
  static constexpr std::int32_t rare = -1, without_vector = -2;
  std::shared_ptr<const WordVectors> vectors;
  std::vector<std::int32_t> numbers;    ///< of each word of the vocabulary: in `vectors`, or one of the two above
  std::int32_t blank = without_vector;  ///< of the word of documents without any other, where they are kept
  Index different = 0;                  ///< words of all ranks,
  Index different_without_vector = 0;   ///< and those of them that come often enough and have no vector
  Index repeated_vectors = 0;           ///< left out: the word has one before them
};

/// Counts the words of all ranks, reads the vectors of those that come often enough, and numbers those that have one in
/// the order of the file. Each word belongs to the rank that its hash says, which counts and numbers it. Memory: the
/// rank's share of the words and vectors in use, and 16 bytes a word in use.
///
/// @param has_empty  tells from the numbers whether this rank has documents without a known word. Where those are kept
///   and a rank has some, their word is a blank, whose vector is 0: the last one, unless DocumentSource::known has it.
/// Collective. @throws as read_documents
[[nodiscard]] SharedWords share_words(const Communicator& communicator, const Vocabulary& vocabulary,
                                      const DocumentSource& source,
                                      const std::function<bool(std::span<const std::int32_t>)>& has_empty);

}  // namespace cairn

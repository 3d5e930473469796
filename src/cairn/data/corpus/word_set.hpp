// The words of a corpus as objects, with their co-occurrence counts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"
#include "cairn/data/object_set.hpp"

namespace cairn {

/// Bytes per word of a pair during gather_pairs: numbers and counts sent and received, and a row of one entry.
inline constexpr Index gathered_word_bytes = 96;

namespace objects {
inline constexpr ObjectKind words{"words of a corpus"};
}  // namespace objects

/// Words held entirely by one rank, with their rows of the lower triangle of C.
struct WordBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  std::vector<CountRow> rows;
  std::shared_ptr<const CooccurrenceCounts::Piece> owned;  ///< target of the rows' pointers if it is not the set
};

/// The n words of a vocabulary by descending count, contiguous over ranks. C is counted at the first request.
///
/// Memory of a rank: its texts (4 bytes per token) until C is counted, then its rows of C. The words are on every rank.
class WordSet final : public ObjectSet {
 public:
  /// @param text  texts of this rank, in numbers of `words`
  WordSet(const Communicator& communicator, CorpusWords words, CorpusText text, Counting counting);

  /// All words, by number.
  [[nodiscard]] const CorpusWords& words() const { return words_; }
  [[nodiscard]] const Counting& counting() const { return counting_; }
  /// This rank's texts, until C is counted.
  [[nodiscard]] const CorpusText& text() const { return text_; }

  /// C. The first call counts it from the texts and frees them. Collective. @throws as count_cooccurrences
  [[nodiscard]] const CooccurrenceCounts& counts(const Execution& execution) const;
  [[nodiscard]] bool counted() const { return counts_ != nullptr; }
  /// C, already counted. @throws Error(internal) if it is not. Local.
  [[nodiscard]] const CooccurrenceCounts& counts() const;
  /// Adopts C of an earlier run and frees the texts. @pre it has this vocabulary and counting(). Local.
  void adopt(CooccurrenceCounts counts) const;

  /// @pre counted(), for this function and those below
  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;
  /// Gathers only the entry of C of each pair, in the row of the word with the larger number; the other row is empty.
  [[nodiscard]] ObjectPairs gather_pairs(const Communicator& communicator, std::span<const Index> first,
                                         std::span<const Index> second) const override;

 private:
  CorpusWords words_;
  Counting counting_;
  mutable CorpusText text_;
  mutable std::unique_ptr<const CooccurrenceCounts> counts_;
};

}  // namespace cairn

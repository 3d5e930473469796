// Documents as bags of words, with labels, splits, groups and texts where the data have them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/data/object_set.hpp"
#include "cairn/data/word_vectors/word_vectors.hpp"

namespace cairn {

/// The bags of some documents: document a has words[starts[a]] up to words[starts[a + 1]].
struct DocumentBags {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> words;  ///< numbers in WordVectors, ascending and distinct within a document
  std::vector<float> counts;        ///< how often each comes; > 0
  std::vector<Index> text_starts;   ///< as starts, of `characters`; empty if texts are not kept
  std::vector<char> characters;     ///< the raw texts, UTF-8, one after the other

  [[nodiscard]] Index size() const { return static_cast<Index>(starts.size()) - 1; }
};

/// Documents held whole by one rank. Spans point into the set or into what the block owns.
struct DocumentBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  std::span<const Index> starts;        ///< size() + 1: document a has words[starts[a]] up to words[starts[a + 1]];
                                        ///< starts[0] need not be 0
  std::span<const std::int32_t> words;  ///< numbers in WordVectors, ascending and distinct within a document
  std::span<const float> counts;        ///< how often each comes; > 0
  std::shared_ptr<const WordVectors> vectors;  ///< what the words are numbers in; null if there are none
  std::vector<std::string_view> texts;        ///< the raw texts where the set keeps them (external scorers), else empty
  std::shared_ptr<const DocumentBags> owned;  ///< what the spans point into, if it is not the set's

  /// The words that the documents of both blocks use, numbered anew in their order; null if they have none.
  /// @throws Error(internal) if they number different words
  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const override;
  /// starts, words (as numbered there) and counts, and texts if there are any.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
  /// Of the words, their vectors and counts; nothing without vectors.
  [[nodiscard]] std::optional<std::uint64_t> digest() const override;
  /// renumbered(), if they are documents. @throws as it does
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

/// n documents as bags of words, contiguous over ranks; labels, splits and texts where the data have them.
///
/// Every document has at least one word, unless no vectors were asked for: then none has any, and the texts are kept.
/// Memory of a rank: 8 bytes a word of a document and 8 a document; its text where texts are kept.
class DocumentSet final : public ObjectSet {
 public:
  /// @param vectors  of the words that the bags number; null if there are none
  /// @param bags     this rank's documents, as `partition` deals them
  /// @param texts    of this rank's documents: labels, splits, groups, identifiers
  /// @param numbers  one a document of this rank, or empty on every rank: the documents' numbers in what was read, from
  /// 0, ascending; empty: their rows
  /// @throws Error(internal) if the sizes do not fit
  DocumentSet(const RowPartition& partition, int rank, std::shared_ptr<const WordVectors> vectors, DocumentBags bags,
              ObjectTexts texts = {}, std::vector<Index> numbers = {});

  /// Null where no vectors were asked for.
  [[nodiscard]] const WordVectors* vectors() const { return vectors_.get(); }
  [[nodiscard]] const std::shared_ptr<const WordVectors>& shared_vectors() const { return vectors_; }
  [[nodiscard]] Index dimension() const override { return vectors_ ? vectors_->dimension() : 0; }
  /// This rank's.
  [[nodiscard]] const std::vector<std::string>& labels() const override { return texts_.labels; }
  /// Their identifiers: what people know them by.
  [[nodiscard]] std::vector<std::string> texts() const override { return texts_.identifiers; }
  [[nodiscard]] const std::vector<std::string>& splits() const override { return texts_.splits; }
  [[nodiscard]] const std::vector<std::string>& groups() const override { return texts_.groups; }
  [[nodiscard]] const std::vector<std::string>& identifiers() const override { return texts_.identifiers; }
  [[nodiscard]] std::vector<Index> take_numbers() { return std::move(numbers_); }
  [[nodiscard]] const DocumentBags& bags() const { return bags_; }
  [[nodiscard]] bool keeps_texts() const { return !bags_.text_starts.empty(); }

  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  std::shared_ptr<const WordVectors> vectors_;
  DocumentBags bags_;
  ObjectTexts texts_;
  std::vector<Index> numbers_;
};

/// A block that owns its documents. @param set  that they belong to; by default they are a set of their own
/// @throws Error(internal) if there are not as many as `ids`. Local.
[[nodiscard]] std::unique_ptr<DocumentBlock> make_document_block(std::vector<Index> ids, DocumentBags bags,
                                                                 std::shared_ptr<const WordVectors> vectors,
                                                                 SetIdentity set = {});

/// The documents of `block` with their words numbered as in `vectors`. @throws Error(internal) for a word that it has
/// not. Local.
[[nodiscard]] std::unique_ptr<DocumentBlock> renumbered(const DocumentBlock& block,
                                                        std::shared_ptr<const WordVectors> vectors);

/// Document `a` of a block as the last of `bags`, its text too where `bags` keeps texts. Local.
void append_document(DocumentBags& bags, const DocumentBlock& block, Index a);

}  // namespace cairn

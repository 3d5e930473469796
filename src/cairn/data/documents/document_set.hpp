// Documents as bags of words, with labels, splits, groups and texts if the data have them.
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

/// Bags of several documents. Document a has words[starts[a]] up to words[starts[a + 1]].
struct DocumentBags {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> words;  ///< indices into WordVectors, ascending and distinct within a document
  std::vector<float> counts;        ///< number of occurrences of each word; > 0
  std::vector<Index> text_starts;   ///< as `starts`, for `characters`; empty if texts are not kept
  std::vector<char> characters;     ///< the concatenated raw texts, UTF-8

  [[nodiscard]] Index size() const { return static_cast<Index>(starts.size()) - 1; }
};

/// Documents held entirely by one rank. Spans point into the set or into `owned`.
struct DocumentBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  std::span<const Index> starts;        ///< size() + 1: document a has words[starts[a]] up to words[starts[a + 1]];
                                        ///< starts[0] need not be 0
  std::span<const std::int32_t> words;  ///< indices into WordVectors, ascending and distinct within a document
  std::span<const float> counts;        ///< number of occurrences of each word; > 0
  std::shared_ptr<const WordVectors> vectors;  ///< the vectors that `words` refers to; null if there are none
  std::vector<std::string_view> texts;         ///< raw texts if the set keeps them (external scorers), else empty
  std::shared_ptr<const DocumentBags> owned;   ///< target of the spans if it is not the set

  /// The words used by the documents of both blocks, renumbered in their order; null if they have none.
  /// @throws Error(internal) if the two blocks use different vectors
  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const override;
  /// Writes starts, words (as numbered in `common`), counts, and texts if there are any.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
  /// Digest of the words, their vectors and counts; none without vectors.
  [[nodiscard]] std::optional<std::uint64_t> digest() const override;
  /// renumbered(), if `others` are documents. @throws as it does
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

/// n documents as bags of words, distributed contiguously over ranks, with labels, splits and texts if the data have
/// them.
///
/// Every document has at least one word if vectors were requested. Otherwise no document has words, and the texts are
/// kept. Memory of a rank: 8 bytes per word of a document and 8 per document; its text if texts are kept.
class DocumentSet final : public ObjectSet {
 public:
  /// @param vectors  vectors of the words of the bags; null if there are none
  /// @param bags     this rank's documents, distributed by `partition`
  /// @param texts    labels, splits, groups, identifiers of this rank's documents
  /// @param numbers  one per document of this rank, or empty on every rank: the documents' numbers in the input, from
  ///   0, ascending; empty: their rows
  /// @throws Error(internal) if the sizes do not fit
  DocumentSet(const RowPartition& partition, int rank, std::shared_ptr<const WordVectors> vectors, DocumentBags bags,
              ObjectTexts texts = {}, std::vector<Index> numbers = {});

  /// Null if no vectors were requested.
  [[nodiscard]] const WordVectors* vectors() const { return vectors_.get(); }
  [[nodiscard]] const std::shared_ptr<const WordVectors>& shared_vectors() const { return vectors_; }
  [[nodiscard]] Index dimension() const override { return vectors_ ? vectors_->dimension() : 0; }
  /// Identifiers of this rank's documents, for display.
  [[nodiscard]] std::vector<std::string> texts() const override { return identifiers(); }
  [[nodiscard]] std::vector<Index> take_numbers() { return std::move(numbers_); }
  [[nodiscard]] const DocumentBags& bags() const { return bags_; }
  [[nodiscard]] bool keeps_texts() const { return !bags_.text_starts.empty(); }

  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  std::shared_ptr<const WordVectors> vectors_;
  DocumentBags bags_;
  std::vector<Index> numbers_;
};

/// A block that owns its documents.
/// @param set  set that they belong to; by default a set of their own
/// @throws Error(internal) if the number of documents differs from that of `ids`. Local.
[[nodiscard]] std::unique_ptr<DocumentBlock> make_document_block(std::vector<Index> ids, DocumentBags bags,
                                                                 std::shared_ptr<const WordVectors> vectors,
                                                                 SetIdentity set = {});

/// The documents of `block` with their words numbered as in `vectors`. @throws Error(internal) for a word that
/// `vectors` lacks. Local.
[[nodiscard]] std::unique_ptr<DocumentBlock> renumbered(const DocumentBlock& block,
                                                        std::shared_ptr<const WordVectors> vectors);

/// Appends document `a` of a block to `bags`, with its text if `bags` keeps texts. Local.
void append_document(DocumentBags& bags, const DocumentBlock& block, Index a);

/// data_digest() of documents: their bags, the words and the vectors that the bags count, and texts where they are
/// kept. Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const DocumentSet& documents);

}  // namespace cairn

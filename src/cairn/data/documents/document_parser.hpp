// Converts the texts of a rank's blocks to bags of words. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/data/documents/document_assembly.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/document_places.hpp"
#include "cairn/data/documents/vocabulary.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

/// Cuts texts into words and numbers the words in order of appearance, before it is known which have vectors. Local.
class DocumentParser {
 public:
  /// @param words  false: texts are kept and not cut
  /// @throws Error(usage) for an unknown tokenization
  DocumentParser(const DocumentSource& source, const DocumentTraits& traits, bool words);

  /// @throws Error(input) for an invalid label or text
  void add(const DocumentText& document, Index line);
  void end_block(Index block);
  /// Sets the split of all documents that follow; empty: each document's own split.
  void set_split(const std::string& split) { split_ = split; }

  [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }
  [[nodiscard]] std::vector<DocumentPiece> take_pieces() { return std::move(pieces_); }
  /// Number of documents of each block, including those of other classes.
  [[nodiscard]] const std::vector<ParsedBlock>& blocks() const { return blocks_; }
  /// Beginning of this rank's first document that is not blank, and its block; empty words: all documents are blank.
  struct FirstWords {
    Index block = 0;
    std::string words{};
  };
  [[nodiscard]] const FirstWords& first_words() const { return first_words_; }
  /// The first of this rank's documents that is not valid UTF-8.
  [[nodiscard]] const FirstPlace& first_not_utf8() const { return first_not_utf8_; }
  [[nodiscard]] DocumentReport report() const;

 private:
  void start_piece();
  bool add_text(std::string_view text);
  bool add_words(std::string_view text);

  std::vector<std::string> classes_;
  DocumentTraits traits_;
  bool words_;
  Tokenizer tokenizer_;
  Vocabulary vocabulary_;
  std::string split_;
  DocumentPiece piece_;
  std::vector<DocumentPiece> pieces_;
  DocumentReport report_;
  std::vector<std::int32_t> numbers_;  // of the words of the current document
  std::vector<ParsedBlock> blocks_;
  Index in_block_ = 0;  // documents so far
  FirstPlace first_not_utf8_;
  FirstWords first_words_;
  bool began_with_words_ = false;  // first_words_.block is final
};

/// True if some document has no word with a number >= 0.
/// @param numbers  numbers of the words of `bags`. Local.
[[nodiscard]] bool has_empty(const DocumentBags& bags, std::span<const std::int32_t> numbers);

/// Replaces this rank's word numbers by shared ones. Leaves out words without a shared number, and documents without
/// words (texts without content if documents are texts only), unless `report` keeps those documents. Adds what it
/// leaves out to `report`. Local.
class Translation {
 public:
  static constexpr std::size_t most_places = 3;

  /// @param words  false: the documents are texts only
  Translation(const SharedWords& shared, bool words, DocumentReport& report)
      : shared_(shared), words_(words), report_(report) {}
  void apply(DocumentPiece& piece);
  /// Places of the first documents without words.
  [[nodiscard]] const std::vector<DocumentPlace>& places() const { return places_; }

 private:
  bool add_words(const DocumentBags& old, Index k, DocumentBags& bags);

  const SharedWords& shared_;
  bool words_;
  DocumentReport& report_;
  std::vector<DocumentPlace> places_;
  std::vector<std::pair<std::int32_t, float>> entries_;
};

}  // namespace cairn

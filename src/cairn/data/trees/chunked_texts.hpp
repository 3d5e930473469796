// Texts as tokens with tags of parts of speech and chunks (columns of CoNLL-2000), and their shallow trees.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cairn/data/trees/forest.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

struct ChunkedToken {
  std::string word{}, speech{};
  std::string chunk{};  ///< its kind: NP, VP; empty: it is in none
  bool begins_chunk = false;
  bool begins_sentence = false;
};

using ChunkedText = std::vector<ChunkedToken>;

/// Small letters of ASCII; other characters stay.
[[nodiscard]] std::string small(std::string_view word);
/// Whether a word begins with a letter, as far as ASCII says; bytes beyond count as letters. Local.
[[nodiscard]] bool begins_with_letter(std::string_view word);

/// Appends the token of a line: word, part of speech, chunk, tabs or blanks between.
/// @param new_sentence  whether one begins here; false afterwards
/// @throws Error(input) for other columns, a chunk that is no O, B-KIND or I-KIND, bytes that are not UTF-8. Local.
void append_token(std::string_view line, bool& new_sentence, ChunkedText& text);

/// The id that a line `# id = NAME` gives; nothing for another line. Local.
[[nodiscard]] std::optional<std::string_view> chunk_id(std::string_view line);

/// Texts of a file: `# id = NAME` before each, a token a line (word, part of speech, chunk), blank lines between
/// sentences.
struct ChunkedTexts {
  std::unordered_map<std::string, ChunkedText> texts;         ///< those that were wanted
  std::unordered_map<std::string, std::int32_t> frequencies;  ///< of small words: in how many texts they are
  std::int32_t count = 0;                                     ///< of all texts
};

/// @param known   ids that may occur: all of them have a text
/// @param wanted  of them, whose tokens are kept
/// @throws Error(input) with file:line for a line of other than three columns, a token before the first id, an id
/// twice, one that is not known, a chunk that is no O, B-kind or I-kind, a text without tokens, bytes that are not
/// UTF-8; with the id for a known one that has no text. Local.
[[nodiscard]] ChunkedTexts read_chunked_texts(const std::string& path, const std::set<std::string>& known,
                                              const std::set<std::string>& wanted);

/// Small words of a text that begin with a letter and are no stop words. Local.
[[nodiscard]] std::set<std::string> content_words(const ChunkedText& text, const std::set<std::string>& stop_words);

/// The tree of a text: TEXT, below it S for each sentence, chunks, parts of speech, LEX##word:: (in small letters).
/// Tokens in no chunk stand below S. @param related  parts of speech of these words, and chunks that hold one, are
/// called REL-NN, REL-NP. Local.
void append_shallow_tree(const ChunkedText& text, const std::set<std::string>& related, LabelNumbers& labels,
                         TreeBuilder& tree);

}  // namespace cairn

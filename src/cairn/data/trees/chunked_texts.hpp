// Texts of tokens with part-of-speech and chunk tags (columns of CoNLL-2000), and their shallow trees.
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
  std::string chunk{};  ///< kind of the chunk: NP, VP; empty: in no chunk
  bool begins_chunk = false;
  bool begins_sentence = false;
};

using ChunkedText = std::vector<ChunkedToken>;

/// Converts ASCII letters to lower case; other characters do not change.
[[nodiscard]] std::string small(std::string_view word);
/// True if a word begins with an ASCII letter or a byte beyond ASCII. Local.
[[nodiscard]] bool begins_with_letter(std::string_view word);

/// Appends the token of a line: word, part of speech, chunk, separated by tabs or blanks.
/// @param new_sentence  true if a sentence begins here; set to false
/// @throws Error(input) for other columns, a chunk that is no O, B-KIND or I-KIND, bytes that are not UTF-8. Local.
void append_token(std::string_view line, bool& new_sentence, ChunkedText& text);

/// The id in a line `# id = NAME`; none for other lines. Local.
[[nodiscard]] std::optional<std::string_view> chunk_id(std::string_view line);

/// Texts of a file. `# id = NAME` precedes each text; tokens are one per line (word, part of speech, chunk); blank
/// lines separate sentences.
struct ChunkedTexts {
  std::unordered_map<std::string, ChunkedText> texts;         ///< the requested texts
  std::unordered_map<std::string, std::int32_t> frequencies;  ///< number of texts that contain each lower-case word
  std::int32_t count = 0;                                     ///< number of all texts
};

/// Reads the texts of a file.
/// @param known   ids that may occur; each must have a text
/// @param wanted  ids of the texts to keep
/// @throws Error(input) with file:line for a line without exactly three columns, a token before the first id, a
///   repeated or unknown id, a chunk that is no O, B-KIND or I-KIND, a text without tokens, bytes that are not UTF-8;
///   with the id for a known id without text. Local.
[[nodiscard]] ChunkedTexts read_chunked_texts(const std::string& path, const std::set<std::string>& known,
                                              const std::set<std::string>& wanted);

/// Lower-case words of a text that begin with a letter and are no stop words. Local.
[[nodiscard]] std::set<std::string> content_words(const ChunkedText& text, const std::set<std::string>& stop_words);

/// Appends the tree of a text: TEXT, below it S for each sentence, chunks, parts of speech, LEX##word:: (in lower
/// case). Tokens outside of chunks are children of S.
/// @param related  words whose parts of speech, and the chunks that contain them, get the prefix REL: REL-NN, REL-NP
/// Local.
void append_shallow_tree(const ChunkedText& text, const std::set<std::string>& related, LabelNumbers& labels,
                         TreeBuilder& tree);

}  // namespace cairn

// Texts cut into words.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/kmers.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// How texts are cut into words.
struct Tokenization {
  std::string pieces = "words";  ///< words: runs of letters and digits; letters: of letters alone; blanks: whatever
                                 ///< stands between blanks; characters: each letter and each digit by itself; k-mers:
                                 ///< of sequences of proteins, all that overlap
  bool lower_case = true;
  std::vector<std::string> stop_words{};  ///< are left out; each is cut as the texts are, and all its pieces count
  bool strips_markup = false;             ///< tags of HTML and XML separate words (without_markup)
  KmerRules kmers{};                      ///< of k-mers, for which nothing else but stop words counts
};

/// UTF-8. Letters, accents, digits and capitals are what the Unicode Character Database says; everything else separates
/// words: punctuation, symbols, emoji, invisible characters, and those that Unicode has not assigned yet (but for
/// ideographs). Each character becomes small by itself (ß stays, İ becomes i). Bytes that are not UTF-8 separate words.
/// It depends on no locale.
class Tokenizer {
 public:
  /// @param keys  of the pieces (tokens) @throws Error(usage) for unknown pieces. Local.
  explicit Tokenizer(const Tokenization& tokenization, const KeyNames& keys = {});

  /// Calls word(w) for the words of `text` in their order, but for stop words, which it counts. `w` is valid until the
  /// function returns. False if `text` holds bytes that are not UTF-8. @throws Error(input) as kmer_runs. Not
  /// thread-safe.
  bool cut(std::string_view text, const std::function<void(std::string_view)>& word);
  /// Words that were left out so far.
  [[nodiscard]] Index stop_words_met() const { return met_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  enum class Pieces { words, letters, blanks, characters, kmers };
  // A character as it stands in words; 0 if it separates them.
  [[nodiscard]] char32_t in_words(char32_t character) const;
  void end_word(const std::function<void(std::string_view)>& word);
  bool cut_words(std::string_view text, const std::function<void(std::string_view)>& word);
  void cut_kmers(std::string_view text, const std::function<void(std::string_view)>& word);

  Pieces pieces_ = Pieces::words;
  bool lower_case_, strips_markup_;
  KmerRules kmers_;
  KeyNames keys_;
  std::array<char32_t, 0x800> known_{};  // in_words() of the characters of one and two bytes
  std::unordered_set<std::string, Hash, std::equal_to<>> stop_words_;
  std::string word_;
  Index met_ = 0;
};

/// The lines of a file, one stop word a line, without blank ones. @throws Error(input). Collective.
[[nodiscard]] std::vector<std::string> read_stop_words(const Communicator& communicator, const std::string& path);

/// `text` with U+FFFD for every byte that is not UTF-8; `changed` is set where there was one. Local.
[[nodiscard]] std::string as_utf8(std::string_view text, bool& changed);

/// The beginning of `text` in at most `bytes` bytes that ends with a whole character of UTF-8. Local.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

/// False for a text of nothing but ASCII blanks. Local.
[[nodiscard]] bool has_content(std::string_view text);

}  // namespace cairn

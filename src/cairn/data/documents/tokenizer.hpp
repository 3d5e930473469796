// Cuts texts into words.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/kmers.hpp"
#include "cairn/data/tokenization.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Cuts UTF-8 text into words. Letters, accents, digits and capitals are defined by the Unicode Character Database.
/// Everything else separates words: punctuation, symbols, emoji, invisible characters, and characters that Unicode has
/// not assigned yet (except ideographs). Lower case is determined for each character separately (ß stays, İ becomes i).
/// Bytes that are not UTF-8 separate words. The result does not depend on the locale.
class Tokenizer {
 public:
  /// @param keys  names of the parameters (tokens)
  /// @throws Error(usage) for unknown pieces. Local.
  explicit Tokenizer(const Tokenization& tokenization, const KeyNames& keys = {});

  /// Calls word(w) for the words of `text` in order. Stop words are counted and left out. `w` is valid during the call.
  /// Returns false if `text` contains bytes that are not UTF-8. @throws Error(input) as kmer_runs. Not thread-safe.
  bool cut(std::string_view text, const std::function<void(std::string_view)>& word);
  /// Number of stop words left out so far.
  [[nodiscard]] Index stop_words_met() const { return met_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  enum class Pieces { words, letters, blanks, characters, kmers };
  // The character as used in words; 0 if it separates words.
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

/// Reads stop words, one per line, without blank lines. @throws Error(input). Collective.
[[nodiscard]] std::vector<std::string> read_stop_words(const Communicator& communicator, const std::string& path);

/// `text` with U+FFFD for every byte that is not UTF-8; sets `changed` if there is one. Local.
[[nodiscard]] std::string as_utf8(std::string_view text, bool& changed);

/// The longest prefix of `text` of at most `bytes` bytes that ends with a complete UTF-8 character. Local.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

/// False if the text consists of ASCII blanks only. Local.
[[nodiscard]] bool has_content(std::string_view text);

}  // namespace cairn

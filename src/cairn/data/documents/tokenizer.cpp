#include "cairn/data/documents/tokenizer.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/documents/markup.hpp"
#include "cairn/data/io/line_reader.hpp"

namespace cairn {

namespace {

// True for letters, and the accents and vowel signs that belong to them, by the Unicode Character Database with three
// exceptions.
bool is_letter(char32_t c, utf8proc_category_t category) {
  switch (category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return true;
    case UTF8PROC_CATEGORY_MN:
      return c < 0xFE00 || c > 0xFE0F;  // variation selectors of emoji
    case UTF8PROC_CATEGORY_PO:
      return c == 0x5F3 || c == 0x5F4;  // within Hebrew words
    case UTF8PROC_CATEGORY_CN:
      return c >= 0x20000 && c < 0x40000;  // ideographs, to which Unicode still adds
    default:
      return false;
  }
}

bool is_digit(utf8proc_category_t category) {
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL;
}

bool is_capital(utf8proc_category_t category) {  // so that other characters need no second lookup
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT || category == UTF8PROC_CATEGORY_NL;
}

bool is_blank(char32_t c, utf8proc_category_t category) {
  return (c >= 0x9 && c <= 0xD) || c == 0x85 || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

// A character and its length in bytes; both 0 if the bytes are not UTF-8 (including overlong forms and surrogates).
struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 0;
};

Decoded decode(std::string_view text) {
  utf8proc_int32_t character = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t count = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &character);
  if (count <= 0) return {};
  return {static_cast<char32_t>(character), static_cast<std::size_t>(count)};
}

void append(std::string& text, char32_t c) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count));
}

}  // namespace

Tokenizer::Tokenizer(const Tokenization& tokenization, const KeyNames& keys)
    : lower_case_(tokenization.lower_case),
      strips_markup_(tokenization.strips_markup),
      kmers_(tokenization.kmers),
      keys_(keys) {
  if (tokenization.pieces == "letters") {
    pieces_ = Pieces::letters;
  } else if (tokenization.pieces == "blanks") {
    pieces_ = Pieces::blanks;
  } else if (tokenization.pieces == "characters") {
    pieces_ = Pieces::characters;
  } else if (tokenization.pieces == "k-mers") {
    pieces_ = Pieces::kmers;
  } else if (tokenization.pieces != "words") {
    throw Error(ErrorKind::usage, fmt::format("{} = '{}' is not words, letters, blanks, characters or k-mers",
                                              keys("tokens"), tokenization.pieces));
  }
  const auto& letters = kmers_.letters;
  if (letters != "refuse" && letters != "keep" && letters != "split" && letters != "skip") {
    throw Error(ErrorKind::usage,
                fmt::format("{} = '{}' is not refuse, keep, split or skip", keys("letters"), letters));
  }
  for (char32_t c = 1; c < known_.size(); ++c) known_[c] = in_words(c);
  std::vector<std::string> pieces;
  for (const std::string& entry : tokenization.stop_words) {
    cut(entry, [&](std::string_view piece) { pieces.emplace_back(piece); });
  }
  stop_words_.insert(pieces.begin(), pieces.end());
}

char32_t Tokenizer::in_words(char32_t c) const {
  const auto character = static_cast<utf8proc_int32_t>(c);
  const utf8proc_category_t category = utf8proc_category(character);
  const bool belongs = pieces_ == Pieces::blanks
                           ? c != 0 && !is_blank(c, category)
                           : is_letter(c, category) || (is_digit(category) && pieces_ != Pieces::letters);
  if (!belongs) return 0;
  return lower_case_ && is_capital(category) ? static_cast<char32_t>(utf8proc_tolower(character)) : c;
}

void Tokenizer::end_word(const std::function<void(std::string_view)>& word) {
  if (word_.empty()) return;
  if (!stop_words_.empty() && stop_words_.contains(word_)) {
    ++met_;
  } else {
    word(word_);
  }
  word_.clear();
}

bool Tokenizer::cut(std::string_view text, const std::function<void(std::string_view)>& word) {
  if (pieces_ == Pieces::kmers) {
    cut_kmers(text, word);
    return true;
  }
  return strips_markup_ ? cut_words(without_markup(text), word) : cut_words(text, word);
}

void Tokenizer::cut_kmers(std::string_view text, const std::function<void(std::string_view)>& word) {
  const auto length = static_cast<std::size_t>(kmers_.length);
  for (const std::string& run : kmer_runs(text, kmers_, keys_)) {
    for (std::size_t at = 0; at + length <= run.size(); ++at) {
      word_ = run.substr(at, length);
      end_word(word);
    }
  }
}

bool Tokenizer::cut_words(std::string_view text, const std::function<void(std::string_view)>& word) {
  bool sound = true;
  word_.clear();
  while (!text.empty()) {
    if (const auto byte = static_cast<unsigned char>(text.front()); byte < 0x80) {
      if (known_[byte] != 0) {
        word_ += static_cast<char>(known_[byte]);
        if (pieces_ == Pieces::characters) end_word(word);
      } else {
        end_word(word);
      }
      text.remove_prefix(1);
      continue;
    }
    const Decoded next = decode(text);
    if (next.bytes == 0) sound = false;
    const char32_t c = next.character, written = c < known_.size() ? known_[c] : in_words(c);
    if (written == 0) {
      end_word(word);
    } else {
      if (written == c) {
        word_ += text.substr(0, next.bytes);
      } else {
        append(word_, written);
      }
      if (pieces_ == Pieces::characters) end_word(word);
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  end_word(word);
  return sound;
}

std::vector<std::string> read_stop_words(const Communicator& communicator, const std::string& path) {
  return read_collectively(communicator, path, [&] {
    std::error_code none;
    if (!std::filesystem::exists(path, none)) {
      throw Error(ErrorKind::input,
                  path + ": No such file or directory; stop words are read from a file, one a line (no list ships)");
    }
    LineReader reader(path);
    std::vector<std::string> words;
    for (std::string_view line; reader.next(line);) {
      if (has_content(line)) words.emplace_back(line);
    }
    return words;
  });
}

std::string as_utf8(std::string_view text, bool& changed) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = decode(text).bytes;
    if (bytes > 0) {
      result += text.substr(0, bytes);
    } else {
      append(result, 0xFFFD);
      changed = true;
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

bool has_content(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos; }

}  // namespace cairn

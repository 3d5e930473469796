#include "cairn/data/documents/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/line_reader.hpp"

namespace cairn {

namespace {

struct Characters {
  char32_t first;
  char32_t last;
};

// What stands above ASCII and is no letter, in ascending order: blocks of punctuation and symbols.
constexpr std::array<Characters, 35> other_characters = {{
    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},       {0xF7, 0xF7},
    {0x2C2, 0x2C5},   {0x2D2, 0x2DF},   {0x37E, 0x37E},   {0x387, 0x387},   {0x55A, 0x55F},     {0x589, 0x58A},
    {0x5BE, 0x5BE},   {0x60C, 0x60D},   {0x61B, 0x61F},   {0x1680, 0x1680}, {0x2000, 0x206F},   {0x20A0, 0x20CF},
    {0x2100, 0x214F}, {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020},   {0x3030, 0x3030},
    {0x303D, 0x303F}, {0x30A0, 0x30A0}, {0x30FB, 0x30FB}, {0xE000, 0xF8FF}, {0xFE00, 0xFE6F},   {0xFF00, 0xFF0F},
    {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},
}};

bool is_other(char32_t c) {
  const auto after = std::upper_bound(other_characters.begin(), other_characters.end(), c,
                                      [](char32_t value, const Characters& block) { return value < block.first; });
  return after != other_characters.begin() && c <= std::prev(after)->last;
}

bool is_blank(char32_t c) {
  return c == ' ' || (c >= 0x9 && c <= 0xD) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Where capitals and small letters alternate.
bool is_in_pairs(char32_t c) {
  return (c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14A && c <= 0x177) ||
         (c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x4BF) || (c >= 0x4D0 && c <= 0x52F) ||
         (c >= 0x1E00 && c <= 0x1E95) || (c >= 0x1EA0 && c <= 0x1EFF);
}

char32_t greek_small(char32_t c) {
  if (c >= 0x391 && c <= 0x3AB && c != 0x3A2) return c + 0x20;
  if (c == 0x386) return 0x3AC;
  if (c >= 0x388 && c <= 0x38A) return c + 0x25;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 0x3F;
  return c;
}

char32_t small(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
  if (c >= 0xC0 && c <= 0xDE) return c == 0xD7 ? c : c + 0x20;
  if (is_in_pairs(c)) return c | 1U;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return c % 2 == 1 ? c + 1 : c;  // capitals are odd
  if (c == 0x178) return 0xFF;
  if (c == 0x1E9E) return 0xDF;
  if (c >= 0x370 && c <= 0x3FF) return greek_small(c);
  if (c >= 0x400 && c <= 0x40F) return c + 0x50;
  if (c >= 0x410 && c <= 0x42F) return c + 0x20;
  if (c >= 0x531 && c <= 0x556) return c + 0x30;
  return c;
}

// A character and how many bytes it takes; 0 bytes where they are not UTF-8 (too long forms and halves of pairs, too).
struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 0;
};

Decoded decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t character = lead & (0x7FU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xC0U) != 0x80U) return {};
    character = (character << 6U) | (next & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool half = character >= 0xD800 && character <= 0xDFFF;
  if (character < least[bytes] || half || character > 0x10FFFF) return {};
  return {character, bytes};
}

void append(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0U | (c >> 6U));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
  }
  put(0x80U | (c & 0x3FU));
}

}  // namespace

Tokenizer::Tokenizer(const Tokenization& tokenization, const KeyNames& keys) : lower_case_(tokenization.lower_case) {
  if (tokenization.pieces == "letters") {
    pieces_ = Pieces::letters;
  } else if (tokenization.pieces == "blanks") {
    pieces_ = Pieces::blanks;
  } else if (tokenization.pieces == "characters") {
    pieces_ = Pieces::characters;
  } else if (tokenization.pieces != "words") {
    throw Error(ErrorKind::usage, fmt::format("{} = '{}' is not words, letters, blanks or characters", keys("tokens"),
                                              tokenization.pieces));
  }
  for (char32_t c = 1; c < ascii_.size(); ++c) {
    if (belongs(c)) ascii_[c] = static_cast<char>(lower_case_ ? small(c) : c);
  }
  std::vector<std::string> pieces;
  for (const std::string& entry : tokenization.stop_words) {
    cut(entry, [&](std::string_view piece) { pieces.emplace_back(piece); });
  }
  stop_words_.insert(pieces.begin(), pieces.end());
}

bool Tokenizer::belongs(char32_t c) const {
  if (pieces_ == Pieces::blanks) return c != 0 && !is_blank(c);
  if (c < 0x80) return is_ascii_letter(c) || (is_digit(c) && pieces_ != Pieces::letters);
  return !is_other(c);
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
  bool sound = true;
  word_.clear();
  while (!text.empty()) {
    if (const auto byte = static_cast<unsigned char>(text.front()); byte < ascii_.size()) {
      if (ascii_[byte] != 0) {
        word_ += ascii_[byte];
        if (pieces_ == Pieces::characters) end_word(word);
      } else {
        end_word(word);
      }
      text.remove_prefix(1);
      continue;
    }
    const Decoded next = decode(text);
    if (next.bytes == 0) sound = false;
    if (next.bytes == 0 || !belongs(next.character)) {
      end_word(word);
    } else {
      append(word_, lower_case_ ? small(next.character) : next.character);
      if (pieces_ == Pieces::characters) end_word(word);
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  end_word(word);
  return sound;
}

std::vector<std::string> read_stop_words(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
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

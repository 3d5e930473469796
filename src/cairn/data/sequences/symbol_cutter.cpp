#include "cairn/data/sequences/symbol_cutter.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

namespace {

// Bytes of the character at `at`. @pre the text is UTF-8
std::size_t character_at(std::string_view text, std::size_t at) {
  const auto begin = static_cast<unsigned char>(text[at]);
  return begin < 0x80 ? 1 : begin < 0xE0 ? 2 : begin < 0xF0 ? 3 : 4;
}

constexpr const char* what = "the sequence";

}  // namespace

void cut_at_blanks(std::string_view text, const std::function<void(std::string_view)>& symbol) {
  require_utf8(text, what);
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    symbol(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
}

void cut_characters(std::string_view text, const std::function<void(std::string_view)>& symbol) {
  require_utf8(text, what);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_at(text, at);
    symbol(text.substr(at, size));
    at += size;
  }
}

void cut_elements(std::string_view text, const std::function<void(std::string_view)>& symbol) {
  require_utf8(text, what);
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = text.find(')');
    if (text.front() != '(' || end == std::string_view::npos) {
      throw Error(ErrorKind::input,
                  fmt::format("the sequence has '{}' where an element (...) is expected", excerpt(text)));
    }
    if (end == 1) throw Error(ErrorKind::input, "the sequence has an element without a name: ()");
    symbol(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace cairn

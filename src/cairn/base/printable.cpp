#include "cairn/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cairn {

namespace {

// Bytes of the UTF-8 character at the start of `text`; 0 if there is none or it is a control character.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xc0U) != 0x80) return 0;
  }
  return first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0 ? 0 : bytes;  // C1 control characters
}

std::string printable_but(std::string_view kept, std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = kept.find(text.front()) != std::string_view::npos ? 1 : character_bytes(text);
    if (bytes > 0) {
      line += text.substr(0, bytes);
    } else {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return line;
}

}  // namespace

std::string printable(std::string_view text) { return printable_but("", text); }
std::string printable_lines(std::string_view text) { return printable_but("\n\t", text); }

}  // namespace cairn

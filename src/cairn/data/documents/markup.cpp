#include "cairn/data/documents/markup.hpp"

namespace cairn {

namespace {

bool begins_tag(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '!' || c == '?'; }

}  // namespace

std::string without_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('<', at);
    if (open == std::string_view::npos) break;
    const bool tag = open + 1 < text.size() && begins_tag(text[open + 1]);
    const std::size_t close = tag ? text.find('>', open) : std::string_view::npos;
    if (close == std::string_view::npos) {
      result += text.substr(at, open + 1 - at);
      at = open + 1;
      // If no > follows, no later tag is closed either.
      if (tag) break;
      continue;
    }
    result += text.substr(at, open - at);
    result += ' ';
    at = close + 1;
  }
  result += text.substr(at);
  return result;
}

}  // namespace cairn

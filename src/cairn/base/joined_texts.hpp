// Texts in a message between ranks: a zero byte follows each. No text contains a zero byte.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Appends a text to a message. Local.
inline void join_text(std::vector<char>& message, std::string_view text) {
  message.insert(message.end(), text.begin(), text.end());
  message.push_back('\0');
}

/// The texts of a message, in their order. Local.
[[nodiscard]] inline std::vector<std::string> separate_texts(std::span<const char> message) {
  std::vector<std::string> texts;
  for (auto begin = message.begin(); begin != message.end();) {
    const auto end = std::find(begin, message.end(), '\0');
    texts.emplace_back(begin, end);
    begin = end == message.end() ? end : end + 1;
  }
  return texts;
}

}  // namespace cairn

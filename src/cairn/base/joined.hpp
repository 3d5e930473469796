// Concatenation of texts.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// Concatenates the texts of a range, with the separator between them. Local.
template <class Texts>
[[nodiscard]] std::string joined(Texts&& texts, std::string_view separator) {
  std::string all;
  bool first = true;
  for (const std::string_view text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

}  // namespace cairn

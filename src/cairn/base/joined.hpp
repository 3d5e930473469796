// Texts of a list, as one.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The texts of a range, each but the first behind the separator. Local.
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

#include "cairn/data/missing_value.hpp"

#include <algorithm>
#include <array>

#include "cairn/data/io/text_table.hpp"

namespace cairn {

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 9> texts = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"};
  return std::find(texts.begin(), texts.end(), trimmed(field)) != texts.end();
}

}  // namespace cairn

#include "cairn/data/points/column_option.hpp"

#include <filesystem>

#include "cairn/parameters/units.hpp"

namespace cairn {

ColumnSource column_source(const std::string& text, const KeyNames& keys) {
  ColumnSource source{.path = text, .columns = {}, .key = "", .missing = false, .keys = keys};
  const std::size_t colon = text.rfind(':');
  if (std::filesystem::exists(text) || colon == std::string::npos) return source;
  source.columns = comma_list(text.substr(colon + 1));
  source.path.resize(colon);
  return source;
}

}  // namespace cairn

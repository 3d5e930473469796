#include "commands/column_option.hpp"

#include <filesystem>

#include "cairn/parameters/units.hpp"
#include "keys/problem.hpp"

namespace cairn::app {

ColumnSource column_source(const std::string& text) {
  ColumnSource source{.path = text, .columns = {}, .key = "", .keys = data_keys};
  const std::size_t colon = text.rfind(':');
  if (std::filesystem::exists(text) || colon == std::string::npos) return source;
  source.columns = comma_list(text.substr(colon + 1));
  source.path.resize(colon);
  return source;
}

}  // namespace cairn::app

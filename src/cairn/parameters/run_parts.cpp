#include "cairn/parameters/run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

RunPart parse_run_part(const std::string& text, Index total, const std::string& name) {
  if (text.empty()) return {};
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  const auto number = parse_integer(text.substr(0, slash)), parts = parse_integer(text.substr(slash + 1));
  if (!number || !parts || *number < 1 || *parts < *number) {
    throw Error(ErrorKind::usage, fmt::format("{} {} is not K/N with 1 <= K <= N", name, text));
  }
  if (*parts > total) {
    throw Error(ErrorKind::usage,
                fmt::format("{} {}: there are {} runs, too few for so many parts", name, text, total));
  }
  return {*number - 1, *parts};
}

std::vector<std::vector<std::string>> combinations(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::vector<std::string>& list : lists) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& combination : all) {
      for (const std::string& value : list) {
        longer.push_back(combination);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace cairn

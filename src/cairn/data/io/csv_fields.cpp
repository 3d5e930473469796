#include "cairn/data/io/csv_fields.hpp"

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

const std::vector<std::string_view>& FieldSplitter::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());
  std::size_t at = 0;
  if (separator_ == ' ') line = trimmed(line);
  do {
    if (separator_ == ' ') at = std::min(line.find_first_not_of(" \t", at), line.size());
    fields_.push_back(at < line.size() && line[at] == '"' ? quoted(line, at) : plain(line, at));
  } while (at++ < line.size());
  return fields_;
}

// Both leave `at` at the separator that ends the field, or at the end of the line.
std::string_view FieldSplitter::plain(std::string_view line, std::size_t& at) const {
  const std::size_t begin = at;
  at = std::min(separator_ == ' ' ? line.find_first_of(" \t", at) : line.find(separator_, at), line.size());
  return line.substr(begin, at - begin);
}

std::string_view FieldSplitter::quoted(std::string_view line, std::size_t& at) {
  const std::size_t begin = unquoted_.size();
  for (;;) {
    ++at;  // a quote: the opening one, or the second of two
    const std::size_t end = line.find('"', at);
    if (end == std::string_view::npos) {
      throw Error(ErrorKind::input, "a quote is not closed in its line; line breaks in quotes are not read");
    }
    unquoted_ += line.substr(at, end - at);
    at = end + 1;
    if (at >= line.size() || line[at] != '"') break;
    unquoted_ += '"';
  }
  if (at < line.size() && line[at] != separator_ && !(separator_ == ' ' && line[at] == '\t')) {
    throw Error(ErrorKind::input, "text follows a closing quote");
  }
  return std::string_view(unquoted_).substr(begin);
}

}  // namespace cairn

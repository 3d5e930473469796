#include "cairn/data/documents/document_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/parameters/units.hpp"

namespace cairn {

std::vector<std::string> name_places(const Communicator& communicator, const ReadFiles& read,
                                     const std::vector<DocumentPlace>& own, std::size_t most) {
  std::vector<DocumentPlace> lines;  // the places with line numbers in the file
  for (std::size_t file = 0; file < read.files.size(); ++file) {
    Index total = 0;
    const std::vector<Index> first = first_rows(communicator, read.blocks[file], total);
    const Index begin = static_cast<Index>(file) * ReadFiles::blocks_of_a_file;
    for (const DocumentPlace& place : own) {
      if (place.block / ReadFiles::blocks_of_a_file != static_cast<Index>(file)) continue;
      for (std::size_t b = 0; b < first.size(); ++b) {
        if (read.blocks[file][b].number == place.block - begin) lines.push_back({begin, first[b] + place.line});
      }
    }
  }
  lines = communicator.all_gather(lines);
  std::ranges::sort(lines, {}, [](const DocumentPlace& place) { return std::pair(place.block, place.line); });
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(lines.size(), most); ++k) {
    const auto file = static_cast<std::size_t>(lines[k].block / ReadFiles::blocks_of_a_file);
    names.push_back(read.files[file]->place(lines[k].line));
  }
  return names;
}

std::string not_utf8_note(Index count, const std::string& what, const std::string& effect, const std::string& first) {
  const bool one = count == 1;
  return fmt::format("{} {}{} bytes that are not UTF-8; {} ({}{}; if {} Latin-1, convert {}: iconv -f LATIN1 -t UTF-8)",
                     grouped(count), what, one ? " holds" : "s hold", effect, one ? "" : "the first: ", first,
                     one ? "it is" : "they are", one ? "it" : "them");
}

}  // namespace cairn

// Reads files that are one text, whose documents can be found only by reading from the beginning. Private to this
// folder.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/documents/document_formats.hpp"

namespace cairn {

/// Every rank reads the whole file to find where its documents begin and end, and uses those of its own blocks.
///
/// @param reader  bool next(std::string& text, Index& line): the next document as written in the file, and the line,
///   from 0, in which it begins; false after the last one. Index line(): the current line
/// @param use     use(text, line) for the documents of this rank; `line` counts from 0 in the block
/// @param place   place(line): "path:line", for an Error that `use` throws
/// Collective.
template <class MakeReader, class Use, class Place>
void for_each_in_whole_text(const Communicator& communicator, const std::string& path, MakeReader make_reader, Use use,
                            const DocumentFile::EndBlock& end, Place place) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  std::optional<PlacedError> found;
  read_collectively(communicator, path, [&] {
    auto reader = make_reader();
    std::string text;
    Index block = 0, first = 0, line = 0;  // first: the line in which the block begins
    std::size_t bytes = 0;
    const auto is_own = [&] { return block % communicator.size() == communicator.rank(); };
    while (reader.next(text, line)) {
      if (bytes >= block_bytes) {
        if (is_own()) end(block, line - first);
        ++block, first = line, bytes = 0;
      }
      bytes += text.size();
      if (!is_own() || found) continue;
      try {
        use(text, line - first);
      } catch (const Error& error) {
        found = PlacedError{line, Error(error.kind(), fmt::format("{}: {}", place(line), error.what()))};
      }
    }
    if (is_own()) end(block, reader.line() - first + 1);
  });
  throw_first(communicator, found);
}

}  // namespace cairn

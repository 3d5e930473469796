// Text files split into blocks of whole lines, read in parallel. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// A file of lines, plain, .gz or .xz (recognized by its first bytes).
///
/// Its text is split at line ends into blocks of about one MiB; block b belongs to rank b mod ranks. From a plain file
/// each rank reads its own blocks. A compressed file is decompressed by one rank of each node, which sends the others
/// their blocks and stores only the current one. Lines end in \n or \r\n.
class TextBlocks {
 public:
  /// @throws Error(input) if the file is missing, unreadable or empty, or if its first bytes are UTF-16, UTF-32 or
  /// binary. Local.
  explicit TextBlocks(std::string path);

  /// Calls line(text, number) for the lines of this rank's blocks, in order; number counts from 0 in the block. Calls
  /// end(block, lines) after each block. An Error(input) that they throw gets the prefix "path:line: ", counted in the
  /// file. Every rank throws the same error: that of the first line with one. Collective.
  void for_each_line(const Communicator& communicator, const std::function<void(std::string_view, Index)>& line,
                     const std::function<void(Index, Index)>& end) const;

  /// The first lines of the file that are not blank, up to `most`. Local.
  [[nodiscard]] std::vector<std::string> first_lines(std::size_t most) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cairn

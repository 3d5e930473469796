// Text files cut into blocks of whole lines, read in parallel. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// A file of lines, plain, .gz or .xz (told by its first bytes).
///
/// Its text is cut into blocks of about one MiB at line ends; block b belongs to rank b mod ranks. A plain file is read
/// by each rank where its blocks are; a compressed one is decompressed by every rank, which keeps nothing but the block
/// in hand. Lines end in \n or \r\n.
class TextBlocks {
 public:
  /// @throws Error(input) if the file is missing, unreadable, empty, UTF-16 or -32, or binary by its first bytes.
  /// Local.
  explicit TextBlocks(std::string path);

  /// Calls line(text, number) for the lines of the blocks of this rank, in order; number counts from 0 in the block;
  /// and end(block, lines) after each block. An Error(input) that they throw gets "path:line: " in front, counted in
  /// the file. The same error on every rank: that of the first line that has one. Collective.
  void for_each_line(const Communicator& communicator, const std::function<void(std::string_view, Index)>& line,
                     const std::function<void(Index, Index)>& end) const;

  /// The first lines of the file that are not blank, up to `most`. Local.
  [[nodiscard]] std::vector<std::string> first_lines(std::size_t most) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cairn

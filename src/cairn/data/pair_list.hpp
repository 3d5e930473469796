// Files of pairs: two fields per line.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Pairs of a text file (plain, .gz or .xz), read piece by piece by one rank. Fields are separated by tabs, commas or
/// blanks, as in the first line that is not empty; fields in quotes may contain these. Empty lines are skipped.
class PairList {
 public:
  /// @param numbers  the fields are integers; a first line with no integer is a heading() and skipped
  /// @throws Error(input) if the file is missing, unreadable or empty. Local.
  PairList(const std::string& path, bool numbers);
  ~PairList();
  PairList(const PairList&) = delete;
  PairList& operator=(const PairList&) = delete;

  struct Pair {
    std::string first, second;
    Index line = 0;  ///< from 1
  };
  /// The next pairs, at most `most`; none at the end of the file.
  /// @throws Error(input) with file and line if a line does not have two fields, or has an empty one. Local.
  [[nodiscard]] std::vector<Pair> next(Index most);
  /// The first line, if it was skipped as a heading; empty: it was a pair, or is not read yet. Local.
  [[nodiscard]] const std::string& heading() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

/// Advice for a rejected line `line` of a list that may be a heading; empty for lines after the first.
/// @param comments  lines that begin with # are skipped. Local.
[[nodiscard]] std::string if_heading(Index line, bool comments);

/// Throws Error(input): path:line: `reason`. Local.
[[noreturn]] void refuse_line(const std::string& path, Index line, const std::string& reason);

}  // namespace cairn

// The CSV file of a sweep, which grows by a line a run.
#pragma once

#include <string>
#include <vector>

#include "base/communicator.hpp"

namespace cairn::app {

/// A table whose columns have names.
class SweepFile {
 public:
  /// Fields of a line, one a column.
  using Fields = std::vector<std::string>;

  /// @param columns  names of the columns
  /// @param restart  go on with the file that is there, if one is; otherwise the first line replaces it
  /// @throws Error(input) where the file that is there cannot be read or has other columns. Collective.
  SweepFile(const Communicator& communicator, std::string path, Fields columns, bool restart);

  /// The lines that the file held, or that were added. The same on every rank.
  [[nodiscard]] const std::vector<Fields>& lines() const { return lines_; }
  /// The line that has these values in its first columns; nothing where there is none.
  [[nodiscard]] const Fields* find(const Fields& values) const;
  /// The field of `line` in the column `name`.
  [[nodiscard]] const std::string& field(const Fields& line, const std::string& name) const;
  /// Adds a line, in the place of one with the same first `keys` fields, and writes the file: it appears under its name
  /// whole, with every line so far, or stays as it was. @throws Error(resource) where it cannot be written, or another
  /// program wrote it since this one did: their lines would be lost. Collective.
  void add(Fields line, std::size_t keys);

 private:
  const Communicator& communicator_;
  std::string path_;
  Fields columns_;
  std::vector<Fields> lines_;
  std::string written_;  // what the file holds, as this sweep found or wrote it; empty: there was none. Of rank 0
};

}  // namespace cairn::app

// The CSV file of a sweep, which grows by a line a run.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// A table whose columns have names.
class SweepFile {
 public:
  /// Fields of a line, one a column.
  using Fields = std::vector<std::string>;

  /// What is done with a file that is there: go on with it, or let the first line replace it, if it holds runs of this
  /// sweep only or whatever it holds.
  enum class Existing { restart, replace_own, overwrite };

  /// @param columns  names of the columns
  /// @param own  the first fields of each run of this sweep
  /// @throws Error(input) if the file that is there cannot be read, or is to be gone on with and has other columns;
  ///   Error(usage) if it holds something else than runs of `own` and would be replaced. Collective.
  SweepFile(const Communicator& communicator, OutputPath path, Fields columns, Existing existing,
            const std::vector<Fields>& own);

  /// The lines that the file held, or that were added. The same on every rank.
  [[nodiscard]] const std::vector<Fields>& lines() const { return lines_; }
  /// The line that has these values in its first columns; nothing if there is none.
  [[nodiscard]] const Fields* find(const Fields& values) const;
  /// The field of `line` in the column `name`.
  [[nodiscard]] const std::string& field(const Fields& line, const std::string& name) const;
  /// Adds a line, in the place of one with the same first `keys` fields, and writes the file: it appears under its name
  /// whole, with every line so far, or stays as it was. @throws Error(resource) if it cannot be written, or another
  /// program wrote it since this one did: their lines would be lost. Collective.
  void add(Fields line, std::size_t keys);

 private:
  void take_lines(const std::string& text);
  void require_own(const std::string& text, const std::vector<Fields>& own) const;

  const Communicator& communicator_;
  OutputPath path_;
  Fields columns_;
  std::vector<Fields> lines_;
  std::string written_;  // what the file holds, as this sweep found or wrote it; empty: there was none. Of rank 0
};

}  // namespace cairn

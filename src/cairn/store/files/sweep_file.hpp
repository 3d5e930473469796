// The CSV file of a sweep, which grows by one line per run.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// A table with named columns.
class SweepFile {
 public:
  /// Fields of a line, one per column.
  using Fields = std::vector<std::string>;

  /// Treatment of an existing file: resume it, replace it with the first line if it holds only runs of this sweep, or
  /// replace it whatever it holds.
  enum class Existing { restart, replace_own, overwrite };

  /// @param columns  names of the columns
  /// @param own  the first fields of each run of this sweep
  /// @throws Error(input) if the existing file cannot be read, or is to be resumed and has other columns; Error(usage)
  /// if it holds anything other than runs of `own` and would be replaced. Collective.
  SweepFile(const Communicator& communicator, OutputPath path, Fields columns, Existing existing,
            const std::vector<Fields>& own);

  /// Lines that were in the file or were added. The same on every rank.
  [[nodiscard]] const std::vector<Fields>& lines() const { return lines_; }
  /// Line with these values in its first columns; null if there is none.
  [[nodiscard]] const Fields* find(const Fields& values) const;
  /// The field of `line` in the column `name`.
  [[nodiscard]] const std::string& field(const Fields& line, const std::string& name) const;
  /// Adds a line, replacing one with the same first `keys` fields, and writes the file: it appears under its name
  /// whole, with every line so far, or stays unchanged. @throws Error(resource) if it cannot be written, or another
  /// program wrote it in the meantime: its lines would be lost. Collective.
  void add(Fields line, std::size_t keys);

 private:
  void take_lines(const std::string& text);
  void require_own(const std::string& text, const std::vector<Fields>& own) const;

  const Communicator& communicator_;
  OutputPath path_;
  Fields columns_;
  std::vector<Fields> lines_;
  std::string written_;  // content of the file as this sweep found or wrote it, on rank 0; empty: no file
};

}  // namespace cairn

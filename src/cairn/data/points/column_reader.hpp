// Columns of numbers from a file, chosen by name.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

struct ColumnSource {
  std::string path;                  ///< csv, or another format that points have
  std::vector<std::string> columns;  ///< csv: by name or number from 1, read in this order; empty: all but the key
  std::string key;                   ///< csv: a column of texts; empty: none
  bool missing = false;              ///< csv: empty fields are NaN, not an error
  KeyNames keys{};                   ///< names of the key (label) and the format
};

/// Rows of numbers with column names; the texts of the key are the labels of the rows.
struct ColumnTable {
  std::vector<std::string> names;  ///< names of the columns, from the header, or numbers from 1
  PointSet<double> rows;
  std::vector<std::size_t> positions{};  ///< positions of the columns in a csv file, from 0; empty for other formats
};

/// Each rank reads its part. @throws as read_points; Error(usage) if columns are chosen in a format other than csv.
/// Collective.
[[nodiscard]] ColumnTable read_columns(const Communicator& communicator, const ColumnSource& source);

}  // namespace cairn

// Points from lines of text. Private to this folder.
#pragma once

#include <vector>

#include "cairn/data/io/text_table.hpp"
#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// Rows of a CSV file, the findings of reading them, and their columns in the file, from 0.
template <class T>
struct CsvRows {
  OwnedRows<T> rows;
  PointReport report;
  std::vector<std::size_t> columns;
};

/// Fields are separated by comma, tab, semicolon or blanks, as in the first line, and may be quoted. find_csv_layout
/// decides whether the first line is a header. Collective. @throws as read_points
template <class T>
[[nodiscard]] CsvRows<T> read_csv(const Communicator& communicator, const PointSource& source);

/// Rows of a LIBSVM file, and the number of their nonzeros over all ranks.
template <class T>
struct SparseTextRows {
  OwnedRows<T> rows;
  Index entries = 0;
};

/// LIBSVM: label index:value ..., indices from 1, ascending; '#' starts a comment. The rows are sparse if the source
/// allows it and few of their values are nonzero. Collective. @throws as read_points, and Error(input) if, due to the
/// largest index, points with all coordinates would have far more values than the size of the file suggests
template <class T>
[[nodiscard]] SparseTextRows<T> read_svm(const Communicator& communicator, const PointSource& source);

}  // namespace cairn

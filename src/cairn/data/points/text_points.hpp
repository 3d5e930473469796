// Points from lines of text. Private to this folder.
#pragma once

#include <vector>

#include "cairn/data/io/text_table.hpp"
#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// Rows of a CSV file, what reading them found, and the columns of the file that they hold, from 0.
template <class T>
struct CsvRows {
  OwnedRows<T> rows;
  PointReport report;
  std::vector<std::size_t> columns;
};

/// Fields separated by comma, tab, semicolon or blanks, whichever the first line has; fields may be quoted. Which first
/// line is a header: find_csv_layout. Collective. @throws as read_points
template <class T>
[[nodiscard]] CsvRows<T> read_csv(const Communicator& communicator, const PointSource& source);

/// Rows of a LIBSVM file, and how many of their values are not 0, over all ranks.
template <class T>
struct SparseTextRows {
  OwnedRows<T> rows;
  Index entries = 0;
};

/// LIBSVM: label index:value ..., indices from 1, ascending; '#' starts a comment. The rows are sparse if the source
/// says that they may be and few of their values are not 0. Collective. @throws as read_points, and Error(input) if the
/// largest index makes points with all coordinates of far more values than the file's size lets expect
template <class T>
[[nodiscard]] SparseTextRows<T> read_svm(const Communicator& communicator, const PointSource& source);

}  // namespace cairn

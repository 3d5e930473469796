// What the first line of a CSV file says about its columns. Private to this folder.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/data/io/column_choice.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/points/point_reader.hpp"

namespace cairn {

struct CsvLayout {
  char separator = ',';
  bool header = false;
  bool mixed = false;     ///< the first line is data, and has fields that are not numbers: the error is to say so
  bool doubtful = false;  ///< the first line is taken for data, but may be meant as a header
  TableColumns table;
  std::array<std::size_t, 4> texts{no_column, no_column, no_column, no_column};  ///< as PointSource::text_columns()
  std::vector<std::size_t> values;  ///< columns that are read, in this order
};

/// The first line is a header if it has a name that a column is asked for by (not the number of a column), or if none
/// of its fields that are to be coordinates is a number and at least one is a name. Local.
/// @throws Error(input) for an empty file, a column that is not there; Error(usage) as value_columns
[[nodiscard]] CsvLayout find_csv_layout(const TextBlocks& text, const PointSource& source);

}  // namespace cairn

// Keys of [data] that say which columns of a file become coordinates of points.
#include "option_table.hpp"

namespace cairn::app {

std::vector<Parameter> column_keys() {
  using enum ValueType;
  return {
      {"data.columns", "COLUMN,COLUMN", text, "",
       "points of csv, npy, npz, raw32, raw64 and hdf5: the columns that become coordinates, in this order: names of a "
       "header, numbers from 1, or ranges of numbers (2-12). By default all but the label are read."},
      {"data.ignore", "COLUMN,COLUMN", text, "",
       "points of the same formats: columns that do not become coordinates, named as in data.columns. By default none "
       "are ignored."},
      {"data.missing",
       "NAME",
       choice,
       "refuse",
       "points of csv: what becomes of a row in which a value is missing (an empty field, NA, N/A, NaN, nan, null, "
       "NULL, None or ?): refuse makes it an error, skip leaves it out; the result keeps the numbers of the other rows "
       "in the file, from 0.",
       {"refuse", "skip"}},
  };
}

}  // namespace cairn::app

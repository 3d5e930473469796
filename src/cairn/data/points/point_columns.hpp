// Which columns of a file became the coordinates of points, and what else reading them found.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// What a result keeps of the columns, so that new points are read in the same way.
struct PointColumns {
  std::vector<std::string> names;  ///< of the coordinates, in their order; empty: the file names no columns
  std::string label;               ///< the column of the labels by name, or by number from 1; empty: none
  std::string chosen;              ///< PointSource::columns as it was given; empty: all
  std::string ignored;             ///< PointSource::ignored as it was given; empty: none
};

/// What reading points found.
struct PointReport {
  std::string format;
  std::string dataset;     ///< hdf5: which one was read
  Index file_columns = 0;  ///< of a table: columns in the file; 0: the format has no columns to choose from
  bool text = false;       ///< csv: a first line may be a header
  bool header = false;     ///< it was one
  PointColumns columns;
  std::vector<std::string> ignored;   ///< columns that were ignored, by name, or by number from 1
  Index entries = -1;                 ///< that are not 0, over all ranks, of a file that names these; -1: it does not
  Index skipped = 0;                  ///< rows with missing values, over all ranks
  std::vector<std::string> notes;     ///< sentences for the user that the result keeps
  std::vector<std::string> warnings;  ///< columns that are hardly meant as coordinates
};

}  // namespace cairn

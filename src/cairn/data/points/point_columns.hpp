// Columns of a file that became coordinates of points, and other findings of reading them.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Column information in a result, so that new points are read in the same way.
struct PointColumns {
  std::vector<std::string> names;  ///< names of the coordinates, in order; empty: the file names no columns
  std::string label;               ///< column of the labels by name, or by number from 1; empty: none
  std::string chosen;              ///< PointSource::columns as it was given; empty: all
  std::string ignored;             ///< PointSource::ignored as it was given; empty: none
};

/// Findings of reading points.
struct PointReport {
  std::string format;
  std::string dataset;     ///< hdf5: data set that was read
  Index file_columns = 0;  ///< columns in the file, for a table; 0: the format has no columns to choose from
  bool text = false;       ///< csv: a first line may be a header
  bool header = false;     ///< the first line was a header
  PointColumns columns;
  std::vector<std::string> ignored;   ///< columns that were ignored, by name, or by number from 1
  Index entries = -1;                 ///< nonzeros over all ranks, if the file stores entries; -1: it does not
  Index skipped = 0;                  ///< rows with missing values, over all ranks
  std::vector<std::string> notes;     ///< sentences for the user that the result stores
  std::vector<std::string> warnings;  ///< columns that are probably not meant as coordinates
};

}  // namespace cairn

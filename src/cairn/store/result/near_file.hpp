// /near of a result: exact entries of near objects, less those of K~. Private to this folder.
#pragma once

#include "cairn/store/hdf5/hdf5_read.hpp"

namespace cairn {

/// The group of S, n x n, with its attributes; its tables are those of a sparse factor. One rank.
void create_near_group(const hdf5::Handle& file, Index near, Index n);

/// What /near holds.
struct NearShape {
  Index near = 0;     ///< nearest objects of each; 0: there is no such group
  Index entries = 0;  ///< over all rows
};

/// @throws Error(input) if it is not of `rows` rows and columns, not of the precision of the factors, or of a number of
/// nearest objects that is none. Local.
[[nodiscard]] NearShape stored_near(const hdf5::InputFile& file, Index rows, hdf5::ElementType::Kind number);

}  // namespace cairn

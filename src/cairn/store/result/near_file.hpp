// /near of a result: exact entries for near objects minus those of K~. Private to this folder.
#pragma once

#include "cairn/store/hdf5/hdf5_read.hpp"

namespace cairn {

/// Creates the group of S, n x n, with its attributes; its tables are those of a sparse factor. One rank.
void create_near_group(const hdf5::Handle& file, Index near, Index n);

/// Contents of /near.
struct NearShape {
  Index near = 0;     ///< nearest objects per object; 0: there is no such group
  Index entries = 0;  ///< over all rows
};

/// @throws Error(input) if it does not have `rows` rows and columns, has another precision than the factors, or an
/// invalid number of nearest objects. Local.
[[nodiscard]] NearShape stored_near(const hdf5::InputFile& file, Index rows, hdf5::ElementType::Kind number);

}  // namespace cairn

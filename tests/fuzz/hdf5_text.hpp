// HDF5 files from a few lines of text, which a fuzzer can change without meeting the library's own readers of damage.
#pragma once

#include <string>
#include <string_view>

namespace cairn::fuzz {

/// The bytes of a file that has what the lines say; lines that say nothing HDF5 can make are skipped:
///
///     g NAME                                   a group
///     d NAME TYPE SIZES LAYOUT VALUE,VALUE...  a data set; values begin anew where there are too few
///     a OBJECT NAME TYPE SIZES VALUE,VALUE...  an attribute
///
/// TYPE: i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 (little-endian), F8 (big-endian), b1 b4 (an enumeration FALSE, TRUE), s and a
/// number (texts of that length), v (texts of any length). SIZES: 3x4, or - for one value without dimensions. LAYOUT: c
/// contiguous, n contiguous and never written, kRxC in chunks, zRxC in deflated ones, tRxC and TRxC the same of the
/// lower triangle alone. A text may hold blanks; a comma ends it.
[[nodiscard]] std::string hdf5_of(std::string_view lines);

}  // namespace cairn::fuzz

// How joining matrices in tiles stand in a file.
#pragma once

namespace cairn {

/// Of the chunks of a joining matrix in tiles: as they are, or through HDF5's filters shuffle and deflate.
enum class Compression { none, deflate };

}  // namespace cairn

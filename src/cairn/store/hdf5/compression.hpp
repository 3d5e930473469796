// Storage of core matrices in tiles in a file.
#pragma once

namespace cairn {

/// Storage of the chunks of a core matrix in tiles: uncompressed, or through HDF5's filters shuffle and deflate.
enum class Compression { none, deflate };

}  // namespace cairn

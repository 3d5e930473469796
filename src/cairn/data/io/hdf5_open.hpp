// Files of HDF5 that are opened without locks.
#pragma once

#include <string>

#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// Properties by which files are opened without locks: some file systems have none, and a file that cairn itself writes
/// has a name of its own. The variable HDF5_USE_FILE_LOCKING of the environment, where it is set, wins. Local.
[[nodiscard]] Handle without_locks();

/// Opens a file for reading; empty if HDF5 cannot, and failure_reason() says why. Local.
[[nodiscard]] Handle open_to_read(const std::string& path);

/// Whether the reason of a failure is that a file could not be locked. Local.
[[nodiscard]] bool is_of_locks(const std::string& reason);

}  // namespace cairn::hdf5

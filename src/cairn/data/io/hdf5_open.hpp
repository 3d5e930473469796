// Opening of HDF5 files without locks.
#pragma once

#include <string>

#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// Properties for opening files without locks: some file systems have none, and files that cairn writes have names of
/// their own. The environment variable HDF5_USE_FILE_LOCKING, if set, takes precedence. Local.
[[nodiscard]] Handle without_locks();

/// Opens a file for reading; empty if HDF5 cannot, with the reason in failure_reason(). Local.
[[nodiscard]] Handle open_to_read(const std::string& path);

/// True if the reason of a failure is that a file could not be locked. Local.
[[nodiscard]] bool is_of_locks(const std::string& reason);

}  // namespace cairn::hdf5

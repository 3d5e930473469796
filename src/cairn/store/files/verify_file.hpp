// Reads all data of an HDF5 file of Cairn, only to verify its checksums.
#pragma once

#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Statistics of verify_file.
struct VerifiedFile {
  Index data_sets = 0;
  Index without = 0;  ///< data sets without a checksum: in older files, and in files of other programs
  Index removed = 0;  ///< data sets that existed when the file was created, and no longer exist
  Index bytes = 0;    ///< bytes read, over all ranks
};

/// Compares every data set with its checksum; the ranks share the rows.
/// @throws Error(input) that names the first damaged data set. Collective.
[[nodiscard]] VerifiedFile verify_file(const Communicator& communicator, const std::string& path);

}  // namespace cairn

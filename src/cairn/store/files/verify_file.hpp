// Reading all that an HDF5 file of Cairn holds, for its checksums alone.
#pragma once

#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// What verify_file looked at.
struct VerifiedFile {
  Index data_sets = 0;
  Index without = 0;  ///< of them, those without a checksum: of older files, and of other programs
  Index removed = 0;  ///< data sets that were there when the file was made, and are no more
  Index bytes = 0;    ///< that were read, by all ranks
};

/// Holds every data set against its checksum; ranks share the rows.
/// @throws Error(input) that names the first data set that is damaged. Collective.
[[nodiscard]] VerifiedFile verify_file(const Communicator& communicator, const std::string& path);

}  // namespace cairn

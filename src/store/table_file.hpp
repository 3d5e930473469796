// HDF5 files that hold tables and nothing else.
#pragma once

#include <string>
#include <vector>

#include "store/shared_table.hpp"

namespace cairn {

/// Writes the tables to a new file, which takes its name when it is complete. @return bytes written by this rank
/// @throws as AtomicFile and write_tables do. Collective.
[[nodiscard]] Index write_table_file(const Communicator& communicator, const std::string& path,
                                     const std::vector<SharedTable>& tables);

}  // namespace cairn

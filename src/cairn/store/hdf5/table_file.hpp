// HDF5 files that hold only tables: points, graphs, clusters.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Writes the tables to a new file, which is renamed when it is complete. @return bytes written by this rank
/// @throws as AtomicFile and write_tables do. Collective.
[[nodiscard]] Index write_table_file(const Communicator& communicator, const OutputPath& path,
                                     const std::vector<SharedTable>& tables);

/// A table in a file.
struct StoredTable {
  std::string name;
  hdf5::TableShape shape;
};

/// The tables of a file that holds only tables, in alphabetical order; none if it holds groups, or has an attribute
/// `format`. @throws Error(input) if it is not an HDF5 file, or one of its tables cannot be read. Collective.
[[nodiscard]] std::vector<StoredTable> read_table_list(const Communicator& communicator, const std::string& path);

}  // namespace cairn

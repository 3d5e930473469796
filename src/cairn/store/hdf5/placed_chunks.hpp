// Chunks of a data set that one rank places in a file and any rank writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn::hdf5 {

/// Enters deflated chunks of a data set into its index without writing their bytes: HDF5's driver of local files, but
/// for the contents of data sets, which are left out. One rank, while no rank has the file open otherwise.
class ChunkPlaces {
 public:
  /// @throws Error(resource)
  ChunkPlaces(const std::string& path, const std::string& name);
  /// Reserves `bytes` bytes for the chunk at `row`, `column`. @return their offset in the file @throws Error(resource)
  [[nodiscard]] Index place(Index row, Index column, Index bytes);
  /// Writes the index; a late failure of the disk shows here. @throws Error(resource)
  void close();

 private:
  Handle file_, chunks_;
};

/// True if nodes may write next to each other into a file (Lustre, GPFS, BeeGFS). NFS's clients write whole pages, and
/// so over what others wrote. Local.
[[nodiscard]] bool is_coherent_between_nodes(const std::string& path);

/// The bytes of an existing file, for writing at places that no other rank writes to. Any rank.
class FileBytes {
 public:
  /// @throws Error(resource)
  explicit FileBytes(const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// @throws Error(resource)
  void write(Index offset, std::span<const std::byte> bytes);
  /// A late failure of the disk shows here. @throws Error(resource)
  void close();

 private:
  int file_ = -1;
};

}  // namespace cairn::hdf5

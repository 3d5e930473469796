// A check that all ranks read the same files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// 64-bit hash of a file's size and its first and last MiB. Unreadable parts count as 0 bytes. Local.
[[nodiscard]] std::uint64_t file_fingerprint(const std::string& path);

/// A file that a run reads.
struct FileRead {
  std::string name;  ///< name of its path in messages: "data.path"
  std::string path;
  bool sure = true;  ///< false: it may be another word (the name of a column); then only files are compared
};

/// The files that these parameters name. Local.
[[nodiscard]] std::vector<FileRead> files_read(const std::vector<Parameter>& own, const Values& values);

/// Compares the files that the ranks find under these paths: copies on the disks of nodes may differ, and so may the
/// targets of a relative path. For files up to 16 MiB all bytes are compared; for larger ones the size and some 70
/// pieces; for folders the names and sizes of all files, and the first and last MiB of 64 of them. Hidden files are
/// left out. Ranks of a node that see the same inode read it once, or not at all if these are all ranks.
/// @throws Error(input) on every rank that names the first file and rank that differs, and both hosts; Error(usage) for
/// a pipe or a device, which only one rank can read. A file that no rank finds is left to its reader. Collective.
void require_same_files(const Communicator& communicator, const std::vector<FileRead>& files);

}  // namespace cairn

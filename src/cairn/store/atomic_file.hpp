// A file that is complete or not there: written beside its name, flushed, then renamed.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/partial_file.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/store/replacing_file.hpp"

namespace cairn {

/// A ReplacingFile that all ranks write. Until commit() the final name is untouched; if the object ends without it, or
/// a signal ends the program, the new file is removed.
class AtomicFile {
 public:
  /// Makes the empty partial file. @throws Error(usage) as check_writable does, Error(resource) if the disk is full.
  /// Collective; `communicator` must outlive it.
  AtomicFile(const Communicator& communicator, const OutputPath& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] const std::string& partial_path() const { return partial_path_; }

  /// Makes sure that `bytes` can be written into the partial file, which must be empty: compares them with the free
  /// space, then takes that space, or where the file system cannot, writes a first piece, and gives it back. HDF5 is to
  /// meet no full disk or quota while it makes the file: after a close that failed it crashes where the program ends
  /// (1.10).
  /// @throws Error(resource) with the figures. Collective.
  void require_space(Index bytes) const;

  /// Takes the disk space of the partial file as long as it is now, holes included, where the file system can: a full
  /// disk then shows here and not while all ranks write.
  /// @throws Error(resource). Collective.
  void reserve() const;

  /// Flushes what every rank wrote to the disk and renames the file. The file must be closed on all ranks.
  /// @throws Error(resource) if a disk reports late that it failed; the final name is then as it was. Where it cannot
  /// be renamed the new file stays, and the message names it. Collective.
  void commit();

 private:
  const Communicator& communicator_;
  std::string name_;  // what is to be changed
  std::string partial_path_;
  std::optional<ReplacingFile> file_;      // rank 0's
  std::optional<PartialFile> registered_;  // of the others
  bool exists_ = false;
};

/// Makes sure that the file can grow by `bytes`, as AtomicFile::require_space does. @throws Error(resource). One rank.
void require_room(const std::string& path, Index bytes);

/// Seconds that flushing `bytes` to a slow disk may take without a sign of life: what the watchdog is to allow.
[[nodiscard]] constexpr double longest_flush_seconds(Index bytes) {
  constexpr double slow_disk = 20e6;  // bytes a second
  return static_cast<double>(bytes) / slow_disk;
}

}  // namespace cairn

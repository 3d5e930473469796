// A file that is either complete or absent: written beside its final name, flushed, then renamed.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/partial_file.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/store/replacing_file.hpp"

namespace cairn {

/// A ReplacingFile that all ranks write. Until commit() the final name is untouched. If the object is destroyed before
/// commit(), or a signal ends the program, the new file is removed.
class AtomicFile {
 public:
  /// Creates the empty partial file. @throws Error(usage) as check_writable does, Error(resource) if the disk is full.
  /// Collective; `communicator` must outlive the object.
  AtomicFile(const Communicator& communicator, const OutputPath& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] const std::string& partial_path() const { return partial_path_; }

  /// Makes sure that `bytes` can be written into the partial file, which must be empty. Compares them with the free
  /// space, then allocates that space (or writes a first piece if the file system cannot allocate) and releases it.
  /// HDF5 must not meet a full disk or quota while it creates the file: after a failed close, HDF5 1.10 crashes when
  /// the program ends.
  /// @throws Error(resource) that states the required and the free bytes. Collective.
  void require_space(Index bytes) const;

  /// Allocates the disk space of the partial file at its present length, holes included, if the file system can: a full
  /// disk then shows here and not while all ranks write.
  /// @throws Error(resource). Collective.
  void reserve() const;

  /// Flushes to the disk what every rank wrote and renames the file. The file must be closed on all ranks.
  /// @throws Error(resource) if a disk reports a failure late; the final name is then unchanged. If the file cannot be
  /// renamed, it stays under its partial name, which the message states. Collective.
  void commit();

 private:
  const Communicator& communicator_;
  std::string name_;  // parameter that messages ask to change
  std::string partial_path_;
  std::optional<ReplacingFile> file_;      // on rank 0
  std::optional<PartialFile> registered_;  // on the other ranks
  bool exists_ = false;
};

/// Makes sure that the file can grow by `bytes`, as AtomicFile::require_space does. @throws Error(resource). One rank.
void require_budget(const std::string& path, Index bytes);

/// Seconds that a flush of `bytes` to a slow disk may take without progress; the watchdog must allow them.
[[nodiscard]] constexpr double longest_flush_seconds(Index bytes) {
  constexpr double slow_disk = 20e6;  // bytes per second
  return static_cast<double>(bytes) / slow_disk;
}

}  // namespace cairn

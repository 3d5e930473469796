// The file that this process is writing and has not renamed yet, known where a signal ends the program.
#pragma once

#include <string>

namespace cairn {

/// Remembers `path` while it lives, so that a signal handler can remove the file. One at a time in a process.
///
/// Nothing is removed at its end: who wrote the file renames or removes it.
class PartialFile {
 public:
  /// @throws Error(internal) if another one lives, Error(usage) if `path` is longer than the system allows (PATH_MAX).
  /// Local.
  explicit PartialFile(const std::string& path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
};

/// Removes the file that a PartialFile of this process names, if there is one. Async-signal-safe; callable at any time.
void remove_partial_file_from_signal_handler() noexcept;

}  // namespace cairn

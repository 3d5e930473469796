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

/// Remembers the file at `path` while it lives, which is this process's as long as it runs (a lock): a signal handler
/// removes it, too, unless it was replaced. One at a time; the next one takes its place. Nothing is removed at its end.
class HeldFile {
 public:
  /// @throws Error(usage) if `path` is longer than the system allows. Local.
  explicit HeldFile(const std::string& path);
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
};

/// Removes the files that a PartialFile and a HeldFile of this process name, if there are some. Async-signal-safe;
/// callable at any time.
void remove_partial_file_from_signal_handler() noexcept;

}  // namespace cairn

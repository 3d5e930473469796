// The file that this process writes and has not renamed yet, registered for signals that end the program.
#pragma once

#include <string>

namespace cairn {

/// Registers `path` during its lifetime, so that a signal handler can remove the file. One at a time in a process.
///
/// Its destructor removes nothing: the writer of the file renames or removes it.
class PartialFile {
 public:
  /// @throws Error(internal) if another one exists, Error(usage) if `path` is longer than the system allows (PATH_MAX).
  /// Local.
  explicit PartialFile(const std::string& path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
};

/// Registers the file at `path` during its lifetime; the file belongs to this process while it runs (a lock). A signal
/// handler removes it, too, unless it was replaced. One at a time; a new one replaces the last. Its destructor removes
/// nothing.
class HeldFile {
 public:
  /// @throws Error(usage) if `path` is longer than the system allows. Local.
  explicit HeldFile(const std::string& path);
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
};

/// Removes the files registered by a PartialFile and a HeldFile of this process, if any. Async-signal-safe; callable at
/// any time.
void remove_partial_file_from_signal_handler() noexcept;

}  // namespace cairn

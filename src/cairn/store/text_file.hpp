// Small text files that rank 0 writes: JSON reports, CSV tables.
#pragma once

#include <optional>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/replacing_file.hpp"

namespace cairn {

/// A text file that appears under its name when it is complete: written beside it, then renamed. An incomplete file is
/// removed. A device, a pipe or an open descriptor (/dev/stdout) is written directly. Every member is collective; rank
/// 0 writes.
class TextFile {
 public:
  /// @throws Error as ReplacingFile does; Error(resource) if it cannot be opened
  TextFile(const Communicator& communicator, const OutputPath& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Appends the text of rank 0. @throws Error(resource) if the disk is full
  void append(const std::string& text);
  /// Publishes the file under its name. @throws Error(resource)
  void complete();

 private:
  const Communicator& communicator_;
  std::string path_;
  std::optional<ReplacingFile> file_;  // on rank 0; empty for a device
  int descriptor_ = -1;
};

/// Writes a whole text at once. Collective.
void write_text_file(const Communicator& communicator, const OutputPath& path, const std::string& text);

}  // namespace cairn

// Small text files that rank 0 writes: JSON reports, CSV tables.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/partial_file.hpp"

namespace cairn {

/// A text file that appears under its name when it is complete: written beside it, then renamed. What is not complete
/// is removed. Every member is collective; rank 0 writes.
class TextFile {
 public:
  /// @throws Error(resource) if it cannot be written
  TextFile(const Communicator& communicator, std::string path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Appends rank 0's text. @throws Error(resource) if the disk is full
  void append(const std::string& text);
  /// Gives it its name. @throws Error(resource)
  void complete();

 private:
  const Communicator& communicator_;
  std::string path_, partial_;
  std::ofstream stream_;
  std::optional<PartialFile> registered_;  // a signal removes it, too
  bool complete_ = false;
};

/// A whole text at once. Collective.
void write_text_file(const Communicator& communicator, const std::string& path, const std::string& text);

}  // namespace cairn

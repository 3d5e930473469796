// Detects that a file was replaced between two reads.
#pragma once

#include <string>

namespace cairn::hdf5 {

/// During its lifetime, the files that this process reads must not change: for a command of the program, which reads a
/// file several times. A program that rereads a file after it was rewritten creates no such object. One at a time.
/// Local.
class FilesStay {
 public:
  FilesStay();
  ~FilesStay();
  FilesStay(const FilesStay&) = delete;
  FilesStay& operator=(const FilesStay&) = delete;
};

/// Records, at the first call for `path`, which file has that name. Thread-safe. Local.
void note_file_of(const std::string& path);

/// True if the name refers to another file since then: earlier reads belong to the old file. False if files may change.
/// Local.
[[nodiscard]] bool was_replaced(const std::string& path);

}  // namespace cairn::hdf5

// Whether a file that is read was replaced meanwhile.
#pragma once

#include <string>

namespace cairn::hdf5 {

/// While it lives, the files that this process reads are not to change: for a command of the program, which reads a
/// file several times. A program that reads a file again after it was written anew makes none. One at a time. Local.
class FilesStay {
 public:
  FilesStay();
  ~FilesStay();
  FilesStay(const FilesStay&) = delete;
  FilesStay& operator=(const FilesStay&) = delete;
};

/// Remembers, at the first call for `path`, which file has that name. Safe on several threads. Local.
void note_file_of(const std::string& path);

/// Whether the name has come to another file since then: what was read before is of that one. False where files need
/// not stay. Local.
[[nodiscard]] bool was_replaced(const std::string& path);

}  // namespace cairn::hdf5

// Files that a command reads several times: opened once, and missed if they are replaced between two reads.
#pragma once

#include <string>

#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// During its lifetime, the files that this process reads must not change, and each is opened once: for a command of
/// the program, which reads a file several times. A program that rereads a file after it was rewritten creates no such
/// object. One at a time. Local.
class FilesStay {
 public:
  FilesStay();
  ~FilesStay();
  FilesStay(const FilesStay&) = delete;
  FilesStay& operator=(const FilesStay&) = delete;
};

/// Keeps a file open while files stay: all ranks read it, several times, and each opening asks the file system. Local.
void keep_open(const Handle& file);
/// A file that is kept open and has not changed since, or nothing. Local.
[[nodiscard]] Handle kept_open(const std::string& path);

/// Closes the files that stay open; HDF5 opens none for writing that it has open for reading. Local.
void close_kept_files();

/// Records, at the first call for `path`, which file has that name. Thread-safe. Local.
void note_file_of(const std::string& path);

/// True if the name refers to another file since then: earlier reads belong to the old file. False if files may change.
/// Local.
[[nodiscard]] bool was_replaced(const std::string& path);

}  // namespace cairn::hdf5

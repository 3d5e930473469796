// Which call fails: read from the environment of the rank that loads this library.
//
//   CAIRN_FAULT=POINT:RANK:COUNT[+][:kill]   on RANK the COUNT-th call of POINT fails (with +, all from then on), or
//   the
//                                            process is killed there (SIGKILL); POINT:RANK:0 fails nothing
//   CAIRN_FAULT_TERMINATES=1                 at the point similarity std::terminate() is called, without an exception
//   CAIRN_FAULT_FOLDER=DIR                   files below it count, no others
//   CAIRN_FAULT_LOG=FILE                     what failed, and at a regular end how many calls of each point there were
//   CAIRN_FAULT_SYNCED=DIR                   keeps there what every fsync made safe (fault_files.cpp)
#pragma once

#include <cstddef>

namespace cairn::faults {

enum class Point { allocation, large_allocation, open, read, write, size, fsync, rename, mpi, similarity, count };

/// Counts a call of `point` on this rank. True if it is to fail; the log then has `what`.
bool fails(Point point, const char* what) noexcept;

/// The folder whose files count, with a slash at its end; empty if none was named.
const char* folder() noexcept;
/// Where synced files are kept; null if nowhere.
const char* synced_folder() noexcept;

/// While it lives, this thread's calls are the library's own and are passed on.
class Inside {
 public:
  Inside() noexcept;
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// The function of this name that comes after this library's.
void* next_function(const char* name) noexcept;

}  // namespace cairn::faults

// Whether a file that is read was replaced meanwhile.
#pragma once

#include <string>

namespace cairn::hdf5 {

/// From now on the files that this process reads are not to change as long as it lives: a program that is one command.
/// A program that reads a file again after it was written anew does not call it. Local.
void expect_files_to_stay();

/// Remembers which file has the name when this process first asks. Safe on several threads. Local.
void note_file_of(const std::string& path);

/// Whether the name has come to another file since then: what was read before is of that one. False where files need
/// not stay. Local.
[[nodiscard]] bool was_replaced(const std::string& path);

}  // namespace cairn::hdf5

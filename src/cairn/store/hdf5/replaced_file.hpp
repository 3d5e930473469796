// Whether a file that is read was replaced meanwhile.
#pragma once

#include <string>

namespace cairn::hdf5 {

/// Remembers which file has the name when this process first asks. Safe on several threads. Local.
void note_file_of(const std::string& path);

/// Whether the name has come to another file since then: what was read before is of that one. Local.
[[nodiscard]] bool was_replaced(const std::string& path);

}  // namespace cairn::hdf5

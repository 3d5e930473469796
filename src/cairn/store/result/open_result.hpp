// Opening a result file. Private to the readers of its parts.
#pragma once

#include <string>

#include "cairn/store/hdf5/hdf5_read.hpp"

namespace cairn {

/// @throws Error(input) unless the file is a result of a version known to this program. Local.
[[nodiscard]] hdf5::InputFile open_result(const std::string& path);

}  // namespace cairn

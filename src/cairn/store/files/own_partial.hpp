// The partial file of a run that was stopped, told from a file of somebody else.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// Looks at a file before it is written over under a name that everybody knows.
/// @param beginning  of the file, as far as it is written: what is not is zeros @param name  what is to be changed
/// @throws Error(usage) if there is something else, or a link. Local.
void require_own_partial(const std::string& path, std::string_view beginning, const std::string& name);

/// Whether an open file is still the one at `path`: nobody removed or replaced it. @param file  its descriptor Local.
[[nodiscard]] bool is_at(int file, const std::string& path);

}  // namespace cairn

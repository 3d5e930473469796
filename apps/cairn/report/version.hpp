// Which program this is.
#pragma once

#include <string>

namespace cairn::app {

[[nodiscard]] std::string version();
/// The commit that it was built from, with "-modified" where the tree differed; "unknown" outside a git tree.
[[nodiscard]] std::string commit();
/// The libraries that it was built with, one line.
[[nodiscard]] std::string libraries();
/// What --version prints.
[[nodiscard]] std::string version_text();

}  // namespace cairn::app

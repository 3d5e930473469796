// Version information of the program.
#pragma once

#include <string>

namespace cairn::app {

[[nodiscard]] std::string version();
/// The commit from which the program was built, with "-modified" if the tree differed; "unknown" outside a git tree.
[[nodiscard]] std::string commit();
/// One line with the libraries with which it was built.
[[nodiscard]] std::string libraries();
/// Text of --version.
[[nodiscard]] std::string version_text();

}  // namespace cairn::app

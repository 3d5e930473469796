// Path of an output file.
#pragma once

#include <string>
#include <utility>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Path of an output file, and the name of the parameter that messages ask to change if it cannot be written.
struct OutputPath {
  OutputPath(std::string path, std::string parameter = default_parameter)
      : file(std::move(path)), name(std::move(parameter)) {}
  OutputPath(const char* path) : file(path) {}

  static constexpr const char* default_parameter = "the path of the output";

  std::string file;
  std::string name = default_parameter;  ///< for example "output.path"
};

/// Path of the file that `path` refers to. A symbolic link is resolved to its target, so that renaming keeps the link.
/// @throws Error(usage) if the path is empty or names something that is not a file. Local.
[[nodiscard]] std::string final_target(const OutputPath& path);

/// @param input  name of `read` in messages @throws Error(usage) if the output would replace the file `read`.
/// Collective.
void require_other_file(const Communicator& communicator, const OutputPath& output, const std::string& input,
                        const std::string& read);

/// @throws Error(usage) if `path` cannot become a file: call it before hours of work. Collective.
void check_writable(const Communicator& communicator, const OutputPath& path);

}  // namespace cairn

// Where a file is to be written.
#pragma once

#include <string>
#include <utility>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// A file that is to be written, and what messages say is to be changed if it cannot be.
struct OutputPath {
  OutputPath(std::string path, std::string parameter = default_parameter)
      : file(std::move(path)), name(std::move(parameter)) {}
  OutputPath(const char* path) : file(path) {}

  static constexpr const char* default_parameter = "the path of the output";

  std::string file;
  std::string name = default_parameter;  ///< "output.path"
};

/// The file that `path` stands for: behind a symbolic link the link's target, so that renaming keeps the link.
/// @throws Error(usage) if it is empty or the name of something that is no file. Local.
[[nodiscard]] std::string final_target(const OutputPath& path);

/// @param input  what messages call the file `read` @throws Error(usage) if the output would replace it. Collective.
void require_other_file(const Communicator& communicator, const OutputPath& output, const std::string& input,
                        const std::string& read);

}  // namespace cairn

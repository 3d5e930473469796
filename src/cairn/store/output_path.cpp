#include "cairn/store/output_path.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/files/output_target.hpp"

namespace cairn {

std::string final_target(const OutputPath& path) {
  if (path.file.empty()) throw Error(ErrorKind::usage, path.name + " is empty; give the name of a file");
  std::error_code failed;
  // Follows links as the system does: the link text of a pipe is not a path.
  const std::filesystem::file_status status = std::filesystem::status(path.file, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} exists and is not a file; give {} another name", path.file, path.name));
  }
  std::string target = path.file;
  constexpr int most_links = 40;  // limit of the system
  for (int links = 0; links < most_links &&
                      std::filesystem::symlink_status(target, failed).type() == std::filesystem::file_type::symlink;
       ++links) {
    target = (std::filesystem::path(target).parent_path() / std::filesystem::read_symlink(target)).string();
  }
  if (std::filesystem::symlink_status(target, failed).type() == std::filesystem::file_type::symlink) {
    throw Error(ErrorKind::usage, fmt::format("{} is a symbolic link that leads back to itself; give {} another name",
                                              path.file, path.name));
  }
  return target;
}

void require_other_file(const Communicator& communicator, const OutputPath& output, const std::string& input,
                        const std::string& read) {
  collectively(communicator, [&] {
    if (!communicator.is_root() || !same_output(output.file, read)) return;
    throw Error(ErrorKind::usage, fmt::format("{} and {} name the same file, {}; what is read is not replaced",
                                              output.name, input, output.file));
  });
}

}  // namespace cairn

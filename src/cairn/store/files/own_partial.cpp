#include "cairn/store/files/own_partial.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

bool is_own(const std::string& path, std::string_view beginning) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::file_type type = fs::symlink_status(path, unknown).type();
  if (type == fs::file_type::not_found) return true;
  if (type != fs::file_type::regular) return false;
  std::array<char, 8> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  file.read(bytes.data(), static_cast<std::streamsize>(std::min(beginning.size(), bytes.size())));
  const std::string_view found(bytes.data(), static_cast<std::size_t>(file.gcount()));
  return beginning.starts_with(found) || found.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

bool is_at(int file, const std::string& path) {
  struct stat open {
  }, there{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

void require_own_partial(const std::string& path, std::string_view beginning, const std::string& name) {
  if (is_own(path, beginning)) return;
  throw Error(ErrorKind::usage, fmt::format("{} is there and is not of a table of cairn, whose partial file would have "
                                            "this name; remove it, or change {}",
                                            path, name));
}

}  // namespace cairn

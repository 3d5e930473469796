#include "cairn/data/io/folder_walk.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace fs = std::filesystem;

FolderWalk::FolderWalk(const std::string& folder) {
  if (fs::is_regular_file(folder)) {
    throw Error(ErrorKind::input, folder + ": is a file, not a folder; put the text in a folder and name that");
  }
  try {
    enter(folder, "");
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read ({})", error.path1().string(), error.code().message()));
  }
  if (files_.empty()) throw Error(ErrorKind::input, folder + ": the folder holds no files");
  std::ranges::sort(files_);
  std::ranges::sort(loops_);
}

// @param below  the path relative to the first folder; ends in a slash unless it is empty
void FolderWalk::enter(const fs::path& folder, const std::string& below) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    throw fs::filesystem_error("stat", folder, std::error_code(errno, std::generic_category()));
  }
  const Identity identity(status.st_dev, status.st_ino);
  if (std::ranges::find(above_, identity) != above_.end()) {
    loops_.push_back(below.substr(0, below.size() - 1));
    return;
  }
  above_.push_back(identity);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) meet(entry, below + name);
    Watchdog::beat();
  }
  above_.pop_back();
}

void FolderWalk::meet(const fs::directory_entry& entry, const std::string& name) {
  std::error_code failure;  // of a link: for its target
  const fs::file_status status = entry.status(failure);
  if (fs::is_directory(status)) {
    enter(entry.path(), name + "/");
  } else if (fs::is_regular_file(status)) {
    files_.push_back(name);
  } else if (!fs::exists(status) && entry.is_symlink()) {
    if (!failure) failure = std::make_error_code(std::errc::no_such_file_or_directory);
    throw Error(ErrorKind::input,
                fmt::format("{}: is a link to {}, which cannot be read ({}): mend it, or remove it",
                            entry.path().string(), fs::read_symlink(entry.path()).string(), failure.message()));
  }
}

}  // namespace cairn

#include "cairn/store/hdf5/replaced_file.hpp"

#include <sys/stat.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace cairn::hdf5 {

namespace {

std::atomic<bool> files_stay{false};

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

FileIdentity first_of(const std::string& path, FileIdentity now) {
  static std::mutex mutex;
  static std::map<std::string, FileIdentity> files;
  const std::scoped_lock lock(mutex);
  return files.try_emplace(path, now).first->second;
}

}  // namespace

void expect_files_to_stay() { files_stay = true; }

void note_file_of(const std::string& path) {
  if (!files_stay) return;
  if (const auto now = identity_of(path)) static_cast<void>(first_of(path, *now));
}

bool was_replaced(const std::string& path) {
  if (!files_stay) return false;
  const auto now = identity_of(path);
  return !now || first_of(path, *now) != *now;
}

}  // namespace cairn::hdf5

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

std::mutex changing;
std::map<std::string, FileIdentity>& noted_files() {
  static std::map<std::string, FileIdentity> files;
  return files;
}

FileIdentity first_of(const std::string& path, FileIdentity now) {
  const std::scoped_lock lock(changing);
  return noted_files().try_emplace(path, now).first->second;
}

}  // namespace

FilesStay::FilesStay() {
  const std::scoped_lock lock(changing);
  noted_files().clear();
  files_stay = true;
}

FilesStay::~FilesStay() { files_stay = false; }

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

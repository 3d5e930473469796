#include "cairn/store/hdf5/replaced_file.hpp"

#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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

// A file that stays open, as it was when it was opened.
struct KeptFile {
  struct stat status;
  Handle file;
};

constexpr std::size_t most_kept = 16;

std::vector<KeptFile>& kept_files() {
  static std::vector<KeptFile> files;
  return files;
}

bool is_same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

bool is_unchanged(const struct stat& a, const struct stat& b) {
  return is_same_file(a, b) && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

FilesStay::FilesStay() {
  const std::scoped_lock lock(changing);
  noted_files().clear();
  files_stay = true;
}

FilesStay::~FilesStay() {
  files_stay = false;
  close_kept_files();
}

Handle kept_open(const std::string& path) {
  struct stat status {};
  if (kept_files().empty() || ::stat(path.c_str(), &status) != 0) return {};
  std::vector<KeptFile>& files = kept_files();
  const auto known =
      std::ranges::find_if(files, [&](const KeptFile& kept) { return is_unchanged(kept.status, status); });
  if (known != files.end()) return {H5Freopen(known->file.id()), H5Fclose};
  // While HDF5 has a file open that was rewritten, it would show its earlier content.
  std::erase_if(files, [&](const KeptFile& kept) { return is_same_file(kept.status, status); });
  return {};
}

void keep_open(const Handle& file) {
  struct stat status {};
  void* number = nullptr;
  if (!files_stay || H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &number) < 0 || number == nullptr ||
      ::fstat(*static_cast<const int*>(number), &status) != 0)
    return;
  std::vector<KeptFile>& files = kept_files();
  if (files.size() == most_kept) files.erase(files.begin());
  files.push_back({status, Handle(H5Freopen(file.id()), H5Fclose)});
}

void close_kept_files() { kept_files().clear(); }

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

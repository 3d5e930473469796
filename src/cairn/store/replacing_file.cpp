#include "cairn/store/replacing_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/process/signals.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

constexpr mode_t permissions = 0777, of_group = 070, of_others = 07;

// First bytes of a name, cut at a whole UTF-8 character.
std::string cut(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80) --end;
  return name.substr(0, end);
}

// The name of the partial file is no longer than a file name may be. A target name that is too long is refused where it
// is opened.
std::string partial_name(const std::string& target, int attempt) {
  const std::string end = fmt::format(".partial-{}{}", ::getpid(), attempt == 0 ? "" : fmt::format("-{}", attempt));
  return fmt::format(".{}{}", cut(fs::path(target).filename().string(), NAME_MAX - 1 - end.size()), end);
}

// Checks in advance: otherwise renaming would be refused after all the work.
void require_own_in_sticky(const std::string& target, const std::string& name) {
  struct stat folder {
  }, file{};
  const uid_t user = ::geteuid();
  if (user == 0 || ::lstat(target.c_str(), &file) != 0 || ::stat(folder_of(target).c_str(), &folder) != 0) return;
  if ((folder.st_mode & S_ISVTX) == 0 || folder.st_uid == user || file.st_uid == user) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is of another user, and in the folder {} only owners replace their files (sticky bit); "
                          "change {}",
                          target, folder_of(target), name));
}

void require_name(const std::string& target, const std::string& name) {
  const std::string file = fs::path(target).filename().string();
  if (file.size() <= NAME_MAX && target.size() + NAME_MAX < PATH_MAX) return;
  throw Error(ErrorKind::usage, fmt::format("{}... is too long for the name of a file, {} bytes; change {}",
                                            cut(target, 100), target.size(), name));
}

// The creator must be able to read and write the file, because other ranks and HDF5 open it again.
void require_access(const std::string& partial, const std::string& name) {
  if (::access(partial.c_str(), R_OK | W_OK) == 0) return;
  const int reason = errno;
  struct stat status {};
  const mode_t mode = ::stat(partial.c_str(), &status) == 0 ? status.st_mode & permissions : 0;
  ::unlink(partial.c_str());
  throw Error(ErrorKind::usage,
              fmt::format("a new file in the folder {} gets the permissions {:03o}, with which this program cannot "
                          "read and write it: {}; change the umask, or {}",
                          folder_of(partial), mode, std::strerror(reason), name));
}

// Appends a number to the name if another run's file has it.
std::string make_partial(const std::string& target, const std::string& name) {
  const std::string folder = folder_of(target);
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) {
    throw Error(ErrorKind::usage, fmt::format("there is no folder {} to write {} into; make it, or change {}", folder,
                                              fs::path(target).filename().string(), name));
  }
  require_name(target, name);
  require_own_in_sticky(target, name);
  const bool replaces = fs::exists(target, unknown);  // the mode of the old file may be meant to hide its content
  constexpr int attempts = 1000;
  constexpr mode_t hidden = 0600, usual = 0666;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::string path = folder + "/" + partial_name(target, attempt);
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, replaces ? hidden : usual);
    if (file >= 0) {
      ::close(file);
      require_access(path, name);
      return path;
    }
    if (errno != EEXIST) break;
  }
  const int reason = errno;
  const bool full = reason == ENOSPC || reason == EDQUOT;
  throw Error(
      full ? ErrorKind::resource : ErrorKind::usage,
      fmt::format(
          "cannot write into the folder {}: {}; {}", folder, std::strerror(reason),
          fmt::format(fmt::runtime(full ? "free some space, or change {}" : "change {} or its permissions"), name)));
}

// Warns once per path: a sweep flushes the same folder at the end of every run.
void warn_once(const std::string& path, int reason, const std::string& why) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::scoped_lock lock(mutex);
  if (!warned.insert(path).second) return;
  log(LogLevel::warning, fmt::format("cannot flush {} to the disk: {}; {}", path, std::strerror(reason), why));
}

bool cannot_flush(int reason) {
  return reason == EINVAL || reason == ENOTSUP || reason == EOPNOTSUPP || reason == ENOSYS;
}

// @return 0, or errno
int flushed(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int reason = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  return reason;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void flush_to_disk(const std::string& path) {
  const int reason = flushed(path);
  if (reason == 0) return;
  if (cannot_flush(reason)) return warn_once(path, reason, "its file system writes it when it likes");
  throw Error(ErrorKind::resource, fmt::format("cannot flush {} to the disk: {}", path, std::strerror(reason)));
}

void flush_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  const int reason = flushed(folder);
  if (reason == 0) return;
  if (cannot_flush(reason) || reason == EACCES || reason == EPERM) {
    return warn_once(folder, reason, "if the power fails now, the name of a new file may be lost");
  }
  throw Error(ErrorKind::resource, fmt::format("cannot flush {} to the disk: {}", folder, std::strerror(reason)));
}

void take_permissions(const std::string& partial, const std::string& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0) return;
  mode_t mode = old.st_mode & permissions;
  const uid_t owner = ::geteuid() == 0 ? old.st_uid : static_cast<uid_t>(-1);
  if (::chown(partial.c_str(), owner, old.st_gid) != 0) mode &= ~of_group | ((mode & of_others) << 3U);
  if (::chmod(partial.c_str(), mode) != 0) {
    log(LogLevel::warning,
        fmt::format("cannot keep the permissions {:03o} of {}: {}", mode, target, std::strerror(errno)));
  }
}

ReplacingFile::ReplacingFile(const OutputPath& path) : target_(final_target(path)) {
  const SignalsWait signals;
  partial_path_ = make_partial(target_, path.name);
  exists_ = true;
  try {
    registered_.emplace(partial_path_);
  } catch (...) {
    ::unlink(partial_path_.c_str());
    throw;
  }
}

ReplacingFile::~ReplacingFile() {
  if (exists_) ::unlink(partial_path_.c_str());
}

void ReplacingFile::publish() {
  take_permissions(partial_path_, target_);
  const bool renamed = std::rename(partial_path_.c_str(), target_.c_str()) == 0;
  const int reason = renamed ? 0 : errno;
  exists_ = false;
  registered_.reset();
  if (!renamed) {
    throw Error(ErrorKind::resource, fmt::format("cannot rename {0} to {1}: {2}; the complete file is {0}",
                                                 partial_path_, target_, std::strerror(reason)));
  }
  flush_folder_of(target_);
}

}  // namespace cairn

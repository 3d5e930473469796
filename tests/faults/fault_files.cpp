// Opening, reading, writing, sizing, syncing and renaming files below CAIRN_FAULT_FOLDER.
//
// With CAIRN_FAULT_SYNCED every fsync of a file copies it to DIR/file-INODE, and every fsync of a folder writes the
// names that are in it, with their inodes, to DIR/names: what a file system must have kept when the machine is lost.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "fault_plan.hpp"

namespace {

using namespace cairn::faults;
using Path = std::array<char, PATH_MAX>;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(next_function(name));
}

// Whether the file counts; its name below the folder is then in `path`.
bool counts(int file, Path& path) {
  if (folder()[0] == '\0') return false;
  std::array<char, 40> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link.data(), path.data(), path.size() - 1);
  if (length < 0) return false;
  path[length] = '\0';
  const std::string_view top(folder());
  return std::string_view(path.data()).starts_with(top) ||
         std::string_view(path.data()) == top.substr(0, top.size() - 1);
}

bool counts(const char* name, Path& path) {
  if (folder()[0] == '\0') return false;
  Path full{};
  if (name[0] == '/')
    std::snprintf(full.data(), full.size(), "%s", name);
  else if (getcwd(path.data(), path.size()) != nullptr)
    std::snprintf(full.data(), full.size(), "%.*s/%s", PATH_MAX / 2, path.data(), name);
  path = full;
  return std::string_view(path.data()).starts_with(folder());
}

bool fails_on(Point point, int file) {
  Path path;
  return counts(file, path) && fails(point, path.data());
}

bool fails_on(Point point, const char* name) {
  Path path;
  return counts(name, path) && fails(point, path.data());
}

// A disk that is full takes half of what is written and says so; the next write fails.
std::atomic<bool> full{false};

enum class Written { all, half, nothing };
Written outcome(int file, std::size_t bytes) {
  Path path;
  if (!counts(file, path)) return Written::all;
  if (full.exchange(false)) return Written::nothing;
  if (!fails(Point::write, path.data())) return Written::all;
  if (bytes < 2) return Written::nothing;
  full = true;
  return Written::half;
}

void copy_file(int from, const char* to) {
  const int target = open(to, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  std::array<char, 1 << 16> piece{};
  for (off_t at = 0;;) {
    const ssize_t count =
        next<ssize_t (*)(int, void*, std::size_t, off_t)>("pread")(from, piece.data(), piece.size(), at);
    if (count <= 0) break;
    [[maybe_unused]] const ssize_t written = write(target, piece.data(), static_cast<std::size_t>(count));
    at += count;
  }
  close(target);
}

void list_names(const char* path, const char* to) {
  DIR* const names = opendir(path);
  std::FILE* const list = std::fopen(to, "w");
  while (const dirent* entry = names == nullptr ? nullptr : readdir(names)) {
    if (entry->d_type == DT_REG)
      std::fprintf(list, "%lu %s\n", static_cast<unsigned long>(entry->d_ino), entry->d_name);
  }
  std::fclose(list);
  if (names != nullptr) closedir(names);
}

void keep_synced(int file) {
  const Inside inside;
  Path path;
  struct stat status {};
  if (synced_folder() == nullptr || !counts(file, path) || fstat(file, &status) != 0) return;
  Path partial, final;
  std::snprintf(partial.data(), partial.size(), "%s/.partial-%d", synced_folder(), getpid());
  if (S_ISDIR(status.st_mode)) {
    std::snprintf(final.data(), final.size(), "%s/names", synced_folder());
    list_names(path.data(), partial.data());
  } else {
    std::snprintf(final.data(), final.size(), "%s/file-%lu", synced_folder(),
                  static_cast<unsigned long>(status.st_ino));
    Path own;
    std::snprintf(own.data(), own.size(), "/proc/self/fd/%d", file);
    const int readable = open(own.data(), O_RDONLY | O_CLOEXEC);
    copy_file(readable, partial.data());
    close(readable);
  }
  next<int (*)(const char*, const char*)>("rename")(partial.data(), final.data());
}

int sync_with(const char* name, int file) {
  if (fails_on(Point::fsync, file)) return errno = EIO, -1;
  const int result = next<int (*)(int)>(name)(file);
  if (result == 0) keep_synced(file);
  return result;
}

// A new file may have the number of one that is gone: what is kept under it is not of this one.
void forget_synced(int file) {
  const Inside inside;
  Path path;
  struct stat status {};
  if (synced_folder() == nullptr || !counts(file, path) || fstat(file, &status) != 0 || status.st_size > 0) return;
  std::snprintf(path.data(), path.size(), "%s/file-%lu", synced_folder(), static_cast<unsigned long>(status.st_ino));
  unlink(path.data());
}

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  if (fails_on(Point::open, path)) return errno = (flags & O_CREAT) != 0 ? ENOSPC : EIO, -1;
  const int file = next<int (*)(const char*, int, mode_t)>(name)(path, flags, mode);
  const int reason = errno;
  if (file >= 0 && (flags & O_EXCL) != 0) forget_synced(file);
  errno = reason;
  return file;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with("open64", path, flags, mode);
}

std::FILE* fopen(const char* path, const char* mode) {
  if (fails_on(Point::open, path)) return errno = EIO, nullptr;
  return next<std::FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  if (fails_on(Point::open, path)) return errno = EIO, nullptr;
  return next<std::FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t read(int file, void* data, std::size_t bytes) {
  if (fails_on(Point::read, file)) return errno = EIO, -1;
  return next<ssize_t (*)(int, void*, std::size_t)>("read")(file, data, bytes);
}

ssize_t pread(int file, void* data, std::size_t bytes, off_t at) {
  if (fails_on(Point::read, file)) return errno = EIO, -1;
  return next<ssize_t (*)(int, void*, std::size_t, off_t)>("pread")(file, data, bytes, at);
}

ssize_t pread64(int file, void* data, std::size_t bytes, off_t at) { return pread(file, data, bytes, at); }

std::size_t fread(void* data, std::size_t size, std::size_t count, std::FILE* stream) {
  if (fails_on(Point::read, fileno(stream))) {
    constexpr int error_seen = 0x20;  // of glibc, what ferror() looks at
    stream->_flags |= error_seen;
    return errno = EIO, 0;
  }
  return next<std::size_t (*)(void*, std::size_t, std::size_t, std::FILE*)>("fread")(data, size, count, stream);
}

ssize_t write(int file, const void* data, std::size_t bytes) {
  const Written written = outcome(file, bytes);
  if (written == Written::nothing) return errno = ENOSPC, -1;
  return next<ssize_t (*)(int, const void*, std::size_t)>("write")(file, data,
                                                                   written == Written::half ? bytes / 2 : bytes);
}

ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t at) {
  const Written written = outcome(file, bytes);
  if (written == Written::nothing) return errno = ENOSPC, -1;
  return next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite")(
      file, data, written == Written::half ? bytes / 2 : bytes, at);
}

ssize_t pwrite64(int file, const void* data, std::size_t bytes, off_t at) { return pwrite(file, data, bytes, at); }

// Of several pieces the first alone is the half that is written.
ssize_t writev(int file, const iovec* pieces, int count) {
  const Written written = outcome(file, count > 1 ? 2 : 1);
  if (written == Written::nothing) return errno = ENOSPC, -1;
  return next<ssize_t (*)(int, const iovec*, int)>("writev")(file, pieces, written == Written::half ? 1 : count);
}

ssize_t pwritev(int file, const iovec* pieces, int count, off_t at) {
  const Written written = outcome(file, count > 1 ? 2 : 1);
  if (written == Written::nothing) return errno = ENOSPC, -1;
  return next<ssize_t (*)(int, const iovec*, int, off_t)>("pwritev")(file, pieces, written == Written::half ? 1 : count,
                                                                     at);
}

int ftruncate(int file, off_t bytes) noexcept {
  if (fails_on(Point::size, file)) return errno = EIO, -1;
  return next<int (*)(int, off_t)>("ftruncate")(file, bytes);
}

int ftruncate64(int file, off_t bytes) noexcept { return ftruncate(file, bytes); }

int fallocate(int file, int mode, off_t at, off_t bytes) {
  if (fails_on(Point::size, file)) return errno = ENOSPC, -1;
  return next<int (*)(int, int, off_t, off_t)>("fallocate")(file, mode, at, bytes);
}

int fsync(int file) { return sync_with("fsync", file); }
int fdatasync(int file) { return sync_with("fdatasync", file); }

int rename(const char* from, const char* to) noexcept {
  if (fails_on(Point::rename, to)) return errno = EIO, -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int link(const char* from, const char* to) noexcept {
  if (fails_on(Point::rename, to)) return errno = EIO, -1;
  return next<int (*)(const char*, const char*)>("link")(from, to);
}

}  // extern "C"

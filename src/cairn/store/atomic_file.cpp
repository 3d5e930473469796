#include "cairn/store/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Error no_room(const std::string& partial, Index bytes, const std::string& reason, const std::string& name) {
  return Error(ErrorKind::resource,
               fmt::format("no room for the result: it takes {} bytes, and in the folder {} {}; free "
                           "some space, or change {}",
                           bytes, folder_of(partial), reason, name));
}

enum class Taken { yes, cannot };

// Allocates `bytes` on the disk for the file, from `first` on. A file system that cannot allocate is not an error.
// @param mode  of fallocate
Taken take_space(const Descriptor& file, const std::string& partial, Index bytes, const std::string& name,
                 Index first = 0, int mode = 0) {
  int reason = file.is_open() ? EINTR : errno;
  while (reason == EINTR) reason = ::fallocate(file.number(), mode, first, bytes) == 0 ? 0 : errno;
  if (reason == EOPNOTSUPP || reason == ENOSYS) return Taken::cannot;
  if (reason != 0) throw no_room(partial, bytes, fmt::format("the system says: {}", std::strerror(reason)), name);
  return Taken::yes;
}

// Writes as many bytes as HDF5's own structures may take and flushes them: an exhausted quota shows here.
void write_piece(const Descriptor& file, const std::string& partial, Index bytes, const std::string& name) {
  const std::vector<char> zeros(std::min(bytes, Index{1} << 20), '\0');
  const ssize_t written = ::pwrite(file.number(), zeros.data(), zeros.size(), 0);
  if (written != static_cast<ssize_t>(zeros.size()) || ::fsync(file.number()) != 0) {
    throw no_room(partial, bytes, fmt::format("the system says: {}", std::strerror(written < 0 ? errno : ENOSPC)),
                  name);
  }
}

}  // namespace

void require_budget(const std::string& path, Index bytes) {
  const Descriptor file(path, O_WRONLY);
  // Never shortens the file, whose size other ranks may be changing.
  take_space(file, path, bytes, OutputPath::default_parameter, static_cast<Index>(fs::file_size(path)),
             FALLOC_FL_KEEP_SIZE);
}

void check_writable(const Communicator& communicator, const OutputPath& path) {
  collectively(communicator, [&] {
    if (communicator.is_root()) ReplacingFile{path};
  });
}

AtomicFile::AtomicFile(const Communicator& communicator, const OutputPath& path)
    : communicator_(communicator), name_(path.name) {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    file_.emplace(path);
    partial_path_ = file_->partial_path();
  });
  communicator_.broadcast(partial_path_, 0);
  exists_ = true;
  try {
    collectively(communicator_, [&] {
      if (!communicator_.is_root()) registered_.emplace(partial_path_);
      if (::access(partial_path_.c_str(), R_OK | W_OK) == 0) return;
      const int reason = errno;
      if (reason != ENOENT) {
        throw Error(ErrorKind::usage,
                    fmt::format("rank {} cannot open {} that rank 0 made: {}; change the permissions of its folder, or "
                                "{}",
                                communicator_.rank(), partial_path_, std::strerror(reason), name_));
      }
      throw Error(ErrorKind::usage,
                  fmt::format("rank {} does not see {} that rank 0 made: {} must be on a file system that all nodes "
                              "share",
                              communicator_.rank(), partial_path_, name_));
    });
  } catch (...) {
    ::unlink(partial_path_.c_str());
    throw;
  }
}

AtomicFile::~AtomicFile() {
  if (exists_) ::unlink(partial_path_.c_str());  // on every rank: no rank continues while the file exists
}

void AtomicFile::require_space(Index bytes) const {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    struct statvfs space {};
    if (::statvfs(partial_path_.c_str(), &space) == 0) {
      const Index free = static_cast<Index>(space.f_bavail) * static_cast<Index>(space.f_frsize);
      if (free < bytes) throw no_room(partial_path_, bytes, fmt::format("{} are free", free), name_);
    }
    const Descriptor file(partial_path_, O_WRONLY);
    if (take_space(file, partial_path_, bytes, name_) == Taken::cannot) write_piece(file, partial_path_, bytes, name_);
    if (::ftruncate(file.number(), 0) != 0) throw no_room(partial_path_, bytes, std::strerror(errno), name_);
  });
}

void AtomicFile::reserve() const {
  collectively(communicator_, [&] {
    if (!communicator_.is_root()) return;
    const auto bytes = static_cast<Index>(fs::file_size(partial_path_));
    take_space(Descriptor(partial_path_, O_WRONLY), partial_path_, bytes, name_);
  });
}

void AtomicFile::commit() {
  collectively(communicator_, [&] {
    const Watchdog::Patience patience(longest_flush_seconds(static_cast<Index>(fs::file_size(partial_path_))));
    flush_to_disk(partial_path_);
  });
  exists_ = false;  // if it cannot be renamed, the file stays
  registered_.reset();
  collectively(communicator_, [&] {
    if (communicator_.is_root()) file_->publish();
  });
}

}  // namespace cairn

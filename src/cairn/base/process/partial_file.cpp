#include "cairn/base/process/partial_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

// A handler may run between any two instructions: it reads the path only while the flag marks it as complete.
std::array<char, PATH_MAX> partial_path{}, held_path{};
std::atomic<bool> partial_exists{false}, held_exists{false};
struct stat held_status {};  // of the file when it was registered: another file of that name is left alone
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads the flag");

void keep(const std::string& path, std::array<char, PATH_MAX>& kept, std::atomic<bool>& exists) {
  if (path.size() >= kept.size()) throw Error(ErrorKind::usage, "the path is too long: " + path);
  exists.store(false);
  std::memcpy(kept.data(), path.c_str(), path.size() + 1);
  exists.store(true);
}

}  // namespace

PartialFile::PartialFile(const std::string& path) {
  if (partial_exists.load()) throw Error(ErrorKind::internal, "two result files are being written at once");
  keep(path, partial_path, partial_exists);
}

PartialFile::~PartialFile() { partial_exists.store(false); }

HeldFile::HeldFile(const std::string& path) {
  held_exists.store(false);
  if (::stat(path.c_str(), &held_status) != 0) held_status = {};
  keep(path, held_path, held_exists);
}

HeldFile::~HeldFile() { held_exists.store(false); }

void remove_partial_file_from_signal_handler() noexcept {
  const int before = errno;
  if (partial_exists.load()) ::unlink(partial_path.data());
  struct stat now {};
  if (held_exists.load() && ::stat(held_path.data(), &now) == 0 && now.st_dev == held_status.st_dev &&
      now.st_ino == held_status.st_ino) {
    ::unlink(held_path.data());
  }
  errno = before;
}

}  // namespace cairn

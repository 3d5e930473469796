#include "cairn/base/process/partial_file.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

// A handler may run between any two instructions: it reads the path only while the flag says that it is whole.
std::array<char, PATH_MAX> partial_path{};
std::atomic<bool> partial_exists{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads the flag");

}  // namespace

PartialFile::PartialFile(const std::string& path) {
  if (partial_exists.load()) throw Error(ErrorKind::internal, "two result files are being written at once");
  if (path.size() >= partial_path.size()) throw Error(ErrorKind::usage, "the path is too long: " + path);
  std::memcpy(partial_path.data(), path.c_str(), path.size() + 1);
  partial_exists.store(true);
}

PartialFile::~PartialFile() { partial_exists.store(false); }

void remove_partial_file_from_signal_handler() noexcept {
  const int before = errno;
  if (partial_exists.load()) ::unlink(partial_path.data());
  errno = before;
}

}  // namespace cairn

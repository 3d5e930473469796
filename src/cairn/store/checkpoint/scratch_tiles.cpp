#include "cairn/store/checkpoint/scratch_tiles.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

Error failure(ErrorKind kind, const std::string& what, const std::string& folder, const std::string& advice) {
  return Error(
      kind, fmt::format("cannot {} a scratch file for the core matrix in the folder {}: {}; free some space, {}", what,
                        folder, std::strerror(errno), advice));
}

// Opens a file without a name. If the file system does not support this, removes the name at once.
int open_unnamed(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string name = folder + "/.cairn-tiles-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ScratchTiles::ScratchTiles(const std::string& folder, Index bytes, std::string advice)
    : folder_(folder.empty() ? "." : folder), advice_(std::move(advice)) {
  file_ = open_unnamed(folder_);
  if (file_ < 0) {
    throw failure(errno == ENOSPC || errno == EDQUOT ? ErrorKind::resource : ErrorKind::usage, "make", folder_,
                  advice_);
  }
  int reason = bytes > 0 ? EINTR : 0;
  while (reason == EINTR) reason = ::fallocate(file_, 0, 0, bytes) == 0 ? 0 : errno;
  if (reason == 0 || reason == EOPNOTSUPP || reason == ENOSYS) return;
  ::close(file_);
  errno = reason;
  throw failure(ErrorKind::resource, fmt::format("take {} bytes for", bytes), folder_, advice_);
}

ScratchTiles::~ScratchTiles() { ::close(file_); }

bool ScratchTiles::get(Index tile, std::span<std::byte> bytes) {
  const auto place = offsets_.find(tile);
  if (place == offsets_.end()) return false;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        ::pread(file_, bytes.data() + done, bytes.size() - done, place->second + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;
    if (count <= 0) throw failure(ErrorKind::resource, "read", folder_, advice_);
    done += static_cast<std::size_t>(count);
  }
  Watchdog::beat();
  return true;
}

void ScratchTiles::put(Index tile, std::span<const std::byte> bytes) {
  const auto [place, added] = offsets_.try_emplace(tile, end_);
  if (added) end_ += static_cast<Index>(bytes.size());
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        ::pwrite(file_, bytes.data() + done, bytes.size() - done, place->second + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw failure(ErrorKind::resource, "write", folder_, advice_);
    done += static_cast<std::size_t>(count);
  }
  Watchdog::beat();
}

}  // namespace cairn

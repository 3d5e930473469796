#include "cairn/base/mpi/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn::detail {

namespace {

[[noreturn]] void fail(Index bytes, const std::string& step) {
  throw Error(ErrorKind::resource, "the ranks of a node cannot share " + std::to_string(bytes) + " bytes: " + step +
                                       ": " + std::strerror(errno));
}

// Closed at the end of the scope: a mapping needs no open file.
class OpenFile {
 public:
  OpenFile() = default;
  ~OpenFile() {
    if (number >= 0) close(number);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int number = -1;
};

}  // namespace

// The first rank creates the file; the others open it through its entry in /proc, while the first keeps it open.
MemoryFile::MemoryFile(const Communicator& communicator, const Communicator& node, Index bytes) : bytes_(bytes) {
  OpenFile file;
  collectively(communicator, [&] {
    if (!node.is_root()) return;
    file.number = memfd_create("cairn", MFD_CLOEXEC);
    if (file.number < 0) fail(bytes, "memfd_create");
    if (ftruncate(file.number, bytes) != 0) fail(bytes, "ftruncate");
  });
  std::array<Index, 2> place{getpid(), file.number};
  node.broadcast(std::span<Index>(place), 0);
  void* mapped = MAP_FAILED;
  try {
    collectively(communicator, [&] {
      const std::string path = "/proc/" + std::to_string(place[0]) + "/fd/" + std::to_string(place[1]);
      if (!node.is_root()) file.number = open(path.c_str(), O_RDWR | O_CLOEXEC);
      if (file.number < 0) fail(bytes, "open " + path);
      mapped = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
      if (mapped == MAP_FAILED) fail(bytes, "mmap");
    });
  } catch (...) {
    if (mapped != MAP_FAILED) munmap(mapped, static_cast<std::size_t>(bytes));
    throw;
  }
  data_ = mapped;
}

MemoryFile::~MemoryFile() { munmap(data_, static_cast<std::size_t>(bytes_)); }

}  // namespace cairn::detail

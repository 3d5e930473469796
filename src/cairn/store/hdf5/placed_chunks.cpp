#include "cairn/store/hdf5/placed_chunks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn::hdf5 {

namespace {

[[noreturn]] void fail(const std::string& reason) {
  throw Error(ErrorKind::resource, fmt::format("cannot write a compressed table of the result: {}", reason));
}

using Write = herr_t (*)(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*);

Write write_to_disk = nullptr;        // as HDF5's driver does
haddr_t last_contents = HADDR_UNDEF;  // where the last contents of a data set would have been written

// HDF5 gives global heaps (attributes and texts of variable length) the type of contents, too: none may be changed
// while a file is open by this driver.
herr_t write_all_but_contents(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                              const void* bytes) {
  if (type != H5FD_MEM_DRAW) return write_to_disk(file, type, transfer, address, size, bytes);
  last_contents = address;
  return 0;
}

// HDF5's driver of local files with another function that writes; registered once. @throws Error(resource)
hid_t driver_without_contents(const std::string& path) {
  static hid_t driver = -1;
  if (driver >= 0) return driver;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5FD_t* const file = access && H5Pset_fapl_sec2(access.id()) >= 0
                           ? H5FDopen(path.c_str(), H5F_ACC_RDWR, access.id(), HADDR_UNDEF)
                           : nullptr;
  if (file == nullptr) fail(failure_reason());
  H5FD_class_t driver_class = *file->cls;
  H5FDclose(file);
  write_to_disk = driver_class.write;
#if H5_VERSION_GE(1, 13, 0)
  driver_class.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 45);
#endif
  driver_class.name = "all but contents";
  driver_class.write = write_all_but_contents;
  driver_class.terminate = nullptr;
  driver = H5FDregister(&driver_class);
  if (driver < 0) fail(failure_reason());
  return driver;
}

}  // namespace

ChunkPlaces::ChunkPlaces(const std::string& path, const std::string& name) {
  keep_quiet();
  file_ = open_alone(path, driver_without_contents(path));
  chunks_ = open_table(file_, name);
}

Index ChunkPlaces::place(Index row, Index column, Index bytes) {
  const std::array<hsize_t, 2> first{static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
  const std::byte nothing{0};  // never read
  last_contents = HADDR_UNDEF;
  if (H5Dwrite_chunk(chunks_.id(), H5P_DEFAULT, 0, first.data(), static_cast<std::size_t>(bytes), &nothing) < 0 ||
      last_contents == HADDR_UNDEF)
    fail(failure_reason());
  return static_cast<Index>(last_contents);
}

void ChunkPlaces::close() {
  chunks_ = Handle();
  close_file(std::move(file_));
}

bool is_coherent_between_nodes(const std::string& path) {
  constexpr std::array<std::uint32_t, 3> coherent{0x0BD00BD0, 0x47504653, 0x19830326};  // Lustre, GPFS, BeeGFS
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 &&
         std::ranges::count(coherent, static_cast<std::uint32_t>(status.f_type)) > 0;
}

FileBytes::FileBytes(const std::string& path) : file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (file_ < 0) fail(std::strerror(errno));
}

FileBytes::~FileBytes() {
  if (file_ >= 0) ::close(file_);
}

void FileBytes::write(Index offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? std::strerror(errno) : "the disk takes no more bytes");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

void FileBytes::close() {
  if (::close(std::exchange(file_, -1)) != 0) fail(std::strerror(errno));
}

}  // namespace cairn::hdf5

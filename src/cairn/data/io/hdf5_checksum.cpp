#include "cairn/data/io/hdf5_checksum.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>
#include <zlib.h>

#ifdef CAIRN_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "cairn/base/buffer.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn::hdf5 {

static_assert(std::endian::native == std::endian::little, "checksums are of little-endian numbers");

std::uint32_t crc32(const void* data, Index bytes, std::uint32_t before) {
  const auto size = static_cast<std::size_t>(bytes);
#ifdef CAIRN_HAVE_LIBDEFLATE  // the same checksums, several times as fast
  return size == 0 ? before : ::libdeflate_crc32(before, data, size);
#else
  return size == 0 ? before
                   : static_cast<std::uint32_t>(::crc32_z(before, static_cast<const unsigned char*>(data), size));
#endif
}

std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second, Index second_bytes) {
  return static_cast<std::uint32_t>(::crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

namespace {

std::optional<std::uint32_t> crc32_of_bytes(int file, Index begin, Index bytes) {
  constexpr Index piece_bytes = Index{1} << 22;
  Buffer<std::byte> piece(std::min(bytes, piece_bytes));
  std::uint32_t sum = 0;
  Index left = bytes;
  while (left > 0) {
    const ssize_t count =
        ::pread(file, piece.data(), static_cast<std::size_t>(std::min(left, piece_bytes)), begin + bytes - left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    sum = crc32(piece.data(), count, sum);
    left -= count;
    Watchdog::beat();
  }
  return sum;
}

}  // namespace

std::optional<std::uint32_t> crc32_of_file(const std::string& path, Index begin, Index bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const auto sum = crc32_of_bytes(file, begin, bytes);
  ::close(file);
  return sum;
}

std::optional<std::uint32_t> crc32_of_file(Identifier object, Index begin, Index bytes) {
  const Handle file(H5Iget_file_id(object), H5Fclose);
  void* number = nullptr;
  if (!file || H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &number) < 0 || number == nullptr) return std::nullopt;
  return crc32_of_bytes(*static_cast<const int*>(number), begin, bytes);
}

RowCheck::RowCheck(std::string path, std::string name, Identifier file, Identifier dataset)
    : path_(std::move(path)), name_(std::move(name)) {
  if (H5Lexists(file, checksum_name, H5P_DEFAULT) <= 0) return;
  if (!holds_checksum(dataset)) refuse("its checksum does not match");
  if (H5Aexists(dataset, checksum_rows) <= 0) return;
  const Handle attribute(H5Aopen(dataset, checksum_rows, H5P_DEFAULT), H5Aclose);
  const Handle list(H5Dopen2(file, (std::string(checksum_name) + "/" + name_).c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose), sums(H5Dget_space(list.id()), H5Sclose);
  const haddr_t place = H5Dget_offset(dataset);
  std::array<hsize_t, 2> size{0, 1};
  const int dimensions = H5Sget_simple_extent_ndims(space.id());
  if (!attribute || !list || place == HADDR_UNDEF || dimensions < 1 || dimensions > 2) refuse("it has no checksums");
  H5Sget_simple_extent_dims(space.id(), size.data(), nullptr);
  std::int64_t chunk = 0;
  H5Aread(attribute.id(), H5T_NATIVE_INT64, &chunk);
  rows_ = static_cast<Index>(size[0]);
  place_ = static_cast<Index>(place);
  row_bytes_ = rows_ > 0 ? static_cast<Index>(H5Dget_storage_size(dataset)) / rows_ : 0;
  const Index chunks = chunk > 0 ? rows_ / chunk + (rows_ % chunk > 0 ? 1 : 0) : -1;
  if (H5Sget_simple_extent_npoints(sums.id()) != chunks) refuse("the number of its checksums does not match its size");
  sums_.resize(chunks);
  checked_.resize(sums_.size(), false);
  if (chunks > 0 && H5Dread(list.id(), H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, sums_.data()) < 0) {
    refuse(failure_reason());
  }
  chunk_rows_ = chunk;
}

void RowCheck::refuse(const std::string& what) const {
  throw Error(ErrorKind::input, fmt::format("{}: data set '{}' is damaged: {}", path_, name_, what));
}

void RowCheck::require(Range rows) {
  if (chunk_rows_ == 0 || rows.empty()) return;
  for (Index chunk = rows.begin / chunk_rows_; chunk * chunk_rows_ < rows.end; ++chunk) {
    const auto at = static_cast<std::size_t>(chunk);
    if (checked_[at]) continue;
    const Index begin = chunk * chunk_rows_, end = std::min(rows_, begin + chunk_rows_);
    if (crc32_of_file(path_, place_ + begin * row_bytes_, (end - begin) * row_bytes_) != sums_[at]) {
      refuse(fmt::format("rows {} to {} have another checksum", begin, end - 1));
    }
    checked_[at] = true;
  }
}

bool holds_checksum(Identifier dataset) {
  const htri_t has = H5Aexists(dataset, checksum_name);
  if (has == 0) return true;
  const Handle attribute(has > 0 ? H5Aopen(dataset, checksum_name, H5P_DEFAULT) : -1, H5Aclose);
  std::uint32_t stated = 0;
  if (!attribute || H5Aread(attribute.id(), H5T_NATIVE_UINT32, &stated) < 0) return false;
  const auto bytes = static_cast<Index>(H5Dget_storage_size(dataset));
  if (bytes == 0) return stated == 0;
  const haddr_t place = H5Dget_offset(dataset);
  return place != HADDR_UNDEF && crc32_of_file(dataset, static_cast<Index>(place), bytes) == stated;
}

}  // namespace cairn::hdf5

#include "cairn/store/checkpoint/checkpoint_segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

constexpr std::uint32_t magic = 0x4b434e43;  // "CNCK"
constexpr std::uint32_t loop_kind = 1, tile_kind = 2;
constexpr std::uint32_t longest_name = 1000;

// Header before the name and bytes of each record.
struct Header {
  std::uint32_t magic = 0, kind = 0;
  std::uint64_t name_bytes = 0;
  std::int64_t number = 0;  // number of the tile, or number of tiles
  std::int64_t bytes = 0;
  std::uint64_t checksum = 0;         // of the bytes
  std::uint64_t header_checksum = 0;  // of all fields above, and the name
};

std::uint64_t header_checksum(const Header& header, const std::string& name) {
  const auto fields = std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_checksum));
  return hash_bytes(std::as_bytes(std::span(name)), hash_bytes(fields, magic));
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) { return hash_bytes(bytes, magic); }

// Reads up to the end of the file at most. @return bytes read
std::size_t read_at(int file, const std::string& path, std::span<std::byte> bytes, Index offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(file, bytes.data() + done, bytes.size() - done, offset + static_cast<Index>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(ErrorKind::input, fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

// A file opened for reading.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0)
      throw Error(ErrorKind::input, fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::input, path + ": is not a file");
    size_ = status.st_size;
  }
  ~Reader() {
    if (file_ >= 0) ::close(file_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] Index size() const { return size_; }
  std::size_t read(std::span<std::byte> bytes, Index offset) const { return read_at(file_, path_, bytes, offset); }

  /// The sound record that begins at `offset`, if any.
  [[nodiscard]] bool header(Index offset, Header& header, std::string& name) const {
    if (read(std::as_writable_bytes(std::span(&header, 1)), offset) < sizeof header) return false;
    if (header.magic != magic || header.name_bytes > longest_name || header.bytes < 0) return false;
    name.resize(header.name_bytes);
    if (read(std::as_writable_bytes(std::span(name)), offset + static_cast<Index>(sizeof header)) < name.size())
      return false;
    return header.header_checksum == header_checksum(header, name);
  }

  /// Offset of the next sound record, from `offset` on; the file size if there is none.
  [[nodiscard]] Index next_record(Index offset) const {
    std::vector<std::byte> window(std::min(std::size_t{1} << 20, static_cast<std::size_t>(size_ - offset)));
    Header found;
    std::string name;
    for (; offset + static_cast<Index>(sizeof magic) <= size_;
         offset += static_cast<Index>(window.size() - sizeof magic + 1)) {
      const std::size_t count = read(window, offset);
      for (std::size_t k = 0; k + sizeof magic <= count; ++k) {
        std::uint32_t word = 0;
        std::memcpy(&word, window.data() + k, sizeof word);
        if (word == magic && header(offset + static_cast<Index>(k), found, name)) return offset + static_cast<Index>(k);
      }
      Watchdog::beat();
    }
    return size_;
  }

 private:
  std::string path_;
  int file_;
  Index size_ = 0;
};

Error failure(const std::string& what, const std::string& path, const std::string& name) {
  return Error(ErrorKind::resource,
               fmt::format("cannot {} {}: {}; free some space, or change {}", what, path, std::strerror(errno), name));
}

}  // namespace

std::uint64_t loop_id(const std::string& name) { return hash_bytes(std::as_bytes(std::span(name)), 1); }

SegmentWriter::SegmentWriter(std::string path, std::string name)
    : path_(std::move(path)),
      name_(std::move(name)),
      file_(::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)) {
  if (file_ >= 0) return;
  const bool full = errno == ENOSPC || errno == EDQUOT;
  throw Error(full ? ErrorKind::resource : ErrorKind::usage,
              fmt::format("cannot make {}: {}; change {}", path_, std::strerror(errno), name_));
}

SegmentWriter::~SegmentWriter() {
  if (!flushed_) [[maybe_unused]]
    const int ignored = ::fdatasync(file_);
  ::close(file_);
}

void SegmentWriter::begin(const std::string& loop, Index tiles) { append(loop_kind, loop, tiles, {}); }

void SegmentWriter::put(const std::string& loop, Index tile, std::span<const std::byte> bytes) {
  append(tile_kind, loop, tile, bytes);
}

void SegmentWriter::append(std::uint32_t kind, const std::string& loop, Index number,
                           std::span<const std::byte> bytes) {
  Header header{magic, kind, loop.size(), number, static_cast<std::int64_t>(bytes.size()), checksum_of(bytes), 0};
  header.header_checksum = header_checksum(header, loop);
  flushed_ = false;
  for (std::span<const std::byte> part :
       {std::as_bytes(std::span(&header, 1)), std::as_bytes(std::span(loop)), bytes}) {
    while (!part.empty()) {
      const ssize_t count = ::write(file_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count == 0) errno = ENOSPC;
      if (count <= 0) throw failure("write", path_, name_);
      part = part.subspan(count);
    }
  }
}

void SegmentWriter::flush() {
  if (flushed_) return;
  if (::fdatasync(file_) != 0) throw failure("flush", path_, name_);
  flushed_ = true;
}

SegmentIndex scan_segment(const std::string& path) {
  const Reader file(path);
  SegmentIndex index;
  Header header;
  std::string name;
  for (Index offset = 0; offset < file.size();) {
    if (!file.header(offset, header, name)) {
      const Index next = file.next_record(offset + 1);
      if (next < file.size()) index.damages.push_back(fmt::format("{}, byte {}", path, offset));
      offset = next;
      continue;
    }
    const Index first = offset + static_cast<Index>(sizeof header + name.size());
    if (header.bytes > file.size() - first) break;  // cut off when the run ended
    if (header.kind == loop_kind) index.loops.push_back({name, header.number});
    if (header.kind == tile_kind)
      index.tiles.push_back({loop_id(name), header.number, first, header.bytes, header.checksum});
    offset = first + header.bytes;
  }
  return index;
}

bool read_tile(const std::string& path, const SegmentTile& tile, std::span<std::byte> bytes) {
  const Reader file(path);
  return file.read(bytes, tile.offset) == bytes.size() && checksum_of(bytes) == tile.checksum;
}

}  // namespace cairn

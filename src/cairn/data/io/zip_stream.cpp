// Files in a .zip archive as streams.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/data/io/archive_file.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/zip_archive.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

class ZipStream final : public ByteStream {
 public:
  ZipStream(std::string path, ZipMember member)
      : ByteStream(path),
        path_(std::move(path)),
        archive_(path_),
        member_(std::move(member)),
        input_(std::size_t{1} << 16) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      throw Error(ErrorKind::resource, path_ + ": no memory for decompression");
    }
  }
  ~ZipStream() override { inflateEnd(&stream_); }
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;

  std::size_t read_some(char* target, std::size_t size) override {
    std::size_t got = 0;
    while (got < size && !ended_) {
      const std::size_t piece = std::min(size - got, std::size_t{1} << 30);
      const std::size_t more = member_.stored() ? copy(target + got, piece) : inflate_some(target + got, piece);
      checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(target + got), more);
      got += more;
      given_ += static_cast<Index>(more);
    }
    if (ended_ && (given_ != member_.size || static_cast<Index>(checksum_) != member_.checksum)) {
      fail(path_, "is damaged: what it holds is not what was packed");
    }
    return got;
  }
  [[nodiscard]] Index largest_expansion() const override { return 1032; }  // as for gzip

 private:
  // The next packed bytes, at most `size`.
  std::size_t next_packed(unsigned char* target, std::size_t size) {
    const auto want = static_cast<std::size_t>(std::min<Index>(static_cast<Index>(size), member_.packed - taken_));
    const std::size_t got = archive_.read(member_.offset + taken_, target, want);
    if (got < want) fail(path_, "is truncated");
    taken_ += static_cast<Index>(got);
    return got;
  }
  std::size_t copy(char* target, std::size_t size) {
    const std::size_t got = next_packed(reinterpret_cast<unsigned char*>(target), size);
    ended_ = taken_ == member_.packed;
    return got;
  }
  std::size_t inflate_some(char* target, std::size_t size) {
    if (stream_.avail_in == 0) {
      stream_.next_in = input_.data();
      stream_.avail_in = static_cast<uInt>(next_packed(input_.data(), input_.size()));
    }
    stream_.next_out = reinterpret_cast<Bytef*>(target);
    stream_.avail_out = static_cast<uInt>(size);
    const int code = inflate(&stream_, Z_NO_FLUSH);  // inflate may still have output of earlier input
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_BUF_ERROR) fail(path_, "is damaged: it ends before the file in it does");
    if (code != Z_OK && code != Z_STREAM_END) fail(path_, "is damaged: it cannot be decompressed");
    ended_ = code == Z_STREAM_END;
    return size - stream_.avail_out;
  }

  std::string path_;
  ArchiveFile archive_;
  ZipMember member_;
  std::vector<unsigned char> input_;
  z_stream stream_{};
  Index taken_ = 0, given_ = 0;  // packed bytes; unpacked bytes
  uLong checksum_ = 0;           // CRC-32 of nothing
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_zip_member(const std::string& path, const ZipMember& member) {
  return std::make_unique<ZipStream>(path, member);
}

std::unique_ptr<ByteStream> open_zip(const std::string& path) {
  const std::vector<ZipMember> members = zip_members(path);
  if (members.size() > 1) fail(path, "holds several files; unpack it and name one of them");
  if (members.empty()) fail(path, "is a .zip archive that holds no file");
  return open_zip_member(path, members.front());
}

}  // namespace cairn

// The only file of a .zip archive, as PKWARE's APPNOTE 6.3 describes it, without encryption.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "data/byte_stream.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

Index number_at(const unsigned char* bytes, int count) {
  Index number = 0;
  for (int k = count; k-- > 0;) number = number << 8 | bytes[k];
  return number;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// An archive opened for reading at any place.
class ArchiveFile {
 public:
  explicit ArchiveFile(const std::string& path)
      : path_(path), size_(file_size(path)), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) fail(path, "cannot be opened");
  }
  [[nodiscard]] Index size() const { return size_; }
  // Fewer bytes than `count` at the end of the file only.
  std::size_t read(Index offset, unsigned char* target, std::size_t count) {
    if (offset < 0 || offset > size_ || fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) {
      fail(path_, "is a damaged .zip archive");
    }
    return std::fread(target, 1, count, file_.get());
  }
  template <std::size_t N>
  std::array<unsigned char, N> record(Index offset, const char* signature) {
    std::array<unsigned char, N> bytes{};
    if (read(offset, bytes.data(), N) < N || std::memcmp(bytes.data(), signature, 4) != 0) {
      fail(path_, "is a damaged .zip archive");
    }
    return bytes;
  }

 private:
  const std::string& path_;
  Index size_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

// A file in the archive.
struct Member {
  Index method = 0;
  Index offset = 0;  // of its bytes
  Index packed = 0;  // how many there are
  Index size = 0;    // that they give
  Index checksum = 0;
};

// The record at the end of the archive, behind which a comment may stand.
Index end_record(ArchiveFile& archive, const std::string& path) {
  constexpr Index record = 22, longest_comment = 65535;
  const Index begin = std::max<Index>(0, archive.size() - record - longest_comment);
  std::vector<unsigned char> tail(static_cast<std::size_t>(archive.size() - begin));
  tail.resize(archive.read(begin, tail.data(), tail.size()));
  for (Index at = std::ssize(tail) - record; at >= 0; --at) {
    if (std::memcmp(tail.data() + at, "PK\5\6", 4) == 0) return begin + at;
  }
  fail(path, "is a .zip archive that is cut short");
}

// Sizes of 32 bits are all ones where a file is of 4 GiB or more: then gzip or xz are the better choice.
Member only_member(ArchiveFile& archive, const std::string& path) {
  constexpr Index too_large = 0xFFFFFFFF;
  const auto end = archive.record<22>(end_record(archive, path), "PK\5\6");
  const Index entries = number_at(end.data() + 10, 2);
  Index at = number_at(end.data() + 16, 4);
  Member member;
  int files = 0;
  for (Index k = 0; k < entries; ++k) {
    const auto entry = archive.record<46>(at, "PK\1\2");
    const Index name = number_at(entry.data() + 28, 2);
    std::vector<unsigned char> characters(static_cast<std::size_t>(name));
    const bool whole = archive.read(at + 46, characters.data(), characters.size()) == characters.size();
    if (!whole || name == 0) fail(path, "is a damaged .zip archive");
    at += 46 + name + number_at(entry.data() + 30, 2) + number_at(entry.data() + 32, 2);
    if (characters.back() == '/') continue;  // a folder
    if (++files > 1) fail(path, "holds several files; unpack it and name one of them");
    if ((entry[8] & 1U) != 0) fail(path, "is encrypted; unpack it");
    member = {number_at(entry.data() + 10, 2), number_at(entry.data() + 42, 4), number_at(entry.data() + 20, 4),
              number_at(entry.data() + 24, 4), number_at(entry.data() + 16, 4)};
  }
  if (files == 0) fail(path, "is a .zip archive that holds no file");
  if (member.packed == too_large || member.size == too_large || member.offset == too_large) {
    fail(path, "holds a file of 4 GiB or more; unpack it");
  }
  if (member.method != 0 && member.method != 8) fail(path, "holds a file that is not deflated; unpack it");
  const auto local = archive.record<30>(member.offset, "PK\3\4");
  member.offset += 30 + number_at(local.data() + 26, 2) + number_at(local.data() + 28, 2);
  if (member.packed > archive.size() - member.offset) fail(path, "is a .zip archive that is cut short");
  return member;
}

class ZipStream final : public ByteStream {
 public:
  explicit ZipStream(std::string path)
      : path_(std::move(path)), archive_(path_), member_(only_member(archive_, path_)), input_(std::size_t{1} << 16) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      throw Error(ErrorKind::resource, path_ + ": no memory for decompression");
    }
  }
  ~ZipStream() override { inflateEnd(&stream_); }
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;

  std::size_t read(char* target, std::size_t size) override {
    std::size_t got = 0;
    while (got < size && !ended_) {
      const std::size_t piece = std::min(size - got, std::size_t{1} << 30);
      const std::size_t more = member_.method == 0 ? copy(target + got, piece) : inflate_some(target + got, piece);
      checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(target + got), more);
      got += more;
      given_ += static_cast<Index>(more);
    }
    if (ended_ && (given_ != member_.size || static_cast<Index>(checksum_) != member_.checksum)) {
      fail(path_, "is damaged: what it holds is not what was packed");
    }
    return got;
  }
  [[nodiscard]] Index largest_expansion() const override { return 1032; }  // as gzip

 private:
  // The next packed bytes, at most `size`.
  std::size_t next_packed(unsigned char* target, std::size_t size) {
    const auto want = static_cast<std::size_t>(std::min<Index>(static_cast<Index>(size), member_.packed - taken_));
    const std::size_t got = archive_.read(member_.offset + taken_, target, want);
    if (got < want) fail(path_, "is cut short");
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
    const int code = inflate(&stream_, Z_NO_FLUSH);  // which may owe output of what it was given before
    if (code == Z_BUF_ERROR) fail(path_, "is damaged: it ends before the file in it does");
    if (code != Z_OK && code != Z_STREAM_END) fail(path_, "is damaged: it cannot be decompressed");
    ended_ = code == Z_STREAM_END;
    return size - stream_.avail_out;
  }

  std::string path_;
  ArchiveFile archive_;
  Member member_;
  std::vector<unsigned char> input_;
  z_stream stream_{};
  Index taken_ = 0, given_ = 0;  // of packed bytes; of bytes
  uLong checksum_ = 0;           // CRC-32 of nothing
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_zip(const std::string& path) { return std::make_unique<ZipStream>(path); }

}  // namespace cairn

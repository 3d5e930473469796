#include "cairn/data/io/byte_stream.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open_file(const std::string& path) {
  (void)file_size(path);
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, fmt::format("cannot be opened ({})", std::strerror(errno)));
  return file;
}

class PlainStream final : public ByteStream {
 public:
  PlainStream(std::string path, File file) : ByteStream(path), path_(std::move(path)), file_(std::move(file)) {}
  std::size_t read_some(char* target, std::size_t size) override {
    const std::size_t got = std::fread(target, 1, size, file_.get());
    if (got < size && std::ferror(file_.get()) != 0)
      fail(path_, fmt::format("cannot be read ({})", std::strerror(errno)));
    return got;
  }
  void skip(Index size) override {
    if (fseeko(file_.get(), static_cast<off_t>(size), SEEK_CUR) != 0) fail(path_, std::strerror(errno));
  }
  [[nodiscard]] Index largest_expansion() const override { return 1; }

 private:
  std::string path_;
  File file_;
};

// Reads members one after another; zlib's own reader takes damage after the first one for the end of the file.
class GzipStream final : public ByteStream {
 public:
  GzipStream(std::string path, File file)
      : ByteStream(path), path_(std::move(path)), file_(std::move(file)), input_(1U << 18) {
    constexpr int largest_window = 15, with_header = 16;
    if (inflateInit2(&stream_, largest_window + with_header) != Z_OK) {
      throw Error(ErrorKind::resource, path_ + ": no memory for decompression");
    }
  }
  ~GzipStream() override { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  std::size_t read_some(char* target, std::size_t size) override {
    std::size_t total = 0;
    while (total < size && more_input()) {
      const auto budget = static_cast<uInt>(std::min<std::size_t>(size - total, 1U << 30));
      stream_.next_out = reinterpret_cast<Bytef*>(target + total);
      stream_.avail_out = budget;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      total += budget - stream_.avail_out;
      between_ = code == Z_STREAM_END;
      if (between_) {
        ++members_;
        inflateReset(&stream_);
      } else if (code == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (code != Z_OK) {
        const char* const reason = stream_.msg != nullptr ? stream_.msg : "no gzip data";
        fail(path_, members_ == 0 ? fmt::format("is damaged ({})", reason)
                                  : fmt::format("is damaged behind its part {} ({})", members_, reason));
      }
    }
    return total;
  }
  [[nodiscard]] Index largest_expansion() const override { return 1032; }  // deflate: 258 bytes in two bits

 private:
  // False at the end of the file, if a member ends there; zeros after a member pad a tape block.
  bool more_input() {
    for (;;) {
      if (stream_.avail_in == 0) {
        stream_.next_in = input_.data();
        stream_.avail_in = static_cast<uInt>(std::fread(input_.data(), 1, input_.size(), file_.get()));
        if (std::ferror(file_.get()) != 0) fail(path_, fmt::format("cannot be read ({})", std::strerror(errno)));
        if (stream_.avail_in == 0) break;
      }
      if (!between_ || *stream_.next_in != 0) return true;
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (!between_) fail(path_, "is truncated or damaged (unexpected end of file)");
    return false;
  }

  std::string path_;
  File file_;
  std::vector<Bytef> input_;
  z_stream stream_{};
  Index members_ = 0;
  bool between_ = false;
};

class XzStream final : public ByteStream {
 public:
  XzStream(std::string path, File file)
      : ByteStream(path), path_(std::move(path)), file_(std::move(file)), input_(1U << 18) {
    // `xz -9` needs 65 MiB; a damaged file may request 4 GiB.
    constexpr std::uint64_t least = std::uint64_t{128} << 20, a_byte = 16;
    const std::uint64_t most = std::max(least, a_byte * static_cast<std::uint64_t>(file_size(path_)));
    if (lzma_stream_decoder(&stream_, most, LZMA_CONCATENATED) != LZMA_OK) {
      throw Error(ErrorKind::resource, path_ + ": no memory for decompression");
    }
  }
  ~XzStream() override { lzma_end(&stream_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;
  std::size_t read_some(char* target, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(target);
    stream_.avail_out = size;
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0 && std::feof(file_.get()) == 0) {
        stream_.next_in = input_.data();
        stream_.avail_in = std::fread(input_.data(), 1, input_.size(), file_.get());
        if (std::ferror(file_.get()) != 0) fail(path_, fmt::format("cannot be read ({})", std::strerror(errno)));
      }
      const lzma_ret code = lzma_code(&stream_, std::feof(file_.get()) != 0 ? LZMA_FINISH : LZMA_RUN);
      if (code == LZMA_STREAM_END)
        ended_ = true;
      else if (code == LZMA_MEM_ERROR)
        throw std::bad_alloc();
      else if (code == LZMA_MEMLIMIT_ERROR)
        fail(path_, fmt::format("asks for {} MiB to be decompressed, which is much for its size: it is damaged, or was "
                                "made with a very large dictionary (xz -9 is small enough)",
                                lzma_memusage(&stream_) >> 20));
      else if (code != LZMA_OK)
        fail(path_, fmt::format("is truncated or damaged (xz error {})", static_cast<int>(code)));
    }
    return size - stream_.avail_out;
  }
  [[nodiscard]] Index largest_expansion() const override { return Index{1} << 14; }  // LZMA2 of zeros: about 7,000

 private:
  std::string path_;
  File file_;
  std::vector<std::uint8_t> input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

}  // namespace

Index file_size(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) fail(path, "No such file or directory");
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a regular file");
  const auto size = std::filesystem::file_size(path, code);
  if (code) fail(path, fmt::format("cannot be read ({})", code.message()));
  return static_cast<Index>(size);
}

Index content_size(const std::string& path) {
  const auto stream = ByteStream::open(path);
  if (!stream->compressed()) return file_size(path);
  std::vector<char> scratch(std::size_t{1} << 18);
  Index size = 0;
  for (std::size_t got = scratch.size(); got == scratch.size();) {
    got = stream->read(scratch.data(), scratch.size());
    size += static_cast<Index>(got);
    Watchdog::beat();
  }
  return size;
}

std::size_t ByteStream::read(char* target, std::size_t size) {
  constexpr std::size_t often = std::size_t{1} << 20;
  if ((unseen_ += size) >= often) {
    unseen_ = 0;
    watch_.look();
  }
  return read_some(target, size);
}

void ByteStream::skip(Index size) {
  std::array<char, 1U << 16> scratch{};
  while (size > 0) {
    const auto piece = static_cast<std::size_t>(std::min<Index>(size, static_cast<Index>(scratch.size())));
    const std::size_t got = read(scratch.data(), piece);
    if (got == 0) return;
    size -= static_cast<Index>(got);
  }
}

std::unique_ptr<ByteStream> ByteStream::open(const std::string& path) {
  File file = open_file(path);
  std::array<unsigned char, 6> magic{};
  const std::size_t got = std::fread(magic.data(), 1, magic.size(), file.get());
  if (std::ferror(file.get()) != 0) fail(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) fail(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  constexpr std::array<unsigned char, 6> xz{0xFD, '7', 'z', 'X', 'Z', 0x00};
  if (got >= 2 && magic[0] == 0x1f && magic[1] == 0x8b) return std::make_unique<GzipStream>(path, std::move(file));
  if (got == 6 && magic == xz) return std::make_unique<XzStream>(path, std::move(file));
  if (got >= 4 && magic[0] == 'P' && magic[1] == 'K' && magic[2] <= 7 && magic[3] == magic[2] + 1)
    return open_zip(path);
  return std::make_unique<PlainStream>(path, std::move(file));
}

std::string without_compression(std::string name) {
  for (const char* ending : {".gz", ".xz", ".zip"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return name;
}

}  // namespace cairn

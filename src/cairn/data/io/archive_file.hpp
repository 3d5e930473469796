// An archive file with random access for reading. Private to this folder.
#pragma once

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

class ArchiveFile {
 public:
  /// @throws Error(input) if it cannot be opened. Local.
  explicit ArchiveFile(std::string path)
      : path_(std::move(path)), size_(file_size(path_)), file_(std::fopen(path_.c_str(), "rb")) {
    if (!file_) throw Error(ErrorKind::input, path_ + ": cannot be opened");
  }
  [[nodiscard]] Index size() const { return size_; }
  /// Reads `count` bytes, fewer only at the end of the file. @throws Error(input) for an offset outside it
  std::size_t read(Index offset, unsigned char* target, std::size_t count) {
    if (offset < 0 || offset > size_ || fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) damaged();
    return std::fread(target, 1, count, file_.get());
  }
  /// The N bytes at `offset`. @throws Error(input) unless they begin with the four bytes of `signature`
  template <std::size_t N>
  std::array<unsigned char, N> record(Index offset, const char* signature) {
    std::array<unsigned char, N> bytes{};
    if (read(offset, bytes.data(), N) < N || std::memcmp(bytes.data(), signature, 4) != 0) damaged();
    return bytes;
  }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void damaged() const { throw Error(ErrorKind::input, path_ + ": is a damaged .zip archive"); }

  std::string path_;
  Index size_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace cairn

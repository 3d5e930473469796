#include "cairn/data/matrix/number_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

}  // namespace

void convert_numbers(NumberType type, const std::byte* from, Index count, double* to) {
  const auto each = [&]<class U>(U value) {
    for (Index k = 0; k < count; ++k) {
      std::memcpy(&value, from + static_cast<std::size_t>(k) * sizeof value, sizeof value);
      to[k] = static_cast<double>(value);
    }
  };
  switch (type) {
    case NumberType::f32:
      return each(float{});
    case NumberType::f64:
      return each(double{});
    case NumberType::u8:
      return each(std::uint8_t{});
    case NumberType::i32:
      return each(std::int32_t{});
    case NumberType::i64:
      return each(std::int64_t{});
  }
}

NumberFile::NumberFile(std::string path, NumberType type, Index offset)
    : path_(std::move(path)), type_(type), offset_(offset), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) fail(path_, fmt::format("cannot be opened ({})", std::strerror(errno)));
}

NumberFile::~NumberFile() { ::close(file_); }

void NumberFile::read(Index first, Index count, double* target) const {
  constexpr Index piece = Index{1} << 18;
  const Index width = size_of(type_);
  Buffer<std::byte> bytes(std::min(count, piece) * width);
  for (Index done = 0; done < count; done += piece) {
    const Index now = std::min(piece, count - done);
    read_bytes(offset_ + (first + done) * width, bytes.data(), now * width);
    convert_numbers(type_, bytes.data(), now, target + done);
  }
}

void NumberFile::read_bytes(Index offset, std::byte* target, Index size) const {
  while (size > 0) {
    const ssize_t got = ::pread(file_, target, static_cast<std::size_t>(std::min(size, Index{1} << 30)), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, fmt::format("cannot be read ({})", std::strerror(errno)));
    if (got == 0) fail(path_, "has become shorter since it was opened");
    target += got;
    offset += got;
    size -= got;
  }
}

}  // namespace cairn

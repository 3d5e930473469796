#include "cairn/data/matrix/number_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/io/binary_number.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// The number of a 16-bit pattern: a sign, 5 bits of the exponent, 10 of the fraction (IEEE 754).
double half_precision(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

void convert_numbers(const NpyHeader& layout, const std::byte* from, Index count, double* to) {
  const auto each = [&]<class U>(U /*type*/, auto convert) {
    const char* at = reinterpret_cast<const char*>(from);
    for (Index k = 0; k < count; ++k, at += sizeof(U)) to[k] = convert(number_at<U>(at, layout.order));
  };
  const auto plain = [](auto value) { return static_cast<double>(value); };
  switch (layout.type) {
    case NumberType::f16:
      return each(std::uint16_t{}, half_precision);
    case NumberType::f32:
      return each(float{}, plain);
    case NumberType::f64:
      return each(double{}, plain);
    case NumberType::u8:
      return each(std::uint8_t{}, plain);
    case NumberType::i8:
      return each(std::int8_t{}, plain);
    case NumberType::u16:
      return each(std::uint16_t{}, plain);
    case NumberType::i16:
      return each(std::int16_t{}, plain);
    case NumberType::u32:
      return each(std::uint32_t{}, plain);
    case NumberType::i32:
      return each(std::int32_t{}, plain);
    case NumberType::u64:
      return each(std::uint64_t{}, plain);
    case NumberType::i64:
      return each(std::int64_t{}, plain);
  }
}

NumberFile::NumberFile(std::string path, const NpyHeader& layout)
    : path_(std::move(path)), layout_(layout), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) fail(path_, fmt::format("cannot be opened ({})", std::strerror(errno)));
}

NumberFile::~NumberFile() { ::close(file_); }

void NumberFile::read(Index first, Index count, double* target) const {
  constexpr Index piece = Index{1} << 18;
  const Index width = size_of(layout_.type);
  Buffer<std::byte> bytes(std::min(count, piece) * width);
  for (Index done = 0; done < count; done += piece) {
    const Index now = std::min(piece, count - done);
    read_bytes(layout_.offset + (first + done) * width, bytes.data(), now * width);
    convert_numbers(layout_, bytes.data(), now, target + done);
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

#include "data/npy_header.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <regex>

#include "base/error.hpp"
#include "data/byte_stream.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// The text behind "'key':" in the header's Python dictionary, as the first group of `value` matches it.
std::string find_value(const std::string& path, const std::string& header, const std::string& key, const char* value) {
  std::smatch found;
  if (!std::regex_search(header, found, std::regex("'" + key + "'\\s*:\\s*" + value))) {
    fail(path, fmt::format("its .npy header has no {} that Cairn reads (two dimensions, C order, numbers): {}", key,
                           header.substr(0, 120)));
  }
  return found[1].str();
}

NumberType type_of(const std::string& path, const std::string& description) {
  if (description == "<f4") return NumberType::f32;
  if (description == "<f8") return NumberType::f64;
  if (description == "|u1") return NumberType::u8;
  if (description == "<i4") return NumberType::i32;
  if (description == "<i8") return NumberType::i64;
  fail(path, fmt::format("holds numbers of type {}; Cairn reads <f4, <f8, |u1, <i4 and <i8", description));
}

Index dimension_of(const std::string& path, const std::string& text) {
  Index value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) fail(path, "its shape is too large: " + text);
  return value;
}

}  // namespace

Index size_of(NumberType type) {
  switch (type) {
    case NumberType::u8:
      return 1;
    case NumberType::f32:
    case NumberType::i32:
      return 4;
    case NumberType::f64:
    case NumberType::i64:
      return 8;
  }
  return 0;
}

NpyHeader read_npy_header(const std::string& path) {
  const auto stream = ByteStream::open(path);
  std::array<unsigned char, 12> prefix{};
  const std::size_t got = stream->read(reinterpret_cast<char*>(prefix.data()), 10);
  const std::string magic(reinterpret_cast<char*>(prefix.data()), 6);
  if (got < 10 || magic != "\x93NUMPY" || prefix[6] < 1 || prefix[6] > 3)
    fail(path, "is no .npy file of version 1 to 3");
  std::size_t length = prefix[8] + 256U * prefix[9];
  Index offset = 10;
  if (prefix[6] >= 2) {
    if (stream->read(reinterpret_cast<char*>(prefix.data() + 10), 2) < 2) fail(path, "is cut short");
    length += (std::size_t{prefix[10]} << 16) + (std::size_t{prefix[11]} << 24);
    offset = 12;
  }
  if (length > 65536) fail(path, "its .npy header is too long");
  std::string header(length, '\0');
  if (stream->read(header.data(), length) < length) fail(path, "is cut short");
  NpyHeader result;
  result.type = type_of(path, find_value(path, header, "descr", "'([^']*)'"));
  (void)find_value(path, header, "fortran_order", "(False)");
  const std::string shape = "\\(\\s*(\\d+)\\s*,\\s*\\d+\\s*,?\\s*\\)";
  result.rows = dimension_of(path, find_value(path, header, "shape", shape.c_str()));
  result.columns = dimension_of(path, find_value(path, header, "shape", "\\(\\s*\\d+\\s*,\\s*(\\d+)\\s*,?\\s*\\)"));
  result.offset = offset + static_cast<Index>(length);
  return result;
}

}  // namespace cairn

#include "cairn/data/matrix/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

constexpr const char* blanks = " \t\r\n";

// Reads the header's Python dictionary, {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }, key by key. It
// refers to both strings and is used as a local variable of the function that has them.
class HeaderText {
 public:
  HeaderText(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  [[nodiscard]] std::string quoted(const std::string& key) const {
    const std::string_view value = value_of(key);
    const std::size_t end = value.find('\'', 1);
    if (!value.starts_with('\'') || end == std::string_view::npos) refuse(key);
    return std::string(value.substr(1, end - 1));
  }
  [[nodiscard]] bool flag(const std::string& key) const {
    const std::string_view value = value_of(key);
    if (!value.starts_with("True") && !value.starts_with("False")) refuse(key);
    return value.starts_with("True");
  }
  // Reads the rows and columns of (rows, columns), or of (rows,): one column.
  [[nodiscard]] std::pair<Index, Index> pair(const std::string& key) const {
    std::string_view rest = value_of(key);
    skip(rest, '(', key);
    const Index first = number(rest, key);
    skip(rest, ',', key);
    const Index second = rest.starts_with(')') ? 1 : number(rest, key);
    if (rest.starts_with(',')) skip(rest, ',', key);
    skip(rest, ')', key);
    return {first, second};
  }

 private:
  [[noreturn]] void refuse(const std::string& key) const {
    fail(path_, fmt::format("its .npy header has no {} that Cairn reads (one or two dimensions, numbers): {}", key,
                            printable(text_.substr(0, 120))));
  }
  // A damaged header may hold anything.
  static std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '.');
    return text;
  }
  static void skip_blanks(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  }
  void skip(std::string_view& rest, char expected, const std::string& key) const {
    if (!rest.starts_with(expected)) refuse(key);
    rest.remove_prefix(1);
    skip_blanks(rest);
  }
  [[nodiscard]] std::string_view value_of(const std::string& key) const {
    const std::string name = "'" + key + "'";
    const std::size_t at = text_.find(name);
    if (at == std::string::npos) refuse(key);
    std::string_view rest = std::string_view(text_).substr(at + name.size());
    skip_blanks(rest);
    skip(rest, ':', key);
    return rest;
  }
  [[nodiscard]] Index number(std::string_view& rest, const std::string& key) const {
    Index value = -1;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (code == std::errc::result_out_of_range) fail(path_, "its shape is too large");
    if (code != std::errc{} || value < 0) refuse(key);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    skip_blanks(rest);
    return value;
  }

  const std::string& path_;
  const std::string& text_;
};

// NumPy's names of the types, after the byte order; b1 is a byte that is 0 or 1.
constexpr std::array types{
    std::pair{"f2", NumberType::f16}, std::pair{"f4", NumberType::f32}, std::pair{"f8", NumberType::f64},
    std::pair{"u1", NumberType::u8},  std::pair{"b1", NumberType::u8},  std::pair{"i1", NumberType::i8},
    std::pair{"u2", NumberType::u16}, std::pair{"i2", NumberType::i16}, std::pair{"u4", NumberType::u32},
    std::pair{"i4", NumberType::i32}, std::pair{"u8", NumberType::u64}, std::pair{"i8", NumberType::i64}};

void take_type(const std::string& path, const std::string& description, NpyHeader& header) {
  if (description.size() == 3 && std::string_view("<>|").find(description[0]) != std::string_view::npos) {
    for (const auto& [name, type] : types) {
      if (description.substr(1) != name) continue;
      header.type = type;
      header.order = description[0] == '>' ? std::endian::big : std::endian::little;
      return;
    }
  }
  fail(path, fmt::format("holds numbers of type {}; Cairn reads f2, f4, f8, integers of 1 to 8 bytes and b1, of either "
                         "byte order",
                         description));
}

}  // namespace

Index size_of(NumberType type) {
  switch (type) {
    case NumberType::u8:
    case NumberType::i8:
      return 1;
    case NumberType::f16:
    case NumberType::u16:
    case NumberType::i16:
      return 2;
    case NumberType::f32:
    case NumberType::u32:
    case NumberType::i32:
      return 4;
    case NumberType::f64:
    case NumberType::u64:
    case NumberType::i64:
      return 8;
  }
  return 0;
}

NpyHeader read_npy_header(ByteStream& stream, const std::string& path) {
  std::array<unsigned char, 12> prefix{};
  const std::size_t got = stream.read(reinterpret_cast<char*>(prefix.data()), 10);
  const std::string magic(reinterpret_cast<char*>(prefix.data()), 6);
  if (got < 10 || magic != "\x93NUMPY" || prefix[6] < 1 || prefix[6] > 3)
    fail(path, "is no .npy file of version 1 to 3");
  std::size_t length = prefix[8] + 256U * prefix[9];
  Index offset = 10;
  if (prefix[6] >= 2) {
    if (stream.read(reinterpret_cast<char*>(prefix.data() + 10), 2) < 2) fail(path, "is truncated");
    length += (std::size_t{prefix[10]} << 16) + (std::size_t{prefix[11]} << 24);
    offset = 12;
  }
  if (length > 65536) fail(path, "its .npy header is too long");
  std::string header(length, '\0');
  if (stream.read(header.data(), length) < length) fail(path, "is truncated");
  NpyHeader result;
  const HeaderText text(path, header);
  take_type(path, text.quoted("descr"), result);
  result.by_columns = text.flag("fortran_order");
  std::tie(result.rows, result.columns) = text.pair("shape");
  result.offset = offset + static_cast<Index>(length);
  return result;
}

}  // namespace cairn

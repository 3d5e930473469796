#include "cairn/data/io/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"

namespace cairn {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// UTF-16LE or UTF-16BE if the zero bytes of a text are placed as there: in blanks and ASCII one of two bytes is 0,
// always the same one; empty otherwise.
std::string_view encoding_of_zeros(std::string_view text) {
  constexpr Index least = 2, most_bytes_each = 64;
  std::array<Index, 2> zeros = {0, 0};  // at even and at odd positions
  for (std::size_t k = 0; k < text.size(); ++k) zeros[k % 2] += text[k] == '\0' ? 1 : 0;
  const Index all = zeros[0] + zeros[1];
  if (std::min(zeros[0], zeros[1]) > 0 || all < least || all * most_bytes_each < std::ssize(text)) return {};
  return zeros[0] > 0 ? "UTF-16BE" : "UTF-16LE";
}

void refuse_unmarked(const std::string& path, std::string_view text) {
  const std::string_view encoding = encoding_of_zeros(text);
  if (encoding.empty()) return;
  refuse(path, fmt::format("has bytes 0 as {0} has; convert it: iconv -f {0} -t UTF-8", encoding));
}

constexpr const char* zero_met = "holds a byte 0 and is no text: move it away, or leave that byte out";

}  // namespace

void refuse_other_mark(const std::string& path, std::string_view text) {
  using namespace std::string_view_literals;
  // The mark of UTF-16LE is a prefix of that of UTF-32LE.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> marks = {
      {{"\xFF\xFE\0\0"sv, "UTF-32"}, {"\0\0\xFE\xFF"sv, "UTF-32"}, {"\xFF\xFE"sv, "UTF-16"}, {"\xFE\xFF"sv, "UTF-16"}}};
  const auto* found = std::ranges::find_if(marks, [&](const auto& mark) { return text.starts_with(mark.first); });
  if (found == marks.end()) return;
  refuse(path, fmt::format("is {0} (its byte order mark says so); convert it: iconv -f {0} -t UTF-8", found->second));
}

void refuse_binary(const std::string& path, std::string_view text) {
  constexpr std::size_t looked_at = 4096;
  constexpr std::ptrdiff_t few = 1;
  text = text.substr(0, looked_at);
  refuse_other_mark(path, text);
  if (std::ranges::count(text, '\0') <= few) return;
  refuse_unmarked(path, text);
  refuse(path, "is binary (it has bytes 0), and a text file was expected");
}

void refuse_no_text(const std::string& path, std::string_view text) {
  refuse_other_mark(path, text);
  if (text.find('\0') == std::string_view::npos) return;
  refuse_unmarked(path, text);
  refuse(path, zero_met);
}

void refuse_zero(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) throw Error(ErrorKind::input, zero_met);
}

}  // namespace cairn

#include "cairn/parameters/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace cairn {

namespace {

constexpr double largest_exact = 9007199254740992.0;  // 2^53: beyond it a double skips integers

template <class T>
std::optional<T> parse_whole(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<Index> rounded(std::optional<double> value) {
  if (!value || !(std::abs(*value) < largest_exact)) return std::nullopt;
  return static_cast<Index>(std::llround(*value));
}

// [D-]H:MM:SS or M:SS; days as Slurm writes them.
std::optional<Index> parse_clock(const std::string& text) {
  constexpr Index most = Index{1} << 32;  // hours, days
  Index seconds = 0;
  int fields = 0;
  const std::size_t dash = text.find('-', 1);
  if (dash != std::string::npos) {
    const auto days = parse_whole<Index>(text.substr(0, dash));
    const auto rest = parse_clock(text.substr(dash + 1));
    if (!days || *days < 0 || *days > most || !rest || *rest >= 86400) return std::nullopt;
    return *days * 86400 + *rest;
  }
  for (std::size_t begin = 0; begin <= text.size(); ++fields) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const auto field = parse_whole<Index>(text.substr(begin, end - begin));
    if (!field || *field < 0 || *field > most || (fields > 0 && *field >= 60) || fields == 3) return std::nullopt;
    seconds = seconds * 60 + *field;
    begin = end + 1;
  }
  return seconds;
}

}  // namespace

std::optional<Index> parse_integer(const std::string& text) {
  if (const auto value = parse_whole<Index>(text)) return value;
  const auto value = parse_number(text);
  return value && std::floor(*value) == *value ? rounded(value) : std::nullopt;
}

std::optional<double> parse_number(const std::string& text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<Index> parse_size(const std::string& text) {
  static constexpr std::array<std::pair<const char*, double>, 16> units = {{{"", 1},
                                                                            {"B", 1},
                                                                            {"k", 1e3},
                                                                            {"kB", 1e3},
                                                                            {"K", 1e3},
                                                                            {"KB", 1e3},
                                                                            {"KiB", 1024.0},
                                                                            {"M", 1e6},
                                                                            {"MB", 1e6},
                                                                            {"MiB", 1048576.0},
                                                                            {"G", 1e9},
                                                                            {"GB", 1e9},
                                                                            {"GiB", 1073741824.0},
                                                                            {"T", 1e12},
                                                                            {"TB", 1e12},
                                                                            {"TiB", 1099511627776.0}}};
  const std::size_t split = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const auto value = parse_number(text.substr(0, split));
  for (const auto& [unit, factor] : units) {
    if (value && *value >= 0 && text.substr(split) == unit) return rounded(*value * factor);
  }
  return std::nullopt;
}

std::optional<Index> parse_duration(const std::string& text) {
  static constexpr std::array<std::pair<char, double>, 4> units = {{{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}}};
  if (text.find(':') != std::string::npos) return parse_clock(text);
  double factor = 1;
  std::string digits = text;
  for (const auto& [unit, seconds] : units) {
    if (!text.empty() && text.back() == unit) {
      factor = seconds;
      digits.pop_back();
    }
  }
  const auto value = parse_number(digits);
  return value && *value >= 0 ? rounded(*value * factor) : std::nullopt;
}

std::string grouped(Index count) {
  std::string text;
  const std::string digits = std::to_string(count);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const bool first = k == 0 || digits[k - 1] == '-';
    if (!first && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

std::string format_bytes(double bytes) {
  static constexpr std::array<const char*, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string format_seconds(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<Index>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
    item.erase(item.find_last_not_of(' ') + 1);
    items.push_back(item);
    begin = end + 1;
  }
  return items;
}

}  // namespace cairn

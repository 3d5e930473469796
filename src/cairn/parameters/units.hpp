// Numbers, sizes and durations as people write and read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// The number if the whole text is one, else nothing. An integer may be written 1e7.
[[nodiscard]] std::optional<Index> parse_integer(const std::string& text);
[[nodiscard]] std::optional<double> parse_number(const std::string& text);
/// Bytes: 4096, 512kB, 4GB (powers of 1000), 4GiB (powers of 1024).
[[nodiscard]] std::optional<Index> parse_size(const std::string& text);
/// Seconds: 90, 90s, 10m, 2h, 1d, 23:30:00, 5:30 (minutes and seconds).
[[nodiscard]] std::optional<Index> parse_duration(const std::string& text);

/// The items between commas, without surrounding blanks.
[[nodiscard]] std::vector<std::string> comma_list(const std::string& text);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(Index number);
/// Bytes with three digits and a unit of powers of 1000.
[[nodiscard]] std::string format_bytes(double bytes);
/// Seconds with three digits; hours, minutes and seconds for long times.
[[nodiscard]] std::string format_seconds(double seconds);

}  // namespace cairn

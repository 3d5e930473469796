#include "cairn/base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>

#include "cairn/base/printable.hpp"

namespace cairn {

namespace {

struct LevelStyle {
  const char* name;
  const char* color;  // on a terminal
};

constexpr std::array<LevelStyle, 4> styles = {
    {{"debug", "\033[36m"}, {"info", "\033[32m"}, {"warning", "\033[33m\033[1m"}, {"error", "\033[31m\033[1m"}}};

// Lines below this level are not shown.
std::atomic<std::size_t> lowest_shown = static_cast<std::size_t>(LogLevel::info);

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace

void start_log(LogLevel level, bool speaking) {
  lowest_shown = speaking ? static_cast<std::size_t>(level) : styles.size();
}

bool speaks(LogLevel level) { return static_cast<std::size_t>(level) >= lowest_shown; }

void log(LogLevel level, const std::string& text) {
  if (!speaks(level)) return;
  const LevelStyle& style = styles[static_cast<std::size_t>(level)];
  const bool colored = isatty(STDERR_FILENO) == 1;
  const std::string line = fmt::format("{} {}{}{}: {}\n", time_of_day(), colored ? style.color : "", style.name,
                                       colored ? "\033[0m" : "", printable_lines(text));
  std::fwrite(line.data(), 1, line.size(), stderr);  // one write: lines of ranks and threads do not mix
}

}  // namespace cairn

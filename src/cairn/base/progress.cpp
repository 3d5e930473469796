#include "cairn/base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "cairn/base/log.hpp"

namespace cairn {

namespace {

std::string duration_text(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

Progress::Progress(std::string name, Index total, bool active, std::string unit)
    : name_(std::move(name)),
      unit_(std::move(unit)),
      total_(total),
      active_(active && total > 0 && speaks(LogLevel::info)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::advance(Index steps) {
  done_ += steps;
  if (!active_) return;
  const auto now = std::chrono::steady_clock::now();
  const auto interval = terminal_ ? std::chrono::milliseconds(shown_ ? 200 : 1000) : std::chrono::milliseconds(60000);
  if (now - last_ < interval) return;
  last_ = now;
  show(std::chrono::duration<double>(now - start_).count());
}

void Progress::show(double elapsed) {
  const double fraction = static_cast<double>(done_) / static_cast<double>(total_);
  const std::string rate = unit_.empty() ? "" : fmt::format("{:.4g} {}, ", static_cast<double>(done_) / elapsed, unit_);
  const std::string line = fmt::format("{}: {:.1f} %, {}{} left", name_, 100.0 * fraction, rate,
                                       duration_text(elapsed * (1.0 - fraction) / fraction));
  std::fputs((terminal_ ? "\r" + line + "\033[K" : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace cairn

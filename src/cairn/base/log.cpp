#include "cairn/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "cairn/base/printable.hpp"

namespace cairn {

namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void start_log(LogLevel level, bool speaking) {
  auto logger = std::make_shared<spdlog::logger>("cairn", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%H:%M:%S %^%l%$: %v");
  logger->set_level(speaking ? level_of(level) : spdlog::level::off);
  spdlog::set_default_logger(logger);
}

bool speaks(LogLevel level) { return spdlog::should_log(level_of(level)); }

void log(LogLevel level, const std::string& text) { spdlog::log(level_of(level), "{}", printable_lines(text)); }

}  // namespace cairn

#include "cairn/base/process/interruption.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "cairn/base/process/partial_file.hpp"

namespace cairn {

namespace {

std::atomic<int> heard = 0;              // the first signal received
std::atomic<std::int64_t> heard_at = 0;  // its time in seconds of a monotonic clock
std::atomic<int> seconds_left = 1;
constexpr std::int64_t one_signal = 5;  // seconds
std::atomic<bool> speaks = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

std::mutex asking;
std::optional<std::string> asked;  // by request_stop

// Async-signal-safe calls only.
void say(const char* text) { [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text)); }

void say_number(int number) {
  std::array<char, 12> digits{};
  std::size_t at = digits.size() - 1;
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0 && at > 0);
  say(digits.data() + at);
}

const char* name_of(int signal) {
  switch (signal) {
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "a signal";
  }
}

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

void hear(int signal) {
  int first = 0;
  if (heard.compare_exchange_strong(first, signal)) {
    heard_at = now();
  } else {
    // The system sends SIGXCPU every second until the hard limit of processor time, which ends the process.
    if (first == signal && (signal == SIGXCPU || now() - heard_at.load() < one_signal)) return;
    remove_partial_file_from_signal_handler();
    if (speaks.load()) say("cairn: second signal: stopping at once; the last checkpoint is kept\n");
    _exit(128 + signal);
  }
  if (!speaks.load()) return;
  say("cairn: ");
  say(name_of(signal));
  say(": the run stops at its next tile, within about ");
  say_number(seconds_left.load());
  say(" s; a second signal stops it at once\n");
}

}  // namespace

void stop_on_signals(bool speaking, bool sigterm_too) {
  speaks = speaking;
  struct sigaction action {};
  action.sa_handler = hear;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR2, &action, nullptr);
  sigaction(SIGXCPU, &action, nullptr);
  if (sigterm_too) sigaction(SIGTERM, &action, nullptr);
}

void expect_stop_within(double seconds) { seconds_left = static_cast<int>(std::ceil(std::min(seconds, 1e6))); }

std::optional<std::string> stop_request() {
  if (const int signal = heard.load(); signal != 0) return name_of(signal);
  const std::scoped_lock lock(asking);
  return asked;
}

void request_stop(const std::string& reason) {
  const std::scoped_lock lock(asking);
  asked = reason;
}

void forget_stop_request() {
  heard = 0;
  const std::scoped_lock lock(asking);
  asked.reset();
}

}  // namespace cairn

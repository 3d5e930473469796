#include "base/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "base/partial_file.hpp"

namespace cairn {

namespace {

volatile sig_atomic_t speaks = 0;

// Async-signal-safe calls only.
void end_process(int signal) {
  remove_partial_file_from_signal_handler();
  if (speaks != 0) {
    const char* text = signal == SIGINT ? "cairn: interrupted (SIGINT); nothing half-written was left\n"
                                        : "cairn: terminated (SIGTERM); nothing half-written was left\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  }
  _exit(128 + signal);
}

}  // namespace

void handle_termination_signals(bool speaking) {
  speaks = speaking ? 1 : 0;
  struct sigaction action {};
  action.sa_handler = end_process;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace cairn

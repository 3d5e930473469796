#include "cairn/base/process/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "cairn/base/process/partial_file.hpp"

namespace cairn {

namespace {

volatile sig_atomic_t speaks = 0;

struct Ending {
  int signal;
  const char* message;
};
constexpr std::array endings{
    Ending{SIGINT, "cairn: interrupted (SIGINT); nothing half-written was left\n"},
    Ending{SIGTERM, "cairn: terminated (SIGTERM); nothing half-written was left\n"},
    Ending{SIGHUP, "cairn: ended by SIGHUP; nothing half-written was left\n"},
    Ending{SIGUSR1, "cairn: ended by SIGUSR1, there is no run.checkpoint; nothing half-written was left\n"},
    Ending{SIGUSR2, "cairn: ended by SIGUSR2, there is no run.checkpoint; nothing half-written was left\n"}};

// Async-signal-safe calls only.
void end_process(int signal) {
  remove_partial_file_from_signal_handler();
  for (const Ending& ending : endings) {
    if (speaks == 0 || ending.signal != signal) continue;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, ending.message, std::strlen(ending.message));
  }
  _exit(128 + signal);
}

}  // namespace

void handle_termination_signals(bool speaking) {
  speaks = speaking ? 1 : 0;
  for (const Ending& ending : endings) {
    struct sigaction before {};
    sigaction(ending.signal, nullptr, &before);
    if (ending.signal == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup
    struct sigaction action {};
    action.sa_handler = end_process;
    sigemptyset(&action.sa_mask);
    sigaction(ending.signal, &action, nullptr);
  }
}

}  // namespace cairn

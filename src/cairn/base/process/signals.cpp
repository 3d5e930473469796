#include "cairn/base/process/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "cairn/base/process/partial_file.hpp"

namespace cairn {

namespace {

volatile sig_atomic_t speaks = 0;

// A message prepared before the signal comes.
struct Ending {
  int signal;
  const char* what;
  bool announces_end;
  std::array<char, 256> message{};
};
std::array endings{
    Ending{SIGINT, "interrupted (SIGINT)", false},
    Ending{SIGTERM, "terminated (SIGTERM)", false},
    Ending{SIGHUP, "ended by SIGHUP", false},
    Ending{SIGUSR1, "ended by SIGUSR1", true},
    Ending{SIGUSR2, "ended by SIGUSR2", true},
    Ending{SIGXCPU, "out of processor time (SIGXCPU: the limit of ulimit -t or of the batch system)", true},
    Ending{SIGALRM, "ended by SIGALRM", false},
    Ending{SIGPIPE, "ended by SIGPIPE: the reader of the output has exited", false}};

// The message about what remains after the signal; a path may be long.
constexpr const char* nothing = "; nothing half-written was left\n";
std::array<char, 8192> left{};
volatile sig_atomic_t leaves = 0;

void say(const char* text) { [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text)); }

// A signal is delayed while a file that it must remove is created but not yet registered.
std::atomic<int> making{0}, waiting{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads them");

// Async-signal-safe calls only.
void end_process(int signal) {
  if (making.load() > 0) {
    waiting.store(signal);
    if (making.load() > 0) return;  // it may have ended in between, on another thread
  }
  remove_partial_file_from_signal_handler();
  for (const Ending& ending : endings) {
    if (speaks == 0 || ending.signal != signal) continue;
    say(ending.message.data());
    say(leaves != 0 ? left.data() : nothing);
  }
  _exit(128 + signal);
}

}  // namespace

void handle_termination_signals(bool speaking, const std::string& no_checkpoint) {
  for (Ending& ending : endings) {
    const std::string reason = ending.announces_end && !no_checkpoint.empty() ? ", " + no_checkpoint : "";
    std::snprintf(ending.message.data(), ending.message.size(), "cairn: %s%s", ending.what, reason.c_str());
  }
  speaks = speaking ? 1 : 0;
  for (const Ending& ending : endings) {
    struct sigaction before {};
    sigaction(ending.signal, nullptr, &before);
    // nohup, or the parent process, may have chosen to ignore the signal.
    if ((ending.signal == SIGHUP || ending.signal == SIGPIPE) && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = end_process;
    sigemptyset(&action.sa_mask);
    sigaction(ending.signal, &action, nullptr);
  }
}

SignalsWait::SignalsWait() { ++making; }

SignalsWait::~SignalsWait() {
  --making;
  if (const int signal = waiting.load(); signal != 0) end_process(signal);
}

LeftBehind::LeftBehind(const std::string& what) {
  std::snprintf(left.data(), left.size(), "; %s\n", what.c_str());
  leaves = 1;
}

LeftBehind::~LeftBehind() { leaves = 0; }

}  // namespace cairn

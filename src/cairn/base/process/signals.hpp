// Behavior when a batch system, or Ctrl-C, ends the run.
#pragma once

#include <string>

namespace cairn {

/// From now on SIGINT, SIGTERM, SIGHUP (except under nohup), SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM and SIGPIPE (unless it
/// is ignored) remove the partial file of this rank, report this on stderr (if `speaking`) and end the process with 128
/// + the signal's number. Nothing more could be done in the second that mpirun leaves. Signals that stop_on_signals
/// (base/process/interruption.hpp) handles end it in another way.
/// @param no_checkpoint  printed for SIGUSR1, SIGUSR2 and SIGXCPU, which announce an end: "there is no checkpoint";
/// empty: nothing
void handle_termination_signals(bool speaking, const std::string& no_checkpoint = "");

/// Delays these signals during its lifetime: a file has been created but not yet registered for removal. Short. Local.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
};

/// During its lifetime, these signals report what remains, in place of "nothing half-written was left". One at a time.
/// Local.
class LeftBehind {
 public:
  /// @param what  "FILE.partial was left: --resume goes on with it"
  explicit LeftBehind(const std::string& what);
  ~LeftBehind();
  LeftBehind(const LeftBehind&) = delete;
  LeftBehind& operator=(const LeftBehind&) = delete;
};

}  // namespace cairn

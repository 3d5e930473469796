// What happens when a batch system, or Ctrl-C, ends the run.
#pragma once

#include <string>

namespace cairn {

/// From now on SIGINT, SIGTERM, SIGHUP (but under nohup), SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM and SIGPIPE (unless it is
/// ignored) remove the partial file of this rank, say so on stderr (if `speaking`) and end the process with 128 + the
/// signal's number. Nothing else could be done in the second that mpirun leaves. What stop_on_signals
/// (base/interruption.hpp) is called for ends it in another way.
/// @param no_checkpoint  said with SIGUSR1, SIGUSR2 and SIGXCPU, which announce an end: "there is no checkpoint";
/// empty: nothing
void handle_termination_signals(bool speaking, const std::string& no_checkpoint = "");

/// While it lives, these signals wait: a file has been made, and is not known yet as one to be removed. Short. Local.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
};

/// While it lives, these signals say what stays, in place of "nothing half-written was left". One at a time. Local.
class LeftBehind {
 public:
  /// @param what  "FILE.partial was left: --resume goes on with it"
  explicit LeftBehind(const std::string& what);
  ~LeftBehind();
  LeftBehind(const LeftBehind&) = delete;
  LeftBehind& operator=(const LeftBehind&) = delete;
};

}  // namespace cairn

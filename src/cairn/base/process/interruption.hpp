// Requests to stop a run: by a signal, or by its own time limit.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace cairn {

/// From now on SIGUSR1, SIGUSR2, SIGXCPU and, if `sigterm_too` (the launcher leaves time for it), SIGTERM request this
/// process to stop at its next tile; a second signal ends it at once, as handle_termination_signals does. The same
/// signal within five seconds does not count as a second one: Slurm and srun both send SIGTERM to the ranks. Neither
/// does SIGXCPU, which comes every second. `speaking`: reports on stderr that the signal was received, and within how
/// many seconds the run will end.
void stop_on_signals(bool speaking, bool sigterm_too);

/// Sets the time that the handler reports: the longest wait for a tile so far, and a flush.
void expect_stop_within(double seconds);

/// Why this process must stop, for example "SIGUSR1"; nothing without a request. Any thread.
[[nodiscard]] std::optional<std::string> stop_request();

/// Requests a stop as a signal does: for tests and time limits.
void request_stop(const std::string& reason);

/// Clears the request: for tests.
void forget_stop_request();

}  // namespace cairn

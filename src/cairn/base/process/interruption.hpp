// A run that is asked to stop: by a signal, or by its own limit of time.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace cairn {

/// From now on SIGUSR1, SIGUSR2, SIGXCPU and, where the launcher leaves time for it, SIGTERM ask this process to stop
/// at its next tile; a second one ends it at once, as handle_termination_signals does. The same signal within five
/// seconds is no second one: Slurm and srun both hand SIGTERM to the ranks; nor is SIGXCPU, which comes every second.
/// `speaking`: says on stderr that it was heard, and within how many seconds the run will end.
void stop_on_signals(bool speaking, bool sigterm_too);

/// What the handler says of the time that is left: the longest wait for a tile that was seen so far, and a flush.
void expect_stop_within(double seconds);

/// Why this process is to stop, as "SIGUSR1"; nothing if nobody asked. Any thread.
[[nodiscard]] std::optional<std::string> stop_request();

/// Asks as a signal does: of tests, and of limits of time.
void request_stop(const std::string& reason);

/// Forgets what was asked: for tests.
void forget_stop_request();

}  // namespace cairn

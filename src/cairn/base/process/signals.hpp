// What happens when a batch system, or Ctrl-C, ends the run.
#pragma once

namespace cairn {

/// From now on SIGINT, SIGTERM, SIGHUP (but under nohup), SIGUSR1 and SIGUSR2 remove the partial file of this rank, say
/// so on stderr (if `speaking`) and end the process with 128 + the signal's number. Nothing else could be done in the
/// second that mpirun leaves. What stop_on_signals (base/interruption.hpp) is called for ends it in another way.
void handle_termination_signals(bool speaking);

}  // namespace cairn

// The peak of this process's memory, measured anew when asked. It is one figure of the whole process, which the system
// keeps (VmHWM, and ru_maxrss of getrusage): a library leaves it alone, the program that owns the process may not.
#pragma once

namespace cairn {

/// From now on each phase has a peak of its own (PhaseSummary::peak_bytes): the system's figure begins anew at the
/// borders of phases, while peak_resident_bytes() still tells the largest. Not so by default. Local.
void measure_peaks_of_phases();

/// Forgets the peak so far: peak_resident_bytes() is that from now on. Local.
void restart_peak();

}  // namespace cairn

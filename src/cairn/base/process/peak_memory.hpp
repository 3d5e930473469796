// The peak of this process's memory, reset on request. The system keeps one value for the whole process (VmHWM, and
// ru_maxrss of getrusage): a library must not reset it, but the program that owns the process may.
#pragma once

namespace cairn {

/// From now on each phase has its own peak (PhaseSummary::peak_bytes): the system's value is reset at phase boundaries,
/// while peak_resident_bytes() still returns the overall maximum. Off by default. Local.
void measure_peaks_of_phases();

/// Resets the peak: peak_resident_bytes() counts from now on. Local.
void restart_peak();

}  // namespace cairn

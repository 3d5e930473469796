// Rates of machines that plans take from a file, and the file.
#pragma once

#include <optional>
#include <string>

#include "cairn/run/planning/calibration_file.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// With --calibrate nothing is planned. @throws Error(usage) if a key beside it has no effect. Local.
void check_calibration(const Settings& settings);

/// cairn plan --calibrate FILE. Collective.
void run_calibration(Job& job);

/// The file that --calibration or the environment names; nothing if neither does. @throws Error(input) as
/// read_calibration(), Error(usage) if it is of another number of threads. Collective.
[[nodiscard]] std::optional<Calibration> known_calibration(const Job& job);

/// What the seconds of a plan are made from, a line. Local.
[[nodiscard]] std::string calibration_text(const Settings& settings, const std::optional<Calibration>& known);

}  // namespace cairn::app

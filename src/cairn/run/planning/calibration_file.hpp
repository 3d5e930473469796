// Rates of a machine in a file, which plans take instead of measuring.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/run/planning/machine_rates.hpp"

namespace cairn {

/// What was measured, and where.
struct Calibration {
  MachineRates rates;
  std::string host, processor, date;  ///< "node7", "AMD EPYC", "2026-11-25"
  std::string program;                ///< the version of the program that measured
};

/// Measures all that a calibration has, with the disk of `folder`: a minute or so. @param program  its version
/// @throws Error(resource) if that disk is full. Collective.
[[nodiscard]] Calibration calibrate_machine(const Execution& execution, const std::string& folder,
                                            const std::string& program);

/// A JSON object, whose "cairn_calibration" is the version of the format. @throws Error(resource) if it cannot be
/// written. Collective.
void write_calibration(const Communicator& communicator, const std::string& path, const Calibration& calibration);
/// Each rank reads it. @throws Error(input) with its name if it cannot be read,
/// is no calibration, lacks a number or has one that is not above 0, or is of another version. Collective.
[[nodiscard]] Calibration read_calibration(const Communicator& communicator, const std::string& path);

/// Whether it can serve runs of so many threads a rank. @throws Error(usage) that names the file if it cannot. Local.
void require_threads(const Calibration& calibration, const std::string& path, int threads);

/// What was measured, in lines for people, and where, in a sentence's end: "measured on node7 at 2026-11-25 with 2
/// ranks". Local.
[[nodiscard]] std::string table_of(const Calibration& calibration);
[[nodiscard]] std::string origin_of(const Calibration& calibration);

}  // namespace cairn

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

/// Host, processor and date of rank 0. Collective.
[[nodiscard]] Calibration calibration_of(const Communicator& communicator, MachineRates rates,
                                         const std::string& program);

/// A JSON object, whose "cairn_calibration" is the version of the format. @throws Error(resource) if it cannot be
/// written. Collective.
void write_calibration(const Communicator& communicator, const std::string& path, const Calibration& calibration);
/// Each rank reads it. @throws Error(input) with its name if it cannot be read,
/// is no calibration, lacks a number or has one that is not above 0, or is of another version. Collective.
[[nodiscard]] Calibration read_calibration(const Communicator& communicator, const std::string& path);

}  // namespace cairn

// Rates of a machine in a file, which plans use instead of measuring.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/run/planning/machine_rates.hpp"

namespace cairn {

/// Measured rates, and where they were measured.
struct Calibration {
  MachineRates rates;
  std::string host, processor, date;  ///< "node7", "AMD EPYC", "2026-11-25"
  std::string program;                ///< version of the program that measured
};

/// Measures all rates of a calibration, including the disk of `folder`; takes about a minute. @param program  its
/// version
/// @throws Error(resource) if that disk is full. Collective.
[[nodiscard]] Calibration calibrate_machine(const Execution& execution, const std::string& folder,
                                            const std::string& program);

/// Writes a JSON object, whose "cairn_calibration" is the version of the format. @throws Error(resource) if it cannot
/// be written. Collective.
void write_calibration(const Communicator& communicator, const std::string& path, const Calibration& calibration);
/// Each rank reads it. @throws Error(input) with the file name if it cannot be read, is not a calibration, lacks a
/// number, has a number that is not above 0, or has another version. Collective.
[[nodiscard]] Calibration read_calibration(const Communicator& communicator, const std::string& path);

/// Checks that it applies to runs with this number of threads per rank. @throws Error(usage) that names the file if it
/// does not. Local.
void require_threads(const Calibration& calibration, const std::string& path, int threads);

/// The rates, in lines for people, and their origin, as the end of a sentence: "measured on node7 at 2026-11-25 with 2
/// ranks". Local.
[[nodiscard]] std::string table_of(const Calibration& calibration);
[[nodiscard]] std::string origin_of(const Calibration& calibration);

}  // namespace cairn

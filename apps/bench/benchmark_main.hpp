// Shared by the benchmark programs: starts MPI around one measurement, and prints its line of JSON.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn::bench {

/// Starts MPI, calls `measure` on all ranks, prints its object as one line on rank 0.
/// @return the program's exit code; an Error is printed and all ranks are ended with its code
int run_benchmark(int argc, char** argv, const std::function<nlohmann::json(const Communicator&)>& measure);

}  // namespace cairn::bench

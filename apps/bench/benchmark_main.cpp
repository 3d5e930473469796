#include "benchmark_main.hpp"

#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/base/heap.hpp"

namespace cairn::bench {

int run_benchmark(int argc, char** argv, const std::function<nlohmann::json(const Communicator&)>& measure) {
  return_large_blocks();  // as the program does
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    const Communicator world(MPI_COMM_WORLD);
    const nlohmann::json line = measure(world);
    if (world.is_root()) std::puts(line.dump().c_str());
  } catch (...) {
    const Error error = current_error();
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, error.exit_code());
  }
  MPI_Finalize();
  return 0;
}

}  // namespace cairn::bench

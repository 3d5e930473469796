// Performance limits of this machine, with which benchmarks are compared.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn::bench {

/// Sum over ranks of the best GFLOP/s of a 2000 x 2000 x 2000 DGEMM that all ranks run at once. Collective.
[[nodiscard]] double gemm_gflops(const Communicator& communicator);

/// Sum over ranks of the best GB/s of a[i] = b[i] + c * d[i] on 3 x 256 MB per rank, run by all ranks at once.
/// Collective.
[[nodiscard]] double triad_gigabytes(const Communicator& communicator);

/// Wall-clock seconds between two collective points.
class Stopwatch {
 public:
  explicit Stopwatch(const Communicator& communicator) : communicator_(communicator) {
    communicator_.barrier();
    start_ = MPI_Wtime();
  }
  /// Seconds of the slowest rank. Collective.
  [[nodiscard]] double seconds() const {
    const double mine = MPI_Wtime() - start_;
    return communicator_.maximum(mine);
  }

 private:
  const Communicator& communicator_;
  double start_ = 0.0;
};

}  // namespace cairn::bench

// The spectrum of a matrix that is known in closed form, over all ranks: what a user's first program might do.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "cairn/approximation/joining.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace {

// The eigenvalues of the path's Laplacian (2 on the diagonal, -1 beside it) are 2 - 2 cos(pi k / (n + 1)).
double largest_difference(const cairn::Communicator& ranks) {
  const cairn::Index n = 200;
  cairn::BlockCyclicMatrix matrix(std::make_shared<const cairn::ProcessGrid>(ranks), n, n);
  matrix.fill([](cairn::Index i, cairn::Index j) { return i == j ? 2.0 : (std::abs(i - j) == 1 ? -1.0 : 0.0); });
  const cairn::Joining joining = cairn::DiagonalJoining{cairn::eigen_symmetric(std::move(matrix)).values};
  double difference = cairn::joining_rows(joining) == n ? 0.0 : 1.0;
  for (cairn::Index k = 1; k <= n; ++k) {
    const double known = 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(n + 1));
    const auto& values = std::get<cairn::DiagonalJoining>(joining).values;
    difference = std::max(difference, std::abs(values[static_cast<std::size_t>(k - 1)] - known));
  }
  return difference;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    const cairn::Communicator ranks(MPI_COMM_WORLD);
    const cairn::RowPartition partition(1000, ranks.size());
    const cairn::Index rows = ranks.sum(partition.range(ranks.rank()).size());
    const double difference = largest_difference(ranks);
    right = rows == 1000 && difference < 1e-12;
    if (ranks.is_root())
      std::printf("ranks %d, rows %lld, largest difference %.1e\n", ranks.size(), (long long)rows, difference);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}

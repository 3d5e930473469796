// Sums over rows that do not depend on the number of ranks. Private to this folder.
#pragma once

#include <algorithm>
#include <exception>
#include <span>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"

namespace cairn {

/// Sums over all rows; add(rows, sums) adds the contribution of some rows to `sums` numbers. The sums are formed by
/// units, which are added in their order, on any number of ranks. add() is thread-safe. @throws as add(). Collective.
template <class Add>
std::vector<double> sum_over_units(const Execution& execution, const RowPartition& partition, std::size_t sums,
                                   Add add) {
  const Communicator& communicator = execution.communicator;
  const Range own = partition.range(communicator.rank());
  const Index unit = RowPartition::unit(partition.rows());
  const Index units = (own.size() + unit - 1) / unit;
  const std::vector<double> mine = collectively(communicator, [&] {
    std::vector<double> partial(static_cast<std::size_t>(units) * sums, 0.0);
    const BlasThreads one(1);
    std::exception_ptr error;
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 1)
    for (Index u = 0; u < units; ++u) {
      try {
        const Range rows{own.begin + u * unit, std::min(own.begin + (u + 1) * unit, own.end)};
        add(rows, std::span(partial).subspan(static_cast<std::size_t>(u) * sums, sums));
        Watchdog::beat();
      } catch (...) {
#pragma omp critical(cairn_unit_sums)
        error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
    return partial;
  });
  const std::vector<double> all = communicator.all_gather(mine);
  std::vector<double> total(sums, 0.0);
  for (std::size_t k = 0; k < all.size(); ++k) total[k % sums] += all[k];
  communicator.broadcast(std::span<double>(total), 0);  // all ranks must use the same bits for decisions
  return total;
}

}  // namespace cairn

// How fast a machine is, apart from what a run computes on it.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/plan/order_seconds.hpp"

namespace cairn {

/// Bytes a second of a disk that is not measured, all ranks: an ordinary NVMe disk.
inline constexpr double assumed_read_bytes = 500e6, assumed_written_bytes = 1000e6;

/// Measured while all ranks work.
struct MachineRates {
  int ranks = 1, threads = 1;            ///< of each, with which it was measured
  double products = 0;                   ///< flops a second and rank, in products of tall matrices
  std::vector<OrderSeconds> cholesky{};  ///< of one pseudo-inverse by a Cholesky factor, of all ranks; by rising order
  std::vector<OrderSeconds> eigen{};     ///< of one eigen-decomposition, likewise
  double evaluations = 0;                ///< of rbf in 16 dimensions, a second and thread: what other rates go with
  double read_bytes = 0;                 ///< a second, all ranks
  double written_bytes = 0;              ///< a second, all ranks, until they are on the disk
  bool disk_measured = false;            ///< false: the last two are assumed
};

/// Orders that are measured; none: nothing of it.
struct MeasuredOrders {
  std::vector<Index> cholesky{}, eigen{};
};

/// Those that tell what `order` takes in a second or two: itself, or two below it.
[[nodiscard]] MeasuredOrders orders_for(Index order, bool cholesky, bool eigen);
/// Those of a calibration: half a minute or so.
[[nodiscard]] MeasuredOrders calibration_orders();

/// Everything but the disk, whose rates are assumed. Collective.
[[nodiscard]] MachineRates measure_machine(const Execution& execution, const MeasuredOrders& orders);

/// Evaluations of rbf in 16 dimensions, a second and thread. Collective.
[[nodiscard]] double measure_evaluations(const Execution& execution);

/// Writes a file of 512 MB into the folder, as results are written, flushes it, reads it, and removes it.
/// @throws Error(resource) if there is no room. Collective.
void measure_disk(const Execution& execution, const std::string& folder, MachineRates& rates);

/// Flops a second and rank of a joining step of `order` on `ranks` ranks, as its methods count them: 10/3 s³ of a
/// Cholesky factor, 9 s³ of an eigen-decomposition, which up to serial_eigen_rows is one rank's. Local.
[[nodiscard]] double cholesky_flops(const MachineRates& rates, Index order, int ranks);
[[nodiscard]] double eigen_flops(const MachineRates& rates, Index order, int ranks);

}  // namespace cairn

// Speed of a machine, independent of what a run computes on it.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/plan/order_seconds.hpp"
#include "cairn/run/planning/measured_links.hpp"

namespace cairn {

/// Bytes per second of a disk that is not measured, over all ranks: an ordinary NVMe disk.
inline constexpr double assumed_read_bytes = 500e6, assumed_written_bytes = 1000e6;

/// Rates measured while all ranks work.
struct MachineRates {
  int ranks = 1, threads = 1;            ///< ranks, and threads of each, during the measurement
  double products = 0;                   ///< flops per second and rank, in products of tall matrices
  std::vector<OrderSeconds> cholesky{};  ///< of one pseudo-inverse by a Cholesky factor, on all ranks; by rising order
  std::vector<OrderSeconds> eigen{};     ///< of one eigendecomposition, likewise
  double evaluations = 0;                ///< of rbf in 16 dimensions, per second and thread: reference for other rates
  double read_bytes = 0;                 ///< per second, over all ranks
  double written_bytes = 0;              ///< per second, over all ranks, until they are on the disk
  bool disk_measured = false;            ///< false: the last two are assumed
  double fresh_bytes = 2e9;              ///< per second and rank, of memory that is written for the first time
  MeasuredLinks links{};                 ///< between the ranks
};

/// Matrix orders to measure; empty: none.
struct MeasuredOrders {
  std::vector<Index> cholesky{}, eigen{};
};

/// Orders from which the time of `order` follows, in a second or two: `order` itself, or two smaller ones.
[[nodiscard]] MeasuredOrders orders_for(Index order, bool cholesky, bool eigen);
/// Orders of a calibration, which take about half a minute.
[[nodiscard]] MeasuredOrders calibration_orders();

/// Measures everything but the disk, whose rates are assumed. Collective.
[[nodiscard]] MachineRates measure_machine(const Execution& execution, const MeasuredOrders& orders);

/// Evaluations of rbf in 16 dimensions, per second and thread. Collective.
[[nodiscard]] double measure_evaluations(const Execution& execution);

/// Writes a file of 512 MB into the folder, as results are written, flushes it, reads it, and removes it.
/// @throws Error(resource) if there is not enough space. Collective.
void measure_disk(const Execution& execution, const std::string& folder, MachineRates& rates);

/// Flops per second and rank of a core-matrix step of `order` on `ranks` ranks, by the counts of the methods: s³
/// for a Cholesky factor, 9 s³ for an eigendecomposition, which a single rank computes up to serial_eigen_rows. Local.
[[nodiscard]] double cholesky_flops(const MachineRates& rates, Index order, int ranks);
[[nodiscard]] double eigen_flops(const MachineRates& rates, Index order, int ranks);

}  // namespace cairn

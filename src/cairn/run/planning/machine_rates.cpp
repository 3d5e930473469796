#include "cairn/run/planning/machine_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>

#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/process_grid.hpp"
#include "cairn/run/planning/measured_seconds.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"

namespace cairn {

namespace {

constexpr Index tall_rows = 2048;
constexpr Index tall_columns = 512;
constexpr int calls = 4;                // the fastest one counts
constexpr Index repeated_order = 1024;  // above it, the first call is not slower than others
constexpr Index cholesky_order = 2048;  // orders that take a second
constexpr Index eigen_order = 1536;
constexpr Index reference_points = 512;
constexpr double reference_seconds = 0.05;
constexpr Index reference_dimension = 16;

BlockCyclicMatrix definite_matrix(const std::shared_ptr<const ProcessGrid>& grid, Index order) {
  BlockCyclicMatrix matrix(grid, order, order);
  matrix.fill([](Index i, Index j) { return std::exp(-0.5 * static_cast<double>(std::abs(i - j))); });
  return matrix;
}

std::vector<OrderSeconds> measured(const Communicator& communicator, const std::vector<Index>& orders,
                                   const std::function<void(Index)>& work) {
  std::vector<OrderSeconds> all;
  all.reserve(orders.size());
  for (const Index order : orders) {
    all.push_back({order, seconds_of(
                              communicator, [&] { work(order); }, order <= repeated_order ? calls : 1)});
  }
  return all;
}

double measure_products(const Execution& execution, const std::shared_ptr<const ProcessGrid>& grid) {
  const Communicator& communicator = execution.communicator;
  const BlockCyclicMatrix matrix = definite_matrix(grid, tall_columns);
  RowBlock<double> tall(RowPartition(tall_rows * communicator.size(), communicator.size()), communicator.rank(),
                        tall_columns);
  std::fill_n(tall.local().data, tall.range().size() * tall.columns(), 1.0);
  const double seconds = seconds_of(
      communicator, [&] { static_cast<void>(multiply_tall(tall, matrix, execution.threads)); }, calls);
  return 2.0 * static_cast<double>(tall_rows * tall_columns * tall_columns) / seconds;
}

double measure_fresh_memory(const Communicator& communicator) {
  constexpr Index bytes = Index{64} << 20;
  const double seconds = seconds_of(
      communicator,
      [&] {
        Buffer<char> memory(bytes);
        std::fill_n(memory.data(), bytes, '\0');
      },
      calls);
  return static_cast<double>(bytes) / seconds;
}

double cubed(Index order) {
  const auto s = static_cast<double>(order);
  return s * s * s;
}

// Speedup by more ranks; none if a single rank does the work.
double shared_by(const MachineRates& rates, Index order, int ranks) {
  return order <= serial_eigen_rows ? 1.0 : static_cast<double>(ranks) / rates.ranks;
}

std::vector<Index> one_or_two(Index order, Index most) {
  return order <= most ? std::vector<Index>{order} : std::vector<Index>{most / 2, most};
}

}  // namespace

MeasuredOrders orders_for(Index order, bool cholesky, bool eigen) {
  MeasuredOrders orders;
  const Index least = std::max<Index>(order, 32);
  if (cholesky) orders.cholesky = one_or_two(least, cholesky_order);
  // Two orders on the same side of the limit up to which one rank computes.
  if (eigen && least <= eigen_order) orders.eigen = {least};
  if (eigen && least > eigen_order) orders.eigen = {serial_eigen_rows + 24, eigen_order};
  return orders;
}

MeasuredOrders calibration_orders() {
  return {{256, 512, 1024, 2048, 4096}, {128, 256, 512, serial_eigen_rows, serial_eigen_rows + 24, 2048}};
}

double measure_evaluations(const Execution& execution) {
  const Communicator& communicator = execution.communicator;
  PointSource source;
  source.generator = "uniform";
  source.points = reference_points * communicator.size();
  source.dimension = reference_dimension;
  const PointSet<double> points = read_points<double>(communicator, source);
  const SimilarityDescriptor& rbf = rbf_similarity();
  const auto similarity = make_similarity<double>(execution, {rbf, Values(rbf.parameters, {{"gamma", "1"}})}, points);
  std::vector<Index> ids(reference_points);
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<Index>(k);
  const auto columns = points.gather(communicator, ids);
  Buffer<double> out(reference_points * reference_points);
  const auto tile = [&] {
    similarity->tile(*columns, *columns, MatrixView<double>(out.data(), reference_points, reference_points));
  };
  // Takes nearly as long as measuring entries of data, so that both meet the same load of the machine, and is repeated:
  // otherwise a rank that waits for the machine looks slow.
  const auto repeats = static_cast<Index>(reference_seconds / seconds_of(communicator, tile, 2)) + 1;
  const double seconds = seconds_of(
      communicator,
      [&] {
        for (Index k = 0; k < repeats; ++k) tile();
      },
      calls);
  return static_cast<double>(repeats * reference_points * reference_points) / seconds;
}

MachineRates measure_machine(const Execution& execution, const MeasuredOrders& orders) {
  const Communicator& communicator = execution.communicator;
  const auto grid = std::make_shared<const ProcessGrid>(communicator);
  MachineRates rates{.ranks = communicator.size(), .threads = execution.threads};
  rates.products = measure_products(execution, grid);
  rates.cholesky = measured(communicator, orders.cholesky, [&](Index order) {
    MethodReport report;
    static_cast<void>(pseudo_inverse(definite_matrix(grid, order), SpectrumRule{}, report));
  });
  rates.eigen = measured(communicator, orders.eigen,
                         [&](Index order) { static_cast<void>(eigen_symmetric(definite_matrix(grid, order))); });
  rates.evaluations = measure_evaluations(execution);
  rates.read_bytes = assumed_read_bytes;
  rates.written_bytes = assumed_written_bytes;
  rates.fresh_bytes = measure_fresh_memory(communicator);
  rates.links = measure_links(communicator);
  return rates;
}

double cholesky_flops(const MachineRates& rates, Index order, int ranks) {
  const double seconds = seconds_at(rates.cholesky, order) * rates.ranks / ranks;
  return cubed(order) / ranks / seconds;
}

double eigen_flops(const MachineRates& rates, Index order, int ranks) {
  const double seconds = seconds_at(rates.eigen, order) / shared_by(rates, order, ranks);
  return 9.0 * cubed(order) / ranks / seconds;
}

}  // namespace cairn

#include "cairn/task/network/network_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// The first rows of the points, redistributed.
template <class T>
PointSet<T> first_rows(const Communicator& communicator, const PointSet<T>& points, Index count) {
  const RowPartition partition(count, communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> ids(own.size());
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = own.begin + static_cast<Index>(k);
  const Buffer<T> found = fetch_rows(communicator, points.coordinates(), std::span<const Index>(ids));
  return collectively(communicator, [&] {
    RowBlock<T> rows(partition, communicator.rank(), points.dimension());
    std::copy_n(found.data(), found.size(), rows.local().data);
    return PointSet<T>(std::move(rows), communicator.rank(), {});
  });
}

// Seconds of the slowest rank. Collective.
template <class Work>
double seconds_of(const Communicator& communicator, Work work) {
  communicator.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  const double own = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return communicator.maximum(own);
}

double wrong(const Confusion& confusion) { return 1.0 - confusion.accuracy(); }

}  // namespace

template <class T>
std::vector<std::int32_t> largest_outputs(const RowBlock<T>& outputs) {
  std::vector<std::int32_t> classes;
  const MatrixView<const T> rows = outputs.local();
  for (Index i = 0; i < rows.rows; ++i) {
    const T* row = rows.row(i);
    classes.push_back(static_cast<std::int32_t>(std::max_element(row, row + rows.columns) - row));
  }
  return classes;
}

template <class T>
NetworkComparison compare_outputs(const Communicator& communicator, const std::string& on, const RowBlock<T>& exact,
                                  const RowBlock<T>& linear, const Classes* classes,
                                  const std::function<bool(std::size_t)>& taken) {
  NetworkComparison found;
  found.on = on;
  const std::vector<std::int32_t> of_network = largest_outputs(exact), of_model = largest_outputs(linear);
  std::vector<std::int32_t> truth, by_network, by_model;
  double squares = 0, errors = 0, same = 0;
  const MatrixView<const T> y = exact.local(), z = linear.local();
  for (std::size_t i = 0; i < of_network.size(); ++i) {
    if (!taken(i)) continue;
    ++found.rows;
    same += of_network[i] == of_model[i] ? 1 : 0;
    for (Index k = 0; k < y.columns; ++k) {
      const auto value = static_cast<double>(y(static_cast<Index>(i), k));
      const double difference = static_cast<double>(z(static_cast<Index>(i), k)) - value;
      squares += value * value;
      errors += difference * difference;
    }
    if (classes == nullptr) continue;
    truth.push_back(classes->own[i]);
    by_network.push_back(of_network[i]);
    by_model.push_back(of_model[i]);
  }
  found.rows = communicator.sum(found.rows);
  const double rows = static_cast<double>(std::max<Index>(1, found.rows));
  found.agreement = communicator.sum(same) / rows;
  squares = communicator.sum(squares);
  found.error = squares > 0 ? std::sqrt(communicator.sum(errors) / squares) : 0.0;
  if (classes == nullptr) return found;
  found.network = confusion_of(communicator, classes->count(), truth, by_network);
  found.linear = confusion_of(communicator, classes->count(), truth, by_model);
  found.labelled = found.network.rows();
  return found;
}

template <class T>
NetworkSpeed measure_speed(const Execution& execution, const PointSet<T>& points, Index most_rows,
                           const NetworkPass<T>& network, const FeatureMap& features,
                           std::span<const double> coefficients, std::span<const double> intercepts) {
  constexpr int runs = 3;
  NetworkSpeed speed;
  speed.rows = std::min(most_rows, points.size());
  if (speed.rows == 0) return speed;
  const PointSet<T> rows = first_rows(execution.communicator, points, speed.rows);
  speed.network = speed.linear = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    speed.network =
        std::min(speed.network, seconds_of(execution.communicator, [&] {
                   collectively(execution.communicator, [&] { return network.outputs(execution, rows.coordinates()); });
                 }));
    speed.linear =
        std::min(speed.linear, seconds_of(execution.communicator, [&] {
                   collectively(execution.communicator, [&] {
                     return feature_outputs(execution, rows.coordinates(), features, coefficients, intercepts);
                   });
                 }));
  }
  return speed;
}

ReportText comparison_report(const std::vector<NetworkComparison>& all, bool outputs) {
  std::vector<std::vector<std::string>> table = {
      {"on", "rows", "labelled", "network wrong", "model wrong", "same class", "error of outputs"}};
  for (const NetworkComparison& one : all) {
    const auto share = [&](const Confusion& confusion) {
      return one.labelled > 0 ? fmt::format("{:.2f} %", 100 * wrong(confusion)) : std::string("-");
    };
    table.push_back({one.on, grouped(one.rows), grouped(one.labelled), share(one.network), share(one.linear),
                     fmt::format("{:.2f} %", 100 * one.agreement), outputs ? fmt::format("{:.3g}", one.error) : "-"});
  }
  return ReportText().table(std::move(table));
}

Metric::List comparison_metrics(const std::vector<NetworkComparison>& all, bool outputs) {
  Metric::List list;
  for (const NetworkComparison& one : all) {
    const auto share = [&](const Confusion& confusion) {
      return one.labelled > 0 ? Metric(wrong(confusion)) : Metric();
    };
    list.emplace_back(Metric::Record{{"on", one.on},
                                     {"rows", one.rows},
                                     {"labelled", one.labelled},
                                     {"network_wrong", share(one.network)},
                                     {"model_wrong", share(one.linear)},
                                     {"agreement", one.agreement},
                                     {"output_error", outputs ? Metric(one.error) : Metric()}});
  }
  return list;
}

#define CAIRN_INSTANTIATE(T)                                                                              \
  template std::vector<std::int32_t> largest_outputs(const RowBlock<T>&);                                 \
  template NetworkComparison compare_outputs(const Communicator&, const std::string&, const RowBlock<T>&, \
                                             const RowBlock<T>&, const Classes*,                          \
                                             const std::function<bool(std::size_t)>&);                    \
  template NetworkSpeed measure_speed(const Execution&, const PointSet<T>&, Index, const NetworkPass<T>&, \
                                      const FeatureMap&, std::span<const double>, std::span<const double>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

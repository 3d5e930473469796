// Compares a network and its linear model on the same rows, by values and by largest output.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/network/linear_network.hpp"
#include "cairn/task/network/network_pass.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Result of a comparison. The same on every rank.
struct NetworkComparison {
  std::string on;             ///< train, test
  Index rows = 0;             ///< number of compared rows
  double agreement = 0.0;     ///< share of rows with the same class
  double error = 0.0;         ///< |Y~ - Y| / |Y| over the rows (Frobenius)
  Index labelled = 0;         ///< rows with a label
  Confusion network, linear;  ///< of the labeled rows
};

/// For each row the class with the largest output, the first of equal ones. Local.
template <class T>
[[nodiscard]] std::vector<std::int32_t> largest_outputs(const RowBlock<T>& outputs);

/// Compares own rows for which `taken` (position among own rows) is true. @param exact, linear  outputs @param classes
/// of the rows; null: no labels. Collective.
template <class T>
[[nodiscard]] NetworkComparison compare_outputs(const Communicator& communicator, const std::string& on,
                                                const RowBlock<T>& exact, const RowBlock<T>& linear,
                                                const Classes* classes, const std::function<bool(std::size_t)>& taken);

/// Seconds for the same rows: minimum over three alternating runs of each, on the slowest rank.
struct NetworkSpeed {
  Index rows = 0;
  double network = 0.0, linear = 0.0;
};
/// @param most_rows  maximal number of points to use. Collective.
template <class T>
[[nodiscard]] NetworkSpeed measure_speed(const Execution& execution, const PointSet<T>& points, Index most_rows,
                                         const NetworkPass<T>& network, const FeatureMap& features,
                                         std::span<const double> coefficients, std::span<const double> intercepts);

/// Tables and metrics. @param outputs  true if the model represents the outputs, and not only the classes. Local.
[[nodiscard]] ReportText comparison_report(const std::vector<NetworkComparison>& all, bool outputs);
[[nodiscard]] Metric::List comparison_metrics(const std::vector<NetworkComparison>& all, bool outputs);

}  // namespace cairn

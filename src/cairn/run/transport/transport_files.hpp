// A transport between files: its input and its output.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cairn/run/transport/transport_report.hpp"

namespace cairn {

/// Files besides that of the sources: target.path, target.format, target.dataset, weights, target.weights, map.
[[nodiscard]] const std::vector<Parameter>& transport_file_parameters();

/// transport_parameters(), then these.
[[nodiscard]] const std::vector<Parameter>& transport_options();

/// The points of a transport, and their weights (of this rank's rows; empty: all are equal).
template <class T>
struct TransportData {
  Data<T> source, target;
  std::optional<Data<T>> unseen;  ///< points to be mapped
  std::vector<double> source_weights, target_weights;
  std::string source_weights_file, target_weights_file;  ///< empty: none
  std::uint64_t digest = 0;                              ///< of all points and weights on which the plan depends
};

/// Reads the sources as given by `points` and the other files likewise, with the same columns and the scaling of the
/// sources. @param points  values of point_data() @param files  of transport_file_parameters()
/// @throws Error(usage) without targets; Error(input) for points of another dimension, and for weights that are not one
/// number per point; as the readers. Collective.
template <class T>
[[nodiscard]] TransportData<T> read_transport_data(const Execution& execution, const Values& points,
                                                   const Values& files);

/// Computes the plan of the data. Collective.
template <class T>
[[nodiscard]] Transported<T> transport(const Execution& execution, const TransportData<T>& data,
                                       const TransportChoice& choice, const RunResources& budget);

/// Writes the plan, and reports the findings. Collective.
template <class T>
[[nodiscard]] TaskReport save_plan(const Execution& execution, const OutputPath& path, const TransportData<T>& data,
                                   Transported<T> found, const TransportChoice& choice,
                                   const std::map<std::string, std::string>& provenance);

}  // namespace cairn

// A transport between files: what is read, and what is written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cairn/run/transport/transport_report.hpp"

namespace cairn {

/// Which files beside that of the sources: target.path, target.format, target.dataset, weights, target.weights, map.
[[nodiscard]] const std::vector<Parameter>& transport_file_parameters();

/// Those of transport_parameters(), then these.
[[nodiscard]] const std::vector<Parameter>& transport_options();

/// The points of a transport, and their weights (of this rank's rows; empty: all are equal).
template <class T>
struct TransportData {
  Data<T> source, target;
  std::optional<Data<T>> unseen;  ///< that are mapped beside
  std::vector<double> source_weights, target_weights;
  std::string source_weights_file, target_weights_file;  ///< empty: none
  std::uint64_t digest = 0;                              ///< of all points and weights that the plan depends on
};

/// Reads the sources as `points` says and the other files likewise, in the same columns; they are scaled as the sources
/// were. @param points  values of point_data() @param files  of transport_file_parameters()
/// @throws Error(usage) without targets; Error(input) for points of another dimension, and for weights that are not one
/// number a point; as the readers. Collective.
template <class T>
[[nodiscard]] TransportData<T> read_transport_data(const Execution& execution, const Values& points,
                                                   const Values& files);

/// Computes the plan of the data. Collective.
template <class T>
[[nodiscard]] Transported<T> transport(const Execution& execution, const TransportData<T>& data,
                                       const TransportChoice& choice, const RunRoom& room);

/// Writes the plan, and says what was found. Collective.
template <class T>
[[nodiscard]] TaskReport save_plan(const Execution& execution, const OutputPath& path, const TransportData<T>& data,
                                   Transported<T> found, const TransportChoice& choice,
                                   const std::map<std::string, std::string>& provenance);

}  // namespace cairn

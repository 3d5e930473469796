// Files of transport plans. docs/file-format.md describes the format; only this folder knows it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

inline constexpr int transport_format_version = 1;

/// Content of a plan's file besides the points.
struct TransportDescription {
  std::string kernel;    ///< kernel used for the plan
  std::string cost;      ///< squared-euclidean, ...
  double epsilon = 0.0;  ///< in units of the cost
  Index columns = 0;     ///< columns of the kernel's factors; 0: exact
  Index iterations = 0;
  bool converged = false;
  Scaling scaling{};                      ///< scaling from the points as read to those of the plan
  std::map<std::string, double> metrics;  ///< cost, dual, violation_source, ...
  std::vector<std::string> notes, warnings;
  std::map<std::string, std::string> provenance;
  std::vector<PhaseSummary> phases;
};

/// One side, as each rank has it, in the order of the ranks. Nothing is copied.
template <class T>
struct TransportSide {
  std::span<const T> points;           ///< row-major, distinct
  std::span<const double> weights;     ///< their sum over all ranks is 1
  std::span<const double> potentials;  ///< P_ij = a_i b_j exp((f_i + g_j - D_ij) / epsilon)
  std::span<const Index> groups;       ///< point number of each of this rank's rows as read; -1: none
};

template <class T>
struct TransportTables {
  Index dimension = 0;
  TransportSide<T> source, target;
  std::span<const double> barycentres;       ///< one per source point, row-major
  const RowBlock<double>* mapped = nullptr;  ///< additional points that were mapped, or null
};

/// Description of a plan's file, without the points.
struct StoredTransport {
  int format_version = 0;
  Index source_points = 0, target_points = 0;  ///< distinct points
  Index source_rows = 0, target_rows = 0;      ///< rows as read
  Index mapped = 0;
  Index dimension = 0;
  TransportDescription description;
};

/// Writes the file: complete under `path`, or not at all. @throws Error(resource) if the disk is full or fails,
/// Error(usage) as check_writable does. Collective.
template <class T>
void write_transport(const Execution& execution, const OutputPath& path, const TransportTables<T>& tables,
                     const TransportDescription& description);

/// True if the HDF5 file is marked as a plan. @throws Error(input) if it cannot be opened. Collective.
[[nodiscard]] bool is_transport(const Communicator& communicator, const std::string& path);

/// @throws Error(input) if the file is missing, has another format or a newer version, or its parts do not agree.
/// Collective.
[[nodiscard]] StoredTransport read_transport_description(const Communicator& communicator, const std::string& path);

}  // namespace cairn

// Files of plans of transport. docs/file-format.md describes what this folder alone knows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

inline constexpr int transport_format_version = 1;

/// What a plan's file says beside the points.
struct TransportDescription {
  std::string kernel;    ///< that it was computed with
  std::string cost;      ///< squared-euclidean, ...
  double epsilon = 0.0;  ///< in units of the cost
  Index columns = 0;     ///< of the kernel's factors; 0: exact
  Index iterations = 0;
  bool converged = false;
  Scaling scaling{};                      ///< by which points that were read became those of the plan
  std::map<std::string, double> figures;  ///< cost, dual, violation_source, ...
  std::vector<std::string> notes, warnings;
  std::map<std::string, std::string> provenance;
  std::vector<PhaseSummary> phases;
};

/// One side as each rank has it, the ranks one after another. Nothing is copied.
template <class T>
struct TransportSide {
  std::span<const T> points;           ///< row-major, different from each other
  std::span<const double> weights;     ///< they sum to 1 over all ranks
  std::span<const double> potentials;  ///< P_ij = a_i b_j exp((f_i + g_j - D_ij) / epsilon)
  std::span<const Index> groups;       ///< of this rank's rows as they were read: the number of the point; -1: none
};

template <class T>
struct TransportTables {
  Index dimension = 0;
  TransportSide<T> source, target;
  std::span<const double> barycentres;       ///< of source points, row-major
  const RowBlock<double>* mapped = nullptr;  ///< points that were mapped beside, or null
};

/// What a reader learns of it without the points.
struct StoredTransport {
  int format_version = 0;
  Index source_points = 0, target_points = 0;  ///< different ones
  Index source_rows = 0, target_rows = 0;      ///< that were read
  Index mapped = 0;
  Index dimension = 0;
  TransportDescription description;
};

/// Complete under `path`, or not there. @throws Error(resource) if the disk is full or fails, Error(usage) as
/// check_writable does. Collective.
template <class T>
void write_transport(const Execution& execution, const OutputPath& path, const TransportTables<T>& tables,
                     const TransportDescription& description);

/// Whether the HDF5 file says that it is a plan. @throws Error(input) if it cannot be opened. Collective.
[[nodiscard]] bool is_transport(const Communicator& communicator, const std::string& path);

/// @throws Error(input) if the file is missing, of another format or a newer version, or its parts do not agree.
/// Collective.
[[nodiscard]] StoredTransport read_transport_description(const Communicator& communicator, const std::string& path);

}  // namespace cairn

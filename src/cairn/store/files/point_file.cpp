#include "cairn/store/files/point_file.hpp"

#include "cairn/store/hdf5/table_file.hpp"

namespace cairn {

template <class T>
void write_points(const Execution& execution, const OutputPath& path, const PointSet<T>& points,
                  const std::vector<std::string>& names) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  std::vector<SharedTable> tables{factor_table(communicator, "points", points.coordinates())};
  if (auto labels = label_table(communicator, "labels", points.partition(), points.labels())) {
    tables.push_back(std::move(*labels));
  }
  const RowPartition columns(points.dimension(), communicator.size());
  std::vector<std::string> own;
  if (!names.empty()) {
    const Range range = columns.range(communicator.rank());
    own.assign(names.begin() + range.begin, names.begin() + range.end);
  }
  if (auto table = label_table(communicator, "columns", columns, own)) tables.push_back(std::move(*table));
  phase.count_bytes(write_table_file(communicator, path, tables));
}

template void write_points(const Execution&, const OutputPath&, const PointSet<float>&,
                           const std::vector<std::string>&);
template void write_points(const Execution&, const OutputPath&, const PointSet<double>&,
                           const std::vector<std::string>&);

}  // namespace cairn

#include "store/point_file.hpp"

#include "store/table_file.hpp"

namespace cairn {

template <class T>
void write_points(const Execution& execution, const std::string& path, const PointSet<T>& points) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  std::vector<SharedTable> tables{factor_table(communicator, "points", points.coordinates())};
  if (auto labels = label_table(communicator, "labels", points.partition(), points.labels())) {
    tables.push_back(std::move(*labels));
  }
  phase.count_bytes(write_table_file(communicator, path, tables));
}

template void write_points(const Execution&, const std::string&, const PointSet<float>&);
template void write_points(const Execution&, const std::string&, const PointSet<double>&);

}  // namespace cairn

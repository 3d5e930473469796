#include "store/point_file.hpp"

#include "base/collective_guard.hpp"
#include "store/atomic_file.hpp"
#include "store/shared_table.hpp"

namespace cairn {

template <class T>
void write_points(const Execution& execution, const std::string& path, const PointSet<T>& points) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  std::vector<SharedTable> tables{factor_table(communicator, "points", points.coordinates())};
  if (auto labels = label_table(communicator, "labels", points.partition(), points.labels())) {
    tables.push_back(std::move(*labels));
  }
  AtomicFile target(communicator, path);
  Index bytes = Index{1} << 12;  // of HDF5's own
  for (const SharedTable& table : tables) bytes += table.bytes();
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    hdf5::Handle file = hdf5::create_file(target.partial_path());
    create_tables(file, tables);
    hdf5::close_file(std::move(file));
  });
  target.reserve();
  phase.count_bytes(write_tables(communicator, target.partial_path(), tables));
  target.commit();
}

template void write_points(const Execution&, const std::string&, const PointSet<float>&);
template void write_points(const Execution&, const std::string&, const PointSet<double>&);

}  // namespace cairn

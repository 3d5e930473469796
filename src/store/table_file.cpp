#include "store/table_file.hpp"

#include <utility>

#include "base/collective_guard.hpp"
#include "store/atomic_file.hpp"

namespace cairn {

Index write_table_file(const Communicator& communicator, const std::string& path,
                       const std::vector<SharedTable>& tables) {
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
  const Index written = write_tables(communicator, target.partial_path(), tables);
  target.commit();
  return written;
}

}  // namespace cairn

#include "cairn/store/hdf5/table_file.hpp"

#include <algorithm>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"

namespace cairn {

Index write_table_file(const Communicator& communicator, const OutputPath& path,
                       const std::vector<SharedTable>& tables) {
  AtomicFile target(communicator, path);
  Index bytes = Index{1} << 12;  // of HDF5's own structures
  for (const SharedTable& table : tables) bytes += table.bytes();
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    hdf5::Handle file = hdf5::create_file(target.partial_path());
    hdf5::write_attribute(file, "format", std::string("cairn-table"));  // marks the file as cairn's
    create_tables(file, tables, Checksums::none);
    hdf5::close_file(std::move(file));
  });
  target.reserve();
  const Index written = write_tables(communicator, target.partial_path(), tables, Checksums::none);
  target.commit();
  return written;
}

std::vector<StoredTable> read_table_list(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    std::vector<StoredTable> tables;
    const hdf5::InputFile file(path, "the command that wrote it");
    const std::vector<std::string> names = file.children("/");
    const bool alone = std::none_of(names.begin(), names.end(), [&](const auto& name) { return file.is_group(name); });
    if (file.has_attribute("/", "format_version") || !alone) return tables;
    for (const std::string& name : names) tables.push_back({name, file.table(name)});
    return tables;
  });
}

}  // namespace cairn

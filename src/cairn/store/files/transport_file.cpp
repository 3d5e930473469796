#include "cairn/store/files/transport_file.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/seal_file.hpp"
#include "cairn/store/hdf5/shared_table.hpp"
#include "cairn/store/result/description.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

constexpr const char* format = "cairn-transport";

constexpr Index moved_version = 2;  // of points whose mean was subtracted although their scaling is none

Index version_of(const TransportDescription& description) {
  return description.scaling.kind == "none" && !description.scaling.shift.empty() ? moved_version
                                                                                  : Index{transport_format_version};
}

// Writes everything but the rows that all ranks write. Rank 0 only.
void lay_out(const std::string& path, const TransportDescription& description, Index dimension,
             const std::vector<SharedTable>& tables) {
  Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(format));
  hdf5::write_attribute(file, "format_version", version_of(description));
  hdf5::write_attribute(file, "kernel", description.kernel);
  hdf5::write_attribute(file, "cost", description.cost);
  hdf5::write_attribute(file, "epsilon", description.epsilon);
  hdf5::write_attribute(file, "columns", description.columns);
  hdf5::write_attribute(file, "iterations", description.iterations);
  hdf5::write_attribute(file, "dimension", dimension);
  hdf5::write_flag(file, "converged", description.converged);
  hdf5::write_texts(file, "notes", description.notes);
  hdf5::write_texts(file, "warnings", description.warnings);
  {
    const Handle report = hdf5::create_group(file, "report");
    write_metrics(report, description.metrics);
  }
  write_scaling(file, description.scaling);
  write_provenance(file, description.provenance, description.phases);
  for (const char* side : {"source", "target"}) static_cast<void>(hdf5::create_group(file, side));
  create_tables(file, tables);
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

template <class T>
void add_side(const Communicator& communicator, const std::string& name, Index dimension, const TransportSide<T>& side,
              std::vector<SharedTable>& tables) {
  tables.push_back(consecutive_rows(communicator, name + "/points", dimension, side.points));
  tables.push_back(consecutive_rows(communicator, name + "/weights", -1, side.weights));
  tables.push_back(consecutive_rows(communicator, name + "/potentials", -1, side.potentials));
  tables.push_back(consecutive_rows(communicator, name + "/groups", -1, side.groups));
}

InputFile open_transport(const std::string& path) {
  InputFile file(path);
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != format) {
    throw Error(ErrorKind::input, fmt::format("{} is an HDF5 file, but no plan of transport of cairn", path));
  }
  const Index version = file.index_attribute("/", "format_version");
  if (version > moved_version) {
    throw Error(ErrorKind::input, fmt::format("{} has format version {}; this program reads up to version {}: use a "
                                              "newer Cairn",
                                              path, version, moved_version));
  }
  if (version < 1) file.refuse(fmt::format("its format version is {}", version));
  return file;
}

// Number of rows of a table with these columns (-1: a list).
Index rows_of(const InputFile& file, const std::string& name, Index columns, Index rows = -1) {
  const hdf5::TableShape shape = file.table(name);
  if (shape.columns != columns || (rows >= 0 && shape.rows != rows)) {
    file.refuse(fmt::format("/{} is {} x {}, which does not fit the other tables", name, shape.rows, shape.columns));
  }
  return shape.rows;
}

StoredTransport checked_transport(const InputFile& file) {
  StoredTransport stored;
  stored.format_version = static_cast<int>(file.index_attribute("/", "format_version"));
  stored.dimension = file.index_attribute("/", "dimension");
  TransportDescription& description = stored.description;
  description.kernel = file.text_attribute("/", "kernel");
  description.cost = file.text_attribute("/", "cost");
  description.epsilon = file.number_attribute("/", "epsilon");
  description.columns = file.index_attribute("/", "columns");
  description.iterations = file.index_attribute("/", "iterations");
  description.converged = file.flag_attribute("/", "converged");
  if (file.has("scaling")) description.scaling = read_scaling(file, stored.dimension);
  description.notes = file.texts("notes");
  description.warnings = file.texts("warnings");
  description.metrics = read_metrics(file);
  read_provenance(file, description.provenance, description.phases);
  const auto side = [&](const std::string& name, Index& points, Index& rows) {
    points = rows_of(file, name + "/points", stored.dimension);
    rows_of(file, name + "/weights", -1, points);
    rows_of(file, name + "/potentials", -1, points);
    rows = rows_of(file, name + "/groups", -1);
  };
  side("source", stored.source_points, stored.source_rows);
  side("target", stored.target_points, stored.target_rows);
  rows_of(file, "source/barycentres", stored.dimension, stored.source_points);
  if (file.has("mapped")) stored.mapped = rows_of(file, "mapped", stored.dimension);
  return stored;
}

}  // namespace

template <class T>
void write_transport(const Execution& execution, const OutputPath& path, const TransportTables<T>& tables,
                     const TransportDescription& description) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  std::vector<SharedTable> all;
  add_side(communicator, "source", tables.dimension, tables.source, all);
  add_side(communicator, "target", tables.dimension, tables.target, all);
  all.push_back(consecutive_rows(communicator, "source/barycentres", tables.dimension, tables.barycentres));
  if (tables.mapped != nullptr) all.push_back(factor_table(communicator, "mapped", *tables.mapped));
  ResultDescription small;  // small parts that are the same as in a result
  small.scaling_shift = description.scaling.shift;
  small.provenance = description.provenance;
  small.phases = description.phases;
  MethodReport remarks;
  remarks.notes = description.notes;
  remarks.warnings = description.warnings;
  Index bytes = description_bytes(small, remarks) + static_cast<Index>(description.metrics.size() * sizeof(double));
  for (const SharedTable& shared : all) bytes += shared.bytes();

  AtomicFile target(communicator, path);
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), description, tables.dimension, all);
  });
  target.reserve();
  phase.count_bytes(write_tables(communicator, target.partial_path(), all));
  target.commit();
}

bool is_transport(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] {
    const InputFile file(path);
    return file.has_attribute("/", "format") && file.text_attribute("/", "format") == format;
  });
}

StoredTransport read_transport_description(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return checked_transport(open_transport(path)); });
}

template void write_transport(const Execution&, const OutputPath&, const TransportTables<float>&,
                              const TransportDescription&);
template void write_transport(const Execution&, const OutputPath&, const TransportTables<double>&,
                              const TransportDescription&);

}  // namespace cairn

#include "cairn/store/files/process_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/model_origin.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/seal_file.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

constexpr hdf5::ElementType number{hdf5::ElementType::Kind::float64};

/// Numbers of a process, and the lists that store them.
struct Member {
  const char* name;
  double StoredProcess::*value;
  bool positive;
};
constexpr Member members[] = {
    {"mean", &StoredProcess::mean, false},    {"scale", &StoredProcess::scale, true},
    {"sigma", &StoredProcess::sigma, true},   {"noise", &StoredProcess::noise, true},
    {"length", &StoredProcess::length, true}, {"log_marginal_likelihood", &StoredProcess::log_likelihood, false},
};

void write_processes(const Handle& file, const std::vector<StoredProcess>& processes) {
  const Handle group = hdf5::create_group(file, "processes");
  std::vector<std::string> targets;
  for (const StoredProcess& process : processes) targets.push_back(process.target);
  hdf5::write_texts(group, "target", targets);
  for (const Member& member : members) {
    std::vector<double> values;
    for (const StoredProcess& process : processes) values.push_back(process.*member.value);
    hdf5::write_numbers(group, member.name, std::span<const double>(values));
  }
}

std::vector<StoredProcess> read_processes(const InputFile& file) {
  std::vector<StoredProcess> processes;
  for (std::string& target : file.texts("processes/target")) processes.push_back({.target = std::move(target)});
  if (processes.empty()) file.refuse("it has no targets");
  for (const Member& member : members) {
    const std::string name = fmt::format("processes/{}", member.name);
    const std::vector<double> values = file.numbers(name);
    if (values.size() != processes.size()) file.refuse("the lists in /processes have different lengths");
    for (std::size_t p = 0; p < values.size(); ++p) {
      const bool sound = std::isfinite(values[p]) && (values[p] > 0.0 || !member.positive);
      if (!sound) file.refuse(fmt::format("/{} holds {}", name, values[p]));
      processes[p].*member.value = values[p];
    }
  }
  return processes;
}

void write_table(const Handle& file, const char* name, Index rows, Index columns, const std::vector<double>& values) {
  const Handle table = hdf5::create_table(file, name, number, rows, columns);
  hdf5::write_rows(table, number, {0, rows}, values.data());
}

// @param columns  required number of columns; -1: any
std::vector<double> read_table(const InputFile& file, const std::string& name, Index rows, Index& columns) {
  const hdf5::TableShape shape = file.table(name);
  if (shape.type != number || shape.rows != rows || shape.columns < 0 || (columns >= 0 && shape.columns != columns)) {
    file.refuse(fmt::format("/{} is not one row of float64 for each of its {} training rows", name, rows));
  }
  columns = shape.columns;
  std::vector<double> values(shape.rows * shape.columns);
  file.read_rows(name, shape, {0, shape.rows}, values.data());
  for (const double value : values) {
    if (!std::isfinite(value)) file.refuse(fmt::format("/{} holds {}", name, value));
  }
  return values;
}

void lay_out(const std::string& path, const ProcessFile& process) {
  Handle file = hdf5::create_file(path);
  write_origin(file, process, 1);
  hdf5::write_numbers(file, "rows", std::span<const Index>(process.rows));
  {
    const Index rows = process.training_rows();
    write_table(file, "features", rows, process.columns, process.features);
    write_table(file, "training_targets", rows, static_cast<Index>(process.processes.size()), process.values);
    write_processes(file, process.processes);
  }
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

Index bytes_of(const ProcessFile& process) {
  constexpr Index headers = Index{1} << 17, a_text = 512;
  const std::size_t numbers = process.features.size() + process.values.size() + process.rows.size() +
                              std::size(members) * process.processes.size();
  Index bytes = headers + static_cast<Index>(numbers * sizeof(double));
  for (const StoredProcess& one : process.processes) bytes += a_text + static_cast<Index>(one.target.size());
  return bytes + origin_bytes(process);
}

}  // namespace

void write_process(const Execution& execution, const OutputPath& path, const ProcessFile& process) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  AtomicFile target(communicator, path);
  target.require_space(bytes_of(process));
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), process);
  });
  target.commit();
}

ProcessFile read_process(const Communicator& communicator, const std::string& path) {
  ProcessFile process;
  process.task = read_model_task(communicator, path);
  return collectively(communicator, [&] {
    const InputFile file(path, "cairn train");
    hdf5::note_missing_checksums(communicator, file);
    if (!file.has("processes")) {
      file.refuse(fmt::format("its task is '{}', which has no Gaussian processes", process.task));
    }
    process.processes = read_processes(file);
    process.rows = file.indices("rows");
    if (process.rows.size() < 2) file.refuse("it has fewer than two training rows");
    const Index rows = process.training_rows();
    if (file.index_attribute("/", "training_rows") != rows) file.refuse("/rows is not one number a training row");
    process.columns = -1;
    process.features = read_table(file, "features", rows, process.columns);
    auto targets = static_cast<Index>(process.processes.size());
    process.values = read_table(file, "training_targets", rows, targets);
    read_origin(file, process);
    return process;
  });
}

}  // namespace cairn

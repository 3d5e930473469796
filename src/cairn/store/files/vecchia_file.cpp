#include "cairn/store/files/vecchia_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/model_origin.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/known_points.hpp"
#include "cairn/store/hdf5/seal_file.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

constexpr hdf5::ElementType number{hdf5::ElementType::Kind::float64};
constexpr const char* group_name = "vecchia";

std::string in(const char* name) { return fmt::format("{}/{}", group_name, name); }

/// Numbers of a process, and the lists that store them.
struct Number {
  const char* name;
  double StoredVecchiaProcess::*value;
  bool positive;
};
constexpr Number numbers_of_process[] = {
    {"mean", &StoredVecchiaProcess::mean, false},
    {"scale", &StoredVecchiaProcess::scale, true},
    {"sigma", &StoredVecchiaProcess::sigma, true},
    {"noise", &StoredVecchiaProcess::noise, true},
    {"log_marginal_likelihood", &StoredVecchiaProcess::log_likelihood, false},
};

void write_all(const Handle& group, const char* name, Index rows, Index columns, const double* values) {
  const Handle table = hdf5::create_table(group, name, number, rows, columns);
  hdf5::write_rows(table, number, {0, rows}, values);
}

void write_processes(const Handle& group, const VecchiaFile& process) {
  const auto count = static_cast<Index>(process.processes.size());
  std::vector<std::string> targets;
  std::vector<double> lengths, coefficients;
  for (const StoredVecchiaProcess& one : process.processes) {
    targets.push_back(one.target);
    lengths.insert(lengths.end(), one.lengths.begin(), one.lengths.end());
    coefficients.insert(coefficients.end(), one.coefficients.begin(), one.coefficients.end());
  }
  hdf5::write_texts(group, "target", targets);
  for (const Number& member : numbers_of_process) {
    std::vector<double> values;
    for (const StoredVecchiaProcess& one : process.processes) values.push_back(one.*member.value);
    hdf5::write_numbers(group, member.name, std::span<const double>(values));
  }
  write_all(group, "lengths", count, std::ssize(process.processes.front().lengths), lengths.data());
  write_all(group, "coefficients", count, std::ssize(process.processes.front().coefficients), coefficients.data());
}

void lay_out(const std::string& path, const VecchiaFile& process) {
  Handle file = hdf5::create_file(path);
  write_origin(file, process, vecchia_format_version);
  {
    const Handle group = hdf5::create_group(file, group_name);
    hdf5::write_attribute(group, "smoothness", process.smoothness);
    hdf5::write_attribute(group, "neighbors", process.neighbors);
    if (process.points) hdf5::write_attribute(group, "precision", process.precision);
    hdf5::write_numbers(group, "center", std::span<const double>(process.center));
    hdf5::write_numbers(group, "unit", std::span<const double>(process.unit));
    write_all(group, "rows", process.training_rows(), process.columns, process.rows.values().data());
    const Handle targets =
        hdf5::create_table(group, "targets", number, std::ssize(process.targets), process.training_rows());
    for (Index t = 0; t < std::ssize(process.targets); ++t) {
      hdf5::write_rows(targets, number, {t, t + 1}, process.targets[t].values().data());
    }
    write_processes(group, process);
  }
  if (process.points) write_known_points(file, *process.points);
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

Index bytes_of(const VecchiaFile& process) {
  constexpr Index headers = Index{1} << 17, a_text = 512, a_number = sizeof(double);
  const Index targets = std::ssize(process.targets), n = process.training_rows();
  Index bytes = headers + a_number * (n * (process.columns + targets) + (3 * targets + 4) * (process.columns + 8));
  for (const StoredVecchiaProcess& one : process.processes) bytes += a_text + std::ssize(one.target);
  return bytes + origin_bytes(process);
}

void require_finite(const InputFile& file, const std::string& name, std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) file.refuse(fmt::format("/{} holds {}", name, value));
  }
}

std::vector<double> read_table(const InputFile& file, const char* name, Index rows, Index& columns) {
  const hdf5::TableShape shape = file.table(in(name));
  if (shape.type != number || shape.rows != rows || shape.columns < 1) {
    file.refuse(fmt::format("/{} is not one row of float64 for each of its {} targets", in(name), rows));
  }
  columns = shape.columns;
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  file.read_rows(in(name), shape, {0, rows}, values.data());
  require_finite(file, in(name), values);
  return values;
}

void read_processes(const InputFile& file, VecchiaFile& process) {
  for (std::string& target : file.texts(in("target"))) process.processes.push_back({.target = std::move(target)});
  const Index count = std::ssize(process.processes);
  if (count == 0) file.refuse("it has no targets");
  for (const Number& member : numbers_of_process) {
    const std::vector<double> values = file.numbers(in(member.name));
    if (std::ssize(values) != count) file.refuse(fmt::format("the lists in /{} have different lengths", group_name));
    for (std::size_t p = 0; p < values.size(); ++p) {
      const bool sound = std::isfinite(values[p]) && (values[p] > 0.0 || !member.positive);
      if (!sound) file.refuse(fmt::format("/{} holds {}", in(member.name), values[p]));
      process.processes[p].*member.value = values[p];
    }
  }
  Index lengths = 0, coefficients = 0;
  const std::vector<double> all_lengths = read_table(file, "lengths", count, lengths),
                            all_coefficients = read_table(file, "coefficients", count, coefficients);
  if ((lengths != 1 && lengths != process.columns) || (coefficients != 1 && coefficients != process.columns + 1)) {
    file.refuse(
        fmt::format("/{} or /{} does not belong to {} columns", in("lengths"), in("coefficients"), process.columns));
  }
  for (Index p = 0; p < count; ++p) {
    StoredVecchiaProcess& one = process.processes[p];
    one.lengths.assign(all_lengths.begin() + p * lengths, all_lengths.begin() + (p + 1) * lengths);
    one.coefficients.assign(all_coefficients.begin() + p * coefficients,
                            all_coefficients.begin() + (p + 1) * coefficients);
    for (const double length : one.lengths) {
      if (!(length > 0.0)) file.refuse(fmt::format("/{} holds {}", in("lengths"), length));
    }
  }
}

// All but the rows and their targets.
VecchiaFile read_small_parts(const Communicator& communicator, const InputFile& file, const std::string& task,
                             Index& training_rows) {
  hdf5::note_missing_checksums(communicator, file);
  if (!file.has(group_name)) file.refuse(fmt::format("its task is '{}', without Vecchia's likelihood", task));
  VecchiaFile process;
  process.task = task;
  process.smoothness = file.text_attribute(group_name, "smoothness");
  process.neighbors = file.index_attribute(group_name, "neighbors");
  if (process.neighbors < 1) file.refuse("its number of neighbors is not positive");
  const hdf5::TableShape rows = file.table(in("rows")), targets = file.table(in("targets"));
  training_rows = file.index_attribute("/", "training_rows");
  if (rows.type != number || targets.type != number || rows.rows != training_rows || rows.columns < 1 ||
      targets.columns != training_rows || training_rows < 2) {
    file.refuse(fmt::format("/{} and /{} are not those of {} training rows", in("rows"), in("targets"), training_rows));
  }
  process.columns = rows.columns;
  process.center = file.numbers(in("center"));
  process.unit = file.numbers(in("unit"));
  if (std::ssize(process.center) != process.columns || std::ssize(process.unit) != process.columns) {
    file.refuse(fmt::format("/{} is not one number for each of {} columns", in("center"), process.columns));
  }
  require_finite(file, in("center"), process.center);
  for (const double unit : process.unit) {
    if (!std::isfinite(unit) || !(unit > 0.0)) file.refuse(fmt::format("/{} holds {}", in("unit"), unit));
  }
  read_processes(file, process);
  if (targets.rows != std::ssize(process.processes)) {
    file.refuse(fmt::format("/{} has {} rows for {} targets", in("targets"), targets.rows, process.processes.size()));
  }
  if (file.has("points")) {
    process.points = read_known_points(file, process.columns);
    process.precision = file.text_attribute(group_name, "precision");
  }
  read_origin(file, process);
  return process;
}

}  // namespace

bool is_vecchia_file(const Communicator& communicator, const std::string& path) {
  static_cast<void>(read_model_task(communicator, path));
  return collectively(communicator, [&] { return InputFile(path, "cairn train").has(group_name); });
}

void write_vecchia(const Execution& execution, const OutputPath& path, const VecchiaFile& process) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  AtomicFile target(communicator, path);
  target.require_space(bytes_of(process));
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), process);
  });
  target.commit();
}

VecchiaFile read_vecchia_description(const Communicator& communicator, const std::string& path, Index& training_rows) {
  const std::string task = read_model_task(communicator, path);
  return collectively(communicator, [&] {
    return read_small_parts(communicator, InputFile(path, "cairn train"), task, training_rows);
  });
}

VecchiaFile read_vecchia(const Communicator& communicator, const std::string& path) {
  Index rows = 0;
  VecchiaFile process = read_vecchia_description(communicator, path, rows);
  process.rows = NodeArray<double>(communicator, rows * process.columns);
  for (std::size_t t = 0; t < process.processes.size(); ++t) process.targets.emplace_back(communicator, rows);
  collectively(communicator, [&] {
    if (!process.rows.node().is_root()) return;
    const InputFile file(path, "cairn train");
    file.read_rows(in("rows"), file.table(in("rows")), {0, rows}, process.rows.writable().data());
    require_finite(file, in("rows"), process.rows.values());
    for (Index t = 0; t < std::ssize(process.targets); ++t) {
      file.read_rows(in("targets"), file.table(in("targets")), {t, t + 1}, process.targets[t].writable().data());
      require_finite(file, in("targets"), process.targets[t].values());
    }
  });
  process.rows.publish();
  for (const NodeArray<double>& target : process.targets) target.publish();
  return process;
}

}  // namespace cairn

#include "cairn/task/regression/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/missing_value.hpp"
#include "cairn/data/points/column_option.hpp"
#include "cairn/data/text_homes.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

Targets by_key(const Communicator& communicator, const std::string& path, const PointSet<double>& table,
               std::span<const std::string> labels) {
  RowKeys keys(communicator, path, table.labels(), table.range().begin);
  const std::vector<Index> rows = keys.find(labels);
  Targets targets;
  std::vector<Index> wanted;
  for (const Index row : rows) {
    targets.known.push_back(row >= 0 ? 1 : 0);
    if (row >= 0) wanted.push_back(row);
  }
  const Buffer<double> values = fetch_rows(communicator, table.coordinates(), std::span<const Index>(wanted));
  const double* next = values.data();
  for (const Index row : rows) {
    targets.values.insert(targets.values.end(), static_cast<std::size_t>(table.dimension()), 0.0);
    if (row < 0) continue;
    std::copy_n(next, table.dimension(), targets.values.end() - table.dimension());
    next += table.dimension();
  }
  targets.superfluous = keys.unused();
  if (targets.superfluous == table.size()) {
    throw Error(ErrorKind::input, fmt::format("{}: no row of the result has one of its keys as label", path));
  }
  return targets;
}

// Treats rows with a missing value as rows without values. Collective.
void forget_missing(const Communicator& communicator, Targets& targets) {
  const auto width = static_cast<std::size_t>(targets.count());
  for (std::size_t i = 0; i < targets.known.size(); ++i) {
    const auto row = std::span(targets.values).subspan(i * width, width);
    if (targets.known[i] == 0 || std::ranges::none_of(row, [](double value) { return std::isnan(value); })) continue;
    std::ranges::fill(row, 0.0);
    targets.known[i] = 0;
    ++targets.missing;
  }
  targets.missing = communicator.sum(targets.missing);
}

}  // namespace

std::vector<std::string> Targets::notes(const std::string& path) const {
  std::vector<std::string> notes;
  if (superfluous > 0)
    notes.push_back(fmt::format("{} rows of {} have a key that no row has", grouped(superfluous), path));
  if (order == LineOrder::other_values) {
    notes.push_back(
        fmt::format("the first column of {} holds what the rows are called, in another order: it is learned "
                    "as a target, and lines are taken in the order of the rows; a key finds rows by name",
                    path));
  }
  if (missing > 0) {
    notes.push_back(fmt::format("{}: they are neither trained on nor scored",
                                path.empty() ? fmt::format("{} rows have no label", grouped(missing))
                                             : fmt::format("{} rows of {} have no value", grouped(missing), path)));
  }
  for (const std::string& name : coordinates) {
    notes.push_back(fmt::format(
        "{} is a coordinate of the objects, too: the model is shown what it is to predict, and its scores mean "
        "nothing. Approximate with that column as the label, or without it",
        name));
  }
  return notes;
}

Targets read_targets(const Communicator& communicator, const ColumnSource& asked, const RowPartition& partition,
                     std::span<const std::string> labels) {
  const Range own = partition.range(communicator.rank());
  const bool labelled = communicator.maximum(static_cast<Index>(labels.size())) > 0;
  ColumnSource source = asked;
  source.missing = true;
  if (!source.key.empty() && !labelled) {
    throw Error(ErrorKind::usage, fmt::format("the rows have no labels that the column {} of {} could be compared with",
                                              source.key, source.path));
  }
  const ColumnTable columns = read_columns(communicator, source);
  const PointSet<double>& table = columns.rows;
  Targets targets;
  if (!source.key.empty()) {
    targets = by_key(communicator, source.path, table, labels);
  } else {
    if (table.size() != partition.rows()) {
      throw Error(
          ErrorKind::input,
          fmt::format("{} has values for {} rows, and there are {}{}", source.path, table.size(), partition.rows(),
                      labelled ? "; a column with the names of rows tells which is which (targets-key)" : ""));
    }
    const MatrixView<const double> rows = table.coordinates().local();
    targets.values.assign(rows.data, rows.data + rows.rows * rows.columns);
    targets.known.assign(own.size(), 1);
    targets.order = line_order(communicator, source, columns, own, labels);
  }
  targets.names = columns.names;
  forget_missing(communicator, targets);
  return targets;
}

Targets targets_of_labels(const Communicator& communicator, const std::string& path, const RowPartition& partition,
                          std::span<const std::string> labels, const KeyNames& keys) {
  Index missing = 0;
  Targets all = collectively(communicator, [&] {
    Targets targets{.names = {label_target}, .values = {}, .known = {}, .superfluous = 0, .missing = 0};
    const Index first = partition.range(communicator.rank()).begin;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string& label = labels[i];
      if (is_missing(label)) {
        targets.values.push_back(0.0);
        targets.known.push_back(0);
        ++missing;
        continue;
      }
      double value = NAN;
      const auto [end, code] = std::from_chars(label.data(), label.data() + label.size(), value);
      if (code != std::errc{} || end != label.data() + label.size() || !std::isfinite(value)) {
        throw Error(ErrorKind::input,
                    fmt::format("{}: the label '{}' of row {} is no finite number; give {} FILE, or train a classifier",
                                path, label.substr(0, 40), first + static_cast<Index>(i), keys("targets")));
      }
      targets.values.push_back(value);
      targets.known.push_back(1);
    }
    return targets;
  });
  all.missing = communicator.sum(missing);
  return all;
}

template <class T>
Targets targets_of(const Communicator& communicator, const Values& values, const KeyNames& data,
                   const std::string& path, const StoredResult<T>& result) {
  const RowPartition& partition = result.approximation.left.partition();
  if (values.given("targets")) {
    ColumnSource source = column_source(values.text("targets"), data);
    source.key = values.text("targets-key");
    Targets targets = read_targets(communicator, source, partition, result.names());
    if (targets.order == LineOrder::other) {
      throw Error(
          ErrorKind::input,
          fmt::format("{}: its first column holds what the rows of {} are called, in another order; lines would "
                      "be taken in the order of the rows. {}",
                      source.path, path,
                      result.names().empty() ? "Sort its lines" : "Give " + values.keys()("targets-key") + " 1"));
    }
    if (const auto& columns = result.description.columns) {
      std::ranges::copy_if(targets.names, std::back_inserter(targets.coordinates), [&](const std::string& name) {
        return std::ranges::find(columns->names, name) != columns->names.end();
      });
    }
    return targets;
  }
  if (communicator.maximum(static_cast<Index>(result.labels.size())) > 0) {
    return targets_of_labels(communicator, path, partition, result.labels, values.keys());
  }
  throw Error(ErrorKind::usage, fmt::format("{} has no labels to learn; give {} FILE", path, values.keys()("targets")));
}

template Targets targets_of(const Communicator&, const Values&, const KeyNames&, const std::string&,
                            const StoredResult<float>&);
template Targets targets_of(const Communicator&, const Values&, const KeyNames&, const std::string&,
                            const StoredResult<double>&);

}  // namespace cairn

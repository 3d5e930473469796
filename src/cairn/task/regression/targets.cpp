#include "cairn/task/regression/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/points/column_option.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Texts for every rank, a 0 after each.
using Messages = std::vector<std::vector<char>>;

// Each text to the rank that its hash says: equal texts meet there. `order` lists what went to which rank.
Messages sort_by_home(const Communicator& communicator, std::span<const std::string> texts,
                      std::vector<std::vector<Index>>& order) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  Messages send(ranks);
  order.assign(ranks, {});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t home = hash_bytes(std::as_bytes(std::span(texts[i])), 1) % ranks;
    send[home].insert(send[home].end(), texts[i].begin(), texts[i].end());
    send[home].push_back('\0');
    order[home].push_back(static_cast<Index>(i));
  }
  return send;
}

template <class Function>
void for_each_text(const std::vector<char>& message, Function f) {
  for (std::size_t begin = 0; begin < message.size();) {
    const std::string_view text(message.data() + begin);
    f(text);
    begin += text.size() + 1;
  }
}

// Rows of a table, by their keys, at the homes of the keys.
struct KeyedRows {
  std::unordered_map<std::string, Index> rows;
  std::unordered_map<std::string, bool> used;
};

KeyedRows keyed_rows(const Communicator& communicator, const std::string& path, std::span<const std::string> keys,
                     Index first_row) {
  std::vector<std::vector<Index>> order;
  const auto received = communicator.exchange(sort_by_home(communicator, keys, order));
  for (auto& list : order) {
    for (Index& row : list) row += first_row;
  }
  const auto numbers = communicator.exchange(order);
  return collectively(communicator, [&] {
    KeyedRows keyed;
    for (std::size_t r = 0; r < received.size(); ++r) {
      std::size_t next = 0;
      for_each_text(received[r], [&](std::string_view key) {
        if (keyed.rows.emplace(key, numbers[r][next++]).second) return;
        throw Error(ErrorKind::input, fmt::format("{}: the key '{}' is a duplicate", path, key.substr(0, 40)));
      });
    }
    return keyed;
  });
}

// For each own label the row of the table with that key, or -1.
std::vector<Index> matches(const Communicator& communicator, KeyedRows& keyed, std::span<const std::string> labels) {
  std::vector<std::vector<Index>> order;
  const auto asked = communicator.exchange(sort_by_home(communicator, labels, order));
  std::vector<std::vector<Index>> answers(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r) {
    for_each_text(asked[r], [&](std::string_view label) {
      const auto found = keyed.rows.find(std::string(label));
      answers[r].push_back(found == keyed.rows.end() ? -1 : found->second);
      if (found != keyed.rows.end()) keyed.used[found->first] = true;
    });
  }
  const auto returned = communicator.exchange(answers);
  std::vector<Index> rows(labels.size(), -1);
  for (std::size_t r = 0; r < order.size(); ++r) {
    for (std::size_t k = 0; k < order[r].size(); ++k) rows[static_cast<std::size_t>(order[r][k])] = returned[r][k];
  }
  return rows;
}

Targets by_key(const Communicator& communicator, const std::string& path, const PointSet<double>& table,
               std::span<const std::string> labels) {
  KeyedRows keyed = keyed_rows(communicator, path, table.labels(), table.range().begin);
  const std::vector<Index> rows = matches(communicator, keyed, labels);
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
  targets.superfluous = communicator.sum(static_cast<Index>(keyed.rows.size() - keyed.used.size()));
  if (targets.superfluous == table.size()) {
    throw Error(ErrorKind::input, fmt::format("{}: no row of the result has one of its keys as label", path));
  }
  return targets;
}

// Rows of which a value is missing have none. Collective.
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
  if (missing > 0) {
    notes.push_back(
        fmt::format("{} rows of {} have no value: they are neither trained on nor scored", grouped(missing), path));
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
      throw Error(ErrorKind::input, fmt::format("{} has values for {} rows, and there are {}", source.path,
                                                table.size(), partition.rows()));
    }
    const MatrixView<const double> rows = table.coordinates().local();
    targets.values.assign(rows.data, rows.data + rows.rows * rows.columns);
    targets.known.assign(static_cast<std::size_t>(own.size()), 1);
  }
  targets.names = columns.names;
  forget_missing(communicator, targets);
  return targets;
}

Targets targets_of_labels(const Communicator& communicator, const std::string& path, const RowPartition& partition,
                          std::span<const std::string> labels, const KeyNames& keys) {
  return collectively(communicator, [&] {
    Targets targets{.names = {label_target}, .values = {}, .known = {}, .superfluous = 0, .missing = 0};
    const Index first = partition.range(communicator.rank()).begin;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string& label = labels[i];
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
}

template <class T>
Targets targets_of(const Communicator& communicator, const Values& values, const KeyNames& data,
                   const std::string& path, const StoredResult<T>& result) {
  const RowPartition& partition = result.approximation.left.partition();
  if (values.given("targets")) {
    ColumnSource source = column_source(values.text("targets"), data);
    source.key = values.text("targets-key");
    Targets targets = read_targets(communicator, source, partition, result.names());
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

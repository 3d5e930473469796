#include "cairn/data/pairs/pair_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/pairs/pair_formats.hpp"
#include "cairn/data/trees/label_vectors.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Reads the features of the pairs from a separate table, whose rows belong to the same ranks. Collective.
void read_feature_table(const Communicator& communicator, const PairSource& source, ParsedPairs& parsed) {
  const auto table = read_point_table<double>(
      communicator, {.path = source.feature_path, .keys = source.keys.with("path", source.keys("feature-path"))});
  if (table.points.size() != parsed.partition.rows()) {
    throw Error(ErrorKind::input, fmt::format("{}: has {} rows, and there are {} pairs", source.feature_path,
                                              table.points.size(), parsed.partition.rows()));
  }
  collectively(communicator, [&] {
    const auto values = table.points.coordinates().local();
    for (Index j = 0; j < values.columns; ++j) parsed.form.features.push_back(fmt::format("column {}", j + 1));
    parsed.records.width = values.columns;
    for (Index a = 0; a < values.rows; ++a) {
      const double* row = values.row(a);
      parsed.records.numbers.insert(parsed.records.numbers.end(), row, row + values.columns);
    }
  });
}

// Sums over the training pairs of all ranks. Collective.
template <class Term>
std::vector<double> training_sums(const Communicator& communicator, const ParsedPairs& parsed, const Term& term) {
  const auto width = static_cast<std::size_t>(parsed.records.width);
  std::vector<double> sums(width + 1, 0.0);  // the last one counts the pairs
  for (std::size_t a = 0; a < static_cast<std::size_t>(parsed.records.count); ++a) {
    if (!parsed.texts.splits.empty() && parsed.texts.splits[a] != "train") continue;
    for (std::size_t j = 0; j < width; ++j) sums[j] += term(parsed.records.numbers[a * width + j], j);
    sums.back() += 1;
  }
  communicator.sum(std::span(sums));
  for (std::size_t j = 0; j < width; ++j) sums[j] /= sums.back();
  return sums;
}

Scaling training_scaling(const Communicator& communicator, const ParsedPairs& parsed) {
  const auto means = training_sums(communicator, parsed, [](double value, std::size_t) { return value; });
  const auto variances = training_sums(
      communicator, parsed, [&](double value, std::size_t j) { return (value - means[j]) * (value - means[j]); });
  Scaling scaling{.kind = "standard", .shift = {}, .factor = {}};
  for (std::size_t j = 0; j + 1 < means.size(); ++j) {
    const bool constant = variances[j] <= 1e-20 * (1 + means[j] * means[j]);
    scaling.shift.push_back(means[j]);
    scaling.factor.push_back(constant ? 0.0 : 1 / std::sqrt(variances[j]));
  }
  return scaling;
}

template <class T>
std::unique_ptr<ObjectSet> features_of(const Communicator& communicator, const ParsedPairs& parsed,
                                       const Scaling& scaling) {
  RowBlock<T> values(parsed.partition, communicator.rank(), parsed.records.width);
  const auto local = values.local();
  const auto width = static_cast<std::size_t>(parsed.records.width);
  for (std::size_t a = 0; a < static_cast<std::size_t>(local.rows); ++a) {
    T* const row = local.row(static_cast<Index>(a));
    for (std::size_t j = 0; j < width; ++j) {
      row[j] = static_cast<T>((parsed.records.numbers[a * width + j] - scaling.shift[j]) * scaling.factor[j]);
    }
  }
  return std::make_unique<PointSet<T>>(std::move(values), communicator.rank(), std::vector<std::string>());
}

std::vector<PairSet::Trees> sets_of_trees(const Communicator& communicator, ParsedPairs& parsed,
                                          const std::shared_ptr<const TreeLabels>& labels) {
  std::vector<PairSet::Trees> sets;
  const auto set_of = [&](Forest forest) {
    TreeRecords records(1, 0, 0);
    records.forests[0] = std::move(forest);
    records.count = parsed.records.count;
    return std::make_unique<TreeSet>(parsed.partition, communicator.rank(), labels, std::move(records),
                                     std::vector<std::string>());
  };
  auto& forests = parsed.records.forests;
  for (std::size_t k = 0; k + 1 < forests.size(); k += 2) {
    sets.push_back({set_of(std::move(forests[k])), set_of(std::move(forests[k + 1]))});
  }
  return sets;
}

// Requires that the features are those of the result. Local.
void require_known(const PairSource& source, const PairForm& form) {
  if (source.known_features.empty() || source.known_features == form.features) return;
  throw Error(ErrorKind::input, fmt::format("{}: the pairs have {} features, and those of the result had {} others",
                                            source.path, form.features.size(), source.known_features.size()));
}

}  // namespace

void renumber_labels(const std::vector<std::int32_t>& numbers, TreeRecords& records) {
  for (Forest& forest : records.forests) {
    for (TreeNode& node : forest.nodes) node.label = numbers[node.label];
  }
}

std::string pair_format(const PairSource& source) {
  if (!source.format.empty()) return source.format;
  std::string_view name = source.path;
  for (const std::string_view ending : {".gz", ".xz", ".zip"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  if (name.ends_with(".xml")) return "semeval";
  if (name.ends_with(".klp")) return "kelp";
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: semeval, kelp",
                                            source.path, source.keys("format")));
}

void take_form(const PairForm& form, PairSource& source) {
  const std::string format = pair_format(source);
  if (format != form.origin[0]) {
    throw Error(ErrorKind::usage, fmt::format("{}: the pairs have format {}, and those of the result had {}",
                                              source.path, format, form.origin[0]));
  }
  source.subtask = form.origin[1];
  source.relations = form.origin[2] == "true";
  source.features = form.origin[3];
  source.tree.clear();
  if (!form.origin[4].empty()) source.tree = comma_list(form.origin[4]);
  source.known_features = form.features;
  source.known_stop_words = form.stop_words;
}

template <class T>
ReadPairs read_pairs(const Communicator& communicator, const PairSource& source) {
  const std::string format = collectively(communicator, [&] { return pair_format(source); });
  ParsedPairs parsed =
      format == "kelp" ? parse_kelp_pairs(communicator, source) : parse_semeval_pairs(communicator, source);
  parsed.form.origin = {format, source.subtask, source.relations ? "true" : "false", source.features,
                        joined(source.tree, ",")};
  if (!source.feature_path.empty()) read_feature_table(communicator, source, parsed);
  const LabelVectors found = read_label_vectors(communicator, *parsed.labels, source.vectors, source.known.get());
  if (found.vectors != nullptr) collectively(communicator, [&] { parsed.labels->use_vectors(found.vectors); });
  collectively(communicator, [&] {
    require_known(source, parsed.form);
    if (parsed.features) parsed.features(*parsed.labels, parsed.records);
  });
  ReadPairs read;
  read.report.skipped = parsed.skipped;
  read.report.labels = parsed.labels->size();
  read.report.repeated_vectors = found.repeated;
  for (const Forest& forest : parsed.records.forests) read.report.nodes += std::ssize(forest.nodes);
  read.report.nodes = communicator.sum(read.report.nodes);
  std::unique_ptr<ObjectSet> features;
  if (!parsed.form.features.empty()) {
    read.scaling = source.scaling != nullptr ? *source.scaling : training_scaling(communicator, parsed);
    features = collectively(communicator, [&] {
      if (std::ssize(read.scaling.shift) != parsed.records.width) {
        throw Error(ErrorKind::input, fmt::format("{}: the pairs have {} features, and those of the result had {}",
                                                  source.path, parsed.records.width, read.scaling.shift.size()));
      }
      return features_of<T>(communicator, parsed, read.scaling);
    });
  }
  read.pairs = collectively(communicator, [&] {
    auto trees = sets_of_trees(communicator, parsed, parsed.labels);
    return std::make_unique<PairSet>(parsed.partition, communicator.rank(), std::move(parsed.form), std::move(trees),
                                     std::move(features), std::move(parsed.texts));
  });
  return read;
}

template ReadPairs read_pairs<float>(const Communicator&, const PairSource&);
template ReadPairs read_pairs<double>(const Communicator&, const PairSource&);

}  // namespace cairn

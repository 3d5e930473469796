#include "cairn/store/files/classifier_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/hdf5/array_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/known_points.hpp"
#include "cairn/store/hdf5/seal_file.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::InputFile;

constexpr hdf5::ElementType number{hdf5::ElementType::Kind::float64};

void write_scores(const Handle& file, const ClassifierFile& classifier) {
  const Handle group = hdf5::create_group(file, "scores");
  std::vector<std::string> on;
  std::vector<double> accuracy, macro_f1;
  std::vector<Index> confusion;
  for (const StoredClassScore& score : classifier.scores) {
    on.push_back(score.on);
    accuracy.push_back(score.accuracy);
    macro_f1.push_back(score.macro_f1);
    confusion.insert(confusion.end(), score.confusion.begin(), score.confusion.end());
  }
  hdf5::write_texts(group, "on", on);
  hdf5::write_numbers(group, "accuracy", std::span<const double>(accuracy));
  hdf5::write_numbers(group, "macro_f1", std::span<const double>(macro_f1));
  hdf5::write_numbers(group, "confusion", std::span<const Index>(confusion));
}

std::vector<StoredClassScore> read_scores(const InputFile& file, std::size_t labels) {
  const std::vector<std::string> on = file.texts("scores/on");
  const std::vector<double> accuracy = file.numbers("scores/accuracy"), macro_f1 = file.numbers("scores/macro_f1");
  const std::vector<Index> confusion = file.indices("scores/confusion");
  const std::size_t entries = labels * labels;
  if (accuracy.size() != on.size() || macro_f1.size() != on.size() || confusion.size() != on.size() * entries) {
    file.refuse("the lists in /scores have different lengths");
  }
  std::vector<StoredClassScore> scores;
  for (std::size_t s = 0; s < on.size(); ++s) {
    const auto begin = confusion.begin() + static_cast<std::ptrdiff_t>(s * entries);
    scores.push_back({on[s], accuracy[s], macro_f1[s], {begin, begin + static_cast<std::ptrdiff_t>(entries)}});
    for (const Index count : scores.back().confusion) {
      if (count < 0 ||
          count > std::numeric_limits<Index>::max() / static_cast<Index>(std::max<std::size_t>(1, entries))) {
        file.refuse(fmt::format("/scores/confusion holds {}", count));
      }
    }
  }
  return scores;
}

constexpr std::size_t ranking_numbers = 8;

std::array<double, ranking_numbers> numbers_of(const StoredRanking& one) {
  return {one.f1,
          one.accuracy,
          one.by_score.average_precision,
          one.by_score.average_recall,
          one.by_score.reciprocal_rank,
          one.by_order.average_precision,
          one.by_order.average_recall,
          one.by_order.reciprocal_rank};
}

void write_rankings(const Handle& file, const std::vector<StoredRanking>& rankings) {
  if (rankings.empty()) return;
  const Handle group = hdf5::create_group(file, "rankings");
  std::vector<std::string> on;
  std::vector<Index> counts;
  std::vector<double> scores;
  for (const StoredRanking& one : rankings) {
    on.push_back(one.on);
    counts.insert(counts.end(), {one.groups, one.rows});
    const auto numbers = numbers_of(one);
    scores.insert(scores.end(), numbers.begin(), numbers.end());
  }
  hdf5::write_texts(group, "on", on);
  hdf5::write_numbers(group, "counts", std::span<const Index>(counts));
  hdf5::write_numbers(group, "scores", std::span<const double>(scores));
}

std::vector<StoredRanking> read_rankings(const InputFile& file) {
  if (!file.has("rankings")) return {};
  const std::vector<std::string> on = file.texts("rankings/on");
  const std::vector<Index> counts = file.indices("rankings/counts");
  const std::vector<double> scores = file.numbers("rankings/scores");
  if (counts.size() != 2 * on.size() || scores.size() != ranking_numbers * on.size()) {
    file.refuse("the lists in /rankings have different lengths");
  }
  std::vector<StoredRanking> rankings;
  for (std::size_t r = 0; r < on.size(); ++r) {
    const double* s = scores.data() + r * ranking_numbers;
    rankings.push_back({on[r], counts[2 * r], counts[2 * r + 1], s[0], s[1], {s[2], s[3], s[4]}, {s[5], s[6], s[7]}});
  }
  return rankings;
}

void write_candidates(const Handle& file, const std::vector<StoredCandidate>& candidates) {
  const Handle group = hdf5::create_group(file, "candidates");
  std::vector<std::string> result;
  std::vector<double> cost, accuracy, macro_f1, average_precision;
  for (const StoredCandidate& candidate : candidates) {
    if (candidate.average_precision) average_precision.push_back(*candidate.average_precision);
    result.push_back(candidate.result);
    cost.push_back(candidate.cost);
    accuracy.push_back(candidate.accuracy);
    macro_f1.push_back(candidate.macro_f1);
  }
  hdf5::write_texts(group, "result", result);
  hdf5::write_numbers(group, "cost", std::span<const double>(cost));
  hdf5::write_numbers(group, "accuracy", std::span<const double>(accuracy));
  hdf5::write_numbers(group, "macro_f1", std::span<const double>(macro_f1));
  if (!average_precision.empty()) hdf5::write_numbers(group, "map", std::span<const double>(average_precision));
}

std::vector<StoredCandidate> read_candidates(const InputFile& file) {
  const std::vector<std::string> result = file.texts("candidates/result");
  const std::vector<double> cost = file.numbers("candidates/cost");
  const std::vector<double> accuracy = file.numbers("candidates/accuracy");
  const std::vector<double> macro_f1 = file.numbers("candidates/macro_f1");
  const bool ranked = file.has("candidates/map");
  const std::vector<double> average_precision = ranked ? file.numbers("candidates/map") : cost;
  if (cost.size() != result.size() || accuracy.size() != result.size() || macro_f1.size() != result.size() ||
      average_precision.size() != result.size()) {
    file.refuse("the lists in /candidates have different lengths");
  }
  std::vector<StoredCandidate> candidates;
  for (std::size_t c = 0; c < result.size(); ++c) {
    candidates.push_back({result[c], cost[c], accuracy[c], macro_f1[c]});
    if (ranked) candidates.back().average_precision = average_precision[c];
  }
  return candidates;
}

Index planes_of(const ClassifierFile& classifier) {
  const auto classes = static_cast<Index>(classifier.classes.size());
  return classifier.pairs ? classes * (classes - 1) / 2 : classes;
}

int version_of(const ClassifierFile& classifier) {
  const Scaling* scaling = classifier.features ? &classifier.points->scaling : nullptr;
  if (scaling != nullptr && scaling->kind == "none" && !scaling->shift.empty()) return shifted_format_version;
  if (classifier.features) return 3;
  return classifier.pairs ? 2 : 1;
}

void write_features(const Handle& file, const ClassifierFile& classifier) {
  const Handle features = hdf5::create_group(file, "features");
  hdf5::write_attribute(features, "kind", classifier.features->kind());
  hdf5::write_attribute(features, "precision", classifier.precision);
  ArrayFileWriter arrays(features, "");
  classifier.features->write(arrays);
  write_known_points(file, *classifier.points);
}

// Reads the feature map, if the classifier takes points.
void read_features(const InputFile& file, ClassifierFile& classifier) {
  if (!file.has("features")) return;
  classifier.features = read_feature_map(file.text_attribute("features", "kind"), ArrayFileReader(file, "features"));
  if (classifier.features->columns() != classifier.columns) {
    file.refuse(fmt::format("/features makes {} features, and /coefficients has {} rows",
                            classifier.features->columns(), classifier.columns));
  }
  classifier.precision = file.text_attribute("features", "precision");
  const Index dimension = classifier.features->dimension();
  classifier.points = read_known_points(file, dimension);
}

void write_neighbors(const Handle& file, const StoredNeighbors& neighbors, Index columns) {
  const Handle group = hdf5::create_group(file, "neighbors");
  hdf5::write_attribute(group, "k", neighbors.k);
  hdf5::write_attribute(group, "weights", std::string(neighbors.by_distance ? "distance" : "equal"));
  hdf5::write_attribute(group, "columns", columns);
  const std::vector<Index> classes(neighbors.classes.begin(), neighbors.classes.end());
  hdf5::write_numbers(group, "rows", std::span<const Index>(neighbors.rows));
  hdf5::write_numbers(group, "classes", std::span<const Index>(classes));
}

void read_neighbors(const InputFile& file, ClassifierFile& classifier) {
  StoredNeighbors neighbors;
  neighbors.k = file.index_attribute("neighbors", "k");
  neighbors.by_distance = file.text_attribute("neighbors", "weights") == "distance";
  classifier.columns = file.index_attribute("neighbors", "columns");
  neighbors.rows = file.indices("neighbors/rows");
  const std::vector<Index> classes = file.indices("neighbors/classes");
  if (neighbors.k < 1 || neighbors.rows.empty() || neighbors.rows.front() < 0 ||
      classes.size() != neighbors.rows.size()) {
    file.refuse("/neighbors does not hold rows with a class each");
  }
  if (std::ranges::adjacent_find(neighbors.rows, std::greater_equal<>()) != neighbors.rows.end()) {
    file.refuse("/neighbors/rows do not ascend");
  }
  for (const Index its : classes) {
    if (its < 0 || its >= std::ssize(classifier.classes)) file.refuse(fmt::format("/neighbors/classes holds {}", its));
    neighbors.classes.push_back(static_cast<std::int32_t>(its));
  }
  classifier.neighbors = std::move(neighbors);
}

void lay_out(const std::string& path, const ClassifierFile& classifier) {
  Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string("cairn-model"));
  hdf5::write_attribute(file, "format_version", Index{version_of(classifier)});
  if (classifier.pairs) hdf5::write_attribute(file, "multiclass", std::string("one-vs-one"));
  hdf5::write_attribute(file, "task", classifier.task);
  hdf5::write_attribute(file, "training_rows", classifier.training_rows);
  hdf5::write_attribute(file, "folds", classifier.folds);
  hdf5::write_attribute(file, "basis_digest", classifier.basis_digest);
  for (const auto& [name, text] :
       {std::pair("result", &classifier.result), std::pair("method", &classifier.method),
        std::pair("similarity", &classifier.similarity), std::pair("loss", &classifier.loss)}) {
    hdf5::write_attribute(file, name, *text);
  }
  hdf5::write_attribute(file, "cost", classifier.cost);
  hdf5::write_attribute(file, "bias", classifier.bias);
  if (!classifier.positive.empty()) hdf5::write_attribute(file, "positive", classifier.positive);
  if (classifier.passes > 0) hdf5::write_attribute(file, "passes", classifier.passes);
  if (classifier.balanced) hdf5::write_attribute(file, "class_weights", std::string("balanced"));
  hdf5::write_texts(file, "classes", classifier.classes);
  hdf5::write_texts(file, "labels", classifier.labels);
  hdf5::write_texts(file, "warnings", classifier.warnings);
  std::vector<std::string> names, values;
  for (const auto& [name, value] : classifier.similarity_parameters) names.push_back(name), values.push_back(value);
  hdf5::write_texts(file, "names", names);
  hdf5::write_texts(file, "values", values);
  if (classifier.neighbors) {
    write_neighbors(file, *classifier.neighbors, classifier.columns);
  } else {
    hdf5::write_numbers(file, "intercepts", std::span<const double>(classifier.intercepts));
  }
  {
    if (!classifier.neighbors) {
      const Handle table = hdf5::create_table(file, "coefficients", number, classifier.columns, planes_of(classifier));
      hdf5::write_rows(table, number, {0, classifier.columns}, classifier.coefficients.data());
    }
    write_candidates(file, classifier.candidates);
    write_scores(file, classifier);
    write_rankings(file, classifier.rankings);
    if (classifier.features) write_features(file, classifier);
    const Handle provenance = hdf5::create_group(file, "provenance");
    for (const auto& [name, text] : classifier.provenance) hdf5::write_text(provenance, name, text);
  }
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

Index bytes_of(const ClassifierFile& classifier) {
  constexpr Index headers = Index{1} << 16, a_text = 512;
  auto numbers = static_cast<Index>(classifier.coefficients.size() + classifier.intercepts.size());
  if (classifier.neighbors) numbers += 2 * std::ssize(classifier.neighbors->rows);
  for (const StoredClassScore& score : classifier.scores) numbers += static_cast<Index>(score.confusion.size()) + 2;
  numbers += static_cast<Index>(classifier.rankings.size() * (ranking_numbers + 2));
  Index bytes = headers + numbers * static_cast<Index>(sizeof(double));
  if (classifier.features) {
    ArrayBytes arrays;
    classifier.features->write(arrays);
    bytes += arrays.bytes() + static_cast<Index>(2 * sizeof(double)) * classifier.features->dimension();
  }
  for (const StoredCandidate& candidate : classifier.candidates) {
    bytes += a_text + static_cast<Index>(candidate.result.size());
  }
  for (const std::string& label : classifier.labels) bytes += 2 * static_cast<Index>(64 + label.size());
  for (const auto& [name, text] : classifier.provenance) bytes += a_text + static_cast<Index>(text.size());
  return bytes;
}

void read_coefficients(const InputFile& file, ClassifierFile& classifier) {
  const hdf5::TableShape shape = file.table("coefficients");
  classifier.pairs = file.has_attribute("/", "multiclass") && file.text_attribute("/", "multiclass") == "one-vs-one";
  const Index planes = planes_of(classifier);
  if (shape.columns != planes || shape.type != number) {
    file.refuse(fmt::format("/coefficients is not one float64 a {} and a column of a factor",
                            classifier.pairs ? "pair of classes" : "class"));
  }
  classifier.columns = shape.rows;
  classifier.coefficients.resize(shape.rows * shape.columns);
  file.read_rows("coefficients", shape, {0, shape.rows}, classifier.coefficients.data());
  classifier.intercepts = file.numbers("intercepts");
  if (static_cast<Index>(classifier.intercepts.size()) != planes) {
    file.refuse(fmt::format("/intercepts is not one number a {}", classifier.pairs ? "pair of classes" : "class"));
  }
  for (const auto* values : {&classifier.coefficients, &classifier.intercepts}) {
    for (const double value : *values) {
      if (!std::isfinite(value)) file.refuse(fmt::format("a coefficient is {}", value));
    }
  }
}

void read_names(const InputFile& file, ClassifierFile& classifier) {
  classifier.classes = file.texts("classes");
  classifier.labels = file.texts("labels");
  constexpr std::size_t most_labels = 1'000'000;  // their square is a number of entries
  if (classifier.classes.size() < 2) file.refuse("it has fewer than two classes");
  if (classifier.labels.size() > most_labels) file.refuse("it has too many labels");
  if (classifier.labels.size() < classifier.classes.size() ||
      !std::equal(classifier.classes.begin(), classifier.classes.end(), classifier.labels.begin())) {
    file.refuse("/labels does not begin with /classes");
  }
  std::vector<std::string> sorted = classifier.labels;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) file.refuse("a label is a duplicate");
  const std::vector<std::string> names = file.texts("names"), values = file.texts("values");
  if (names.size() != values.size()) file.refuse("/values is not as long as /names");
  for (std::size_t i = 0; i < names.size(); ++i) classifier.similarity_parameters.emplace_back(names[i], values[i]);
}

}  // namespace

Index StoredClassScore::rows() const { return std::accumulate(confusion.begin(), confusion.end(), Index{0}); }

void write_classifier(const Execution& execution, const OutputPath& path, const ClassifierFile& classifier) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  AtomicFile target(communicator, path);
  target.require_space(bytes_of(classifier));
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), classifier);
  });
  target.commit();
}

ClassifierFile read_classifier(const Communicator& communicator, const std::string& path) {
  ClassifierFile classifier;
  classifier.task = read_model_task(communicator, path);
  return collectively(communicator, [&] {
    const InputFile file(path, "cairn train");
    hdf5::note_missing_checksums(communicator, file);
    if (!file.has("classes")) file.refuse(fmt::format("its task is '{}', which has no classes", classifier.task));
    read_names(file, classifier);
    if (file.has("neighbors")) {
      read_neighbors(file, classifier);
    } else {
      read_coefficients(file, classifier);
      read_features(file, classifier);
    }
    classifier.training_rows = file.index_attribute("/", "training_rows");
    classifier.folds = file.index_attribute("/", "folds");
    classifier.basis_digest = file.unsigned_attribute("/", "basis_digest");
    classifier.result = file.text_attribute("/", "result");
    classifier.method = file.text_attribute("/", "method");
    classifier.similarity = file.text_attribute("/", "similarity");
    classifier.loss = file.text_attribute("/", "loss");
    classifier.cost = file.number_attribute("/", "cost");
    classifier.bias = file.number_attribute("/", "bias");
    if (file.has_attribute("/", "positive")) classifier.positive = file.text_attribute("/", "positive");
    if (file.has_attribute("/", "passes")) classifier.passes = file.index_attribute("/", "passes");
    classifier.balanced = file.has_attribute("/", "class_weights");
    classifier.warnings = file.texts("warnings");
    classifier.candidates = read_candidates(file);
    classifier.scores = read_scores(file, classifier.labels.size());
    classifier.rankings = read_rankings(file);
    for (const std::string& name : file.children("provenance")) {
      classifier.provenance[name] = file.text("provenance/" + name);
    }
    return classifier;
  });
}

}  // namespace cairn

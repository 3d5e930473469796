// Everything that files of Cairn hold, as bytes, to tell whether two readings are the same.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/process_file.hpp"
#include "sample_result.hpp"

namespace cairn::test {

// Everything that was read, as bytes: what is the same is equal.
class Answer {
 public:
  template <class T>
  void add(const T* values, Index count) {
    bytes_.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T));
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.data(), std::ssize(values));
  }
  void add(const std::string& text) { bytes_ += fmt::format("{}:{};", text.size(), text); }
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text);
  }
  template <class T>
  void number(T value) {
    add(&value, 1);
  }
  void add(const std::vector<std::pair<std::string, std::string>>& pairs) {
    for (const auto& [name, value] : pairs) add(name), add(value);
  }
  void add(const std::map<std::string, std::string>& pairs) {
    for (const auto& [name, value] : pairs) add(name), add(value);
  }
  void add(const std::map<std::string, double>& pairs) {
    for (const auto& [name, value] : pairs) add(name), number(value);
  }
  void add(const RowBlock<double>& block) { add(block.local().data, block.range().size() * block.columns()); }
  void add(const BlockCyclicMatrix& matrix) {
    add(to_row_block<double>(matrix, RowPartition(matrix.rows(), world().size())));
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline void add_origin(Answer& answer, const std::optional<FactorOrigin>& origin) {
  if (!origin) return;
  answer.add(origin->indices);
  if (const auto* points = dynamic_cast<const PointBlock<double>*>(origin->objects.get())) {
    answer.add(points->coordinates.data, points->coordinates.rows * points->coordinates.columns);
  }
  if (const auto* documents = dynamic_cast<const DocumentBlock*>(origin->objects.get())) {
    for (const std::string_view text : documents->texts) answer.add(std::string(text));
    for (std::size_t e = 0; e < documents->words.size(); ++e) {
      answer.add(std::string(documents->vectors->word(documents->words[e])));
      answer.number(documents->counts[e]);
      answer.add(documents->vectors->vectors().row(documents->words[e]), documents->vectors->dimension());
    }
  }
  if (origin->map) answer.add(*origin->map);
}

inline void add_description(Answer& answer, const ResultDescription& description, const MethodReport& report) {
  answer.add(std::vector<std::string>{description.similarity, description.landmark_selection, description.precision,
                                      description.scaling, description.object_kind, report.method});
  answer.add(description.similarity_parameters);
  answer.add(description.provenance);
  answer.add(description.metrics);
  answer.add(description.scaling_shift);
  answer.add(description.scaling_factor);
  for (const Index value : {description.landmark_population, description.evaluations, description.dimension, report.s1,
                            report.s2, report.rank, report.dropped_eigenvalues, report.negative_eigenvalues}) {
    answer.number(value);
  }
  answer.number(description.data_digest);
  if (description.error) answer.number(description.error->relative_error);
  for (const PhaseSummary& phase : description.phases) answer.add(phase.name), answer.number(phase.seconds);
  if (description.tokenization) answer.add(description.tokenization->stop_words);
  for (const double value : {report.shift, report.rescale}) answer.number(value);
  answer.add(report.spectrum);
  answer.add(report.warnings);
  answer.add(report.notes);
}

inline std::string answer_of_result(const std::string& path) {
  Answer answer;
  const StoredResult<double> stored = read_result<double>(world(), path);
  const Approximation<double>& approximation = stored.approximation;
  if (approximation.left.is_sparse()) {
    const SparseRows<double>& left = approximation.left.sparse();
    answer.add(left.starts().data(), std::ssize(left.starts()));
    answer.add(left.indices().data(), std::ssize(left.indices()));
    answer.add(left.values().data(), std::ssize(left.values()));
  } else {
    answer.add(approximation.left.dense());
  }
  if (approximation.right) answer.add(approximation.right->dense());
  if (const auto* dense = std::get_if<DenseCore>(&approximation.core_matrix)) answer.add(dense->matrix);
  if (const auto* diagonal = std::get_if<DiagonalCore>(&approximation.core_matrix)) answer.add(diagonal->values);
  if (const auto* tiles = std::get_if<TiledCore>(&approximation.core_matrix)) {
    for (Index tile = world().rank(); tile < tiles->matrix.tiles(); tile += world().size()) {
      const TileValues values = tiles->matrix.read(tile);
      answer.add(values.bytes().data(), std::ssize(values.bytes()));
    }
  }
  for (const bool flag : {approximation.symmetric, approximation.symmetrize}) answer.number(flag);
  answer.number(approximation.meaning);
  answer.number(approximation.transform);
  add_origin(answer, approximation.left_origin);
  add_origin(answer, approximation.right_origin);
  add_description(answer, stored.description, approximation.report);
  answer.add(stored.labels);
  answer.add(stored.splits);
  return answer.bytes();
}

inline std::string answer_of_model(const std::string& path) {
  Answer answer;
  const ModelFile model = read_model(world(), path);
  answer.add(model.targets);
  answer.add(model.provenance);
  answer.number(model.training_rows);
  for (const StoredModel& one : model.models) {
    answer.add(one.coefficients);
    answer.add(one.intercepts);
    answer.add(one.lambdas);
    answer.add(one.warnings);
    answer.add(one.similarity_parameters);
    answer.add(std::vector<std::string>{one.result, one.method, one.similarity});
    answer.number(one.basis_digest);
    for (const double value : {one.lambda, one.smallest_eigenvalue, one.largest_eigenvalue, one.condition}) {
      answer.number(value);
    }
    for (const StoredScore& score : one.scores) {
      answer.add(score.target + score.on);
      answer.number(score.rows);
      answer.number(score.root_mean_squared_error);
    }
  }
  return answer.bytes();
}

inline std::string answer_of_classifier(const std::string& path) {
  Answer answer;
  const ClassifierFile classifier = read_classifier(world(), path);
  answer.add(classifier.classes);
  answer.add(classifier.labels);
  answer.add(classifier.warnings);
  answer.add(classifier.provenance);
  answer.add(classifier.similarity_parameters);
  answer.add(classifier.coefficients);
  answer.add(classifier.intercepts);
  answer.add(std::vector<std::string>{classifier.result, classifier.method, classifier.similarity, classifier.loss});
  for (const double value : {classifier.cost, classifier.bias}) answer.number(value);
  answer.number(classifier.basis_digest);
  answer.number(classifier.training_rows);
  answer.number(classifier.folds);
  for (const StoredCandidate& candidate : classifier.candidates) {
    answer.add(candidate.result);
    for (const double value : {candidate.cost, candidate.accuracy, candidate.macro_f1}) answer.number(value);
  }
  for (const StoredClassScore& score : classifier.scores) answer.add(score.on), answer.add(score.confusion);
  return answer.bytes();
}

inline std::string answer_of_process(const std::string& path) {
  Answer answer;
  const ProcessFile process = read_process(world(), path);
  answer.add(process.rows);
  answer.add(process.features);
  answer.add(process.values);
  answer.add(process.warnings);
  answer.add(process.provenance);
  answer.add(process.similarity_parameters);
  answer.add(std::vector<std::string>{process.result, process.method, process.similarity});
  answer.number(process.basis_digest);
  for (const StoredProcess& one : process.processes) {
    answer.add(one.target);
    for (const double value : {one.mean, one.scale, one.sigma, one.noise, one.length, one.log_likelihood}) {
      answer.number(value);
    }
  }
  for (const StoredIntervalScore& one : process.scores) {
    answer.add(one.score.target + one.score.on);
    for (const double value : {one.score.mean_absolute_error, one.coverage, one.mean_width}) answer.number(value);
  }
  return answer.bytes();
}

// As `cairn info` reads it, and as points.
inline std::string answer_of_embedding(const std::string& path) {
  Answer answer;
  const StoredEmbedding stored = read_embedding_description(world(), path);
  const EmbeddingDescription& description = stored.description;
  answer.add(std::vector<std::string>{description.method, description.object_kind});
  answer.number(description.data_digest);
  answer.add(description.eigenvalues);
  answer.add(description.residuals);
  answer.add(description.metrics);
  answer.add(description.provenance);
  for (const PhaseSummary& phase : description.phases) answer.add(phase.name), answer.number(phase.seconds);
  const PointSet<double> points = read_points<double>(world(), {.path = path});
  answer.add(points.coordinates());
  answer.add(points.labels());
  return answer.bytes();
}

}  // namespace cairn::test

// What the files of Gaussian processes say of their training beside the processes. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// Writes the mark of a model of this format version, task, number of training rows, result and its similarity,
/// warnings, scores and provenance. Local.
template <class Model>
void write_origin(const hdf5::Handle& file, const Model& model, Index version) {
  hdf5::write_attribute(file, "format", std::string("cairn-model"));
  hdf5::write_attribute(file, "format_version", version);
  hdf5::write_attribute(file, "task", model.task);
  hdf5::write_attribute(file, "training_rows", model.training_rows());
  hdf5::write_attribute(file, "basis_digest", model.basis_digest);
  hdf5::write_attribute(file, "result", model.result);
  hdf5::write_attribute(file, "method", model.method);
  hdf5::write_attribute(file, "similarity", model.similarity);
  hdf5::write_texts(file, "warnings", model.warnings);
  std::vector<std::string> names, values;
  for (const auto& [name, value] : model.similarity_parameters) names.push_back(name), values.push_back(value);
  hdf5::write_texts(file, "names", names);
  hdf5::write_texts(file, "values", values);
  write_interval_scores(file, model.scores);
  const hdf5::Handle provenance = hdf5::create_group(file, "provenance");
  for (const auto& [name, text] : model.provenance) hdf5::write_text(provenance, name, text);
}

/// Reads what write_origin() wrote, but for task and number of rows. @throws Error(input) if it is unsound. Local.
template <class Model>
void read_origin(const hdf5::InputFile& file, Model& model) {
  model.basis_digest = file.unsigned_attribute("/", "basis_digest");
  model.result = file.text_attribute("/", "result");
  model.method = file.text_attribute("/", "method");
  model.similarity = file.text_attribute("/", "similarity");
  model.warnings = file.texts("warnings");
  const std::vector<std::string> names = file.texts("names"), values = file.texts("values");
  if (names.size() != values.size()) file.refuse("/values is not as long as /names");
  for (std::size_t i = 0; i < names.size(); ++i) model.similarity_parameters.emplace_back(names[i], values[i]);
  model.scores = read_interval_scores(file, "scores");
  for (const std::string& name : file.children("provenance")) {
    model.provenance[name] = file.text("provenance/" + name);
  }
}

/// Bytes of warnings, scores and provenance, at most. Local.
template <class Model>
[[nodiscard]] Index origin_bytes(const Model& model) {
  constexpr Index a_text = 512, numbers_of_scores = 10, a_number = sizeof(double);
  Index bytes = a_number * numbers_of_scores * std::ssize(model.scores);
  for (const StoredIntervalScore& one : model.scores) bytes += a_text + std::ssize(one.score.target);
  for (const std::string& warning : model.warnings) bytes += a_text + std::ssize(warning);
  for (const auto& [name, text] : model.provenance) bytes += a_text + std::ssize(text);
  return bytes;
}

}  // namespace cairn

// HDF5 files of trained models. docs/file-format.md describes what this folder alone knows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// 2: classifiers by pairs of classes; 3: classifiers with features of their own; 4: regressions with intercepts; 5:
/// the classifiers of 3 whose points are moved, though their scaling is none; others are written as 1.
inline constexpr int intercepts_format_version = 4;
inline constexpr int model_format_version = 5;

/// One model of an ensemble: an object's value is its row of L times the coefficients.
struct StoredModel {
  double lambda = 0.0;
  Index columns = 0;                 ///< of L
  std::vector<double> coefficients;  ///< columns x targets, row-major
  std::vector<double> intercepts;    ///< one a target, added to each value; empty: none
  std::uint64_t basis_digest = 0;    ///< of the result that it was trained on
  std::string result;                ///< path of that file, absolute
  std::string method, similarity;
  std::vector<std::pair<std::string, std::string>> similarity_parameters;
  double smallest_eigenvalue = 0.0, largest_eigenvalue = 0.0;  ///< of K~ on the training rows
  double condition = 0.0;                                      ///< of lambda I + K~ there
  std::vector<double> lambdas;                                 ///< that were tried
  std::vector<StoredScore> scores;
  std::vector<std::string> warnings;
};

/// What a model file holds: models whose mean is predicted.
struct ModelFile {
  std::string task;                  ///< krr
  std::vector<std::string> targets;  ///< their names
  Index training_rows = 0;
  std::vector<StoredModel> models;
  std::vector<StoredScore> scores;                ///< of the mean, where there are several models
  std::map<std::string, std::string> provenance;  ///< versions, command line, date, seed, ranks
};

/// Writes the file beside its name, then renames it; rank 0 writes, all learn of a failure.
/// @throws Error(usage) if `path` cannot become a file, Error(resource) if the disk is full. Collective.
void write_model(const Execution& execution, const OutputPath& path, const ModelFile& model);

/// True if the file says that it is a model. @throws Error(input) if it is no HDF5 file. Collective.
[[nodiscard]] bool is_model_file(const Communicator& communicator, const std::string& path);

/// What it was trained for: krr, svm (classifier_file.hpp), gp (process_file.hpp). @throws Error(input) if it is no
/// model, or of a newer version. Collective.
[[nodiscard]] std::string read_model_task(const Communicator& communicator, const std::string& path);

/// On every rank. @throws Error(input) if the file is missing, truncated, no model, of a newer version, or its parts
/// do not agree. Collective.
[[nodiscard]] ModelFile read_model(const Communicator& communicator, const std::string& path);

}  // namespace cairn

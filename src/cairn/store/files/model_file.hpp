// HDF5 files of trained models. docs/file-format.md describes the format; only this folder knows it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// 2: classifiers by pairs of classes; 3: classifiers with features of their own; 4: regressions with intercepts; 5:
/// classifiers as in 3 whose points are shifted although their scaling is none; 6: Gaussian processes by Vecchia's
/// likelihood; all others are written as 1.
inline constexpr int intercepts_format_version = 4;
inline constexpr int shifted_format_version = 5;
inline constexpr int model_format_version = 6;

/// One model of an ensemble: the value of an object is its row of L times the coefficients.
struct StoredModel {
  double lambda = 0.0;
  Index columns = 0;                 ///< columns of L
  std::vector<double> coefficients;  ///< columns x targets, row-major
  std::vector<double> intercepts;    ///< one per target, added to each value; empty: none
  std::uint64_t basis_digest = 0;    ///< digest of the result used for training
  std::string result;                ///< absolute path of that file
  std::string method, similarity;
  std::vector<std::pair<std::string, std::string>> similarity_parameters;
  double smallest_eigenvalue = 0.0, largest_eigenvalue = 0.0;  ///< of K~ on the training rows
  double condition = 0.0;                                      ///< of lambda I + K~ on them
  std::vector<double> lambdas;                                 ///< values that were tried
  std::vector<StoredScore> scores;
  std::vector<std::string> warnings;
};

/// Content of a model file: models whose predictions are averaged.
struct ModelFile {
  std::string task;                  ///< krr
  std::vector<std::string> targets;  ///< names of the targets
  Index training_rows = 0;
  std::vector<StoredModel> models;
  std::vector<StoredScore> scores;                ///< of the mean, if there are several models
  std::map<std::string, std::string> provenance;  ///< versions, command line, date, seed, ranks
};

/// Writes the file beside its name, then renames it. Rank 0 writes; all ranks learn of a failure.
/// @throws Error(usage) if `path` cannot become a file, Error(resource) if the disk is full. Collective.
void write_model(const Execution& execution, const OutputPath& path, const ModelFile& model);

/// True if the file is marked as a model. @throws Error(input) if it is not an HDF5 file. Collective.
[[nodiscard]] bool is_model_file(const Communicator& communicator, const std::string& path);

/// Task of the model: krr, svm (classifier_file.hpp), gp (process_file.hpp). @throws Error(input) if the file is not a
/// model, or has a newer version. Collective.
[[nodiscard]] std::string read_model_task(const Communicator& communicator, const std::string& path);

/// Returns the model on every rank. @throws Error(input) if the file is missing, truncated, not a model, of a newer
/// version, or its parts do not agree. Collective.
[[nodiscard]] ModelFile read_model(const Communicator& communicator, const std::string& path);

}  // namespace cairn

// HDF5 files of trained models. docs/file-format.md describes the format; only this folder knows it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// 2: classifiers by pairs of classes; 3: classifiers with features of their own; 4: regressions with intercepts; 5:
/// classifiers as in 3 whose points are shifted although their scaling is none; 6: Gaussian processes by Vecchia's
/// likelihood; 7: regressions on K itself; all others are written as 1.
inline constexpr int intercepts_format_version = 4;
inline constexpr int shifted_format_version = 5;
inline constexpr int vecchia_format_version = 6;
inline constexpr int centers_format_version = 7;
inline constexpr int model_format_version = 7;

/// Variances of the values of a regression on K itself: with k the similarities of an object x with the centers, the
/// variance of a value to come is scale (K(x, x) - |rootᵀ k|² + lambda).
struct StoredVariances {
  Index rank = 0;
  std::vector<double> root{};                 ///< centers x rank, row-major; to be written, on rank 0 alone
  std::vector<double> scales{};               ///< one per target
  std::vector<double> log_likelihoods{};      ///< of the targets of the training rows, one per target
  std::vector<StoredIntervalScore> scores{};  ///< on rows that were held out
};

/// What a regression on K itself has in place of L: the value of an object x is the sum of K(x, center) times the
/// coefficients of the center.
struct StoredCenters {
  std::string way{};                             ///< name of the way that found the coefficients: full
  std::vector<Index> rows{};                     ///< numbers of the centers in the data of the result, ascending
  std::string precision{};                       ///< in which K is evaluated: single, double
  double residual = 0.0;                         ///< relative, of the solved systems
  Index iterations = 0;                          ///< that it took
  Index preconditioner = 0;                      ///< rank of K~ in the preconditioner; 0: none
  std::optional<KnownPoints> points{};           ///< how points are read, if the objects are points
  std::shared_ptr<const ObjectBlock> objects{};  ///< the centers, in the order of rows, if they are points; to be
                                                 ///< written, on rank 0 alone
  std::optional<StoredVariances> variances{};    ///< if they were asked for
};

/// One model of an ensemble: the value of an object is its row of L times the coefficients.
struct StoredModel {
  double lambda = 0.0;
  Index columns = 0;                 ///< columns of L, or centers
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
  std::string task{};                  ///< krr
  std::vector<std::string> targets{};  ///< names of the targets
  Index training_rows = 0;
  std::vector<StoredModel> models{};
  std::optional<StoredCenters> centers{};           ///< of the only model, if that is on K itself
  std::vector<StoredScore> scores{};                ///< of the mean, if there are several models
  std::map<std::string, std::string> provenance{};  ///< versions, command line, date, seed, ranks
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

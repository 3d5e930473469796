// HDF5 files of Gaussian processes by Vecchia's likelihood, which are models of the same task as those of
// process_file.hpp. docs/file-format.md describes the format; only this folder knows it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// The process of one target.
struct StoredVecchiaProcess {
  std::string target{};
  double mean = 0.0, scale = 1.0;      ///< of the target on the training rows: mean, standard deviation
  double sigma = 1.0, noise = 0.1;     ///< in units of the target
  double log_likelihood = 0.0;         ///< log p of the standardized target, by Vecchia's approximation
  std::vector<double> lengths{};       ///< in units of the features: one for each, or one for all
  std::vector<double> coefficients{};  ///< of the mean, of the standardized target: constant, and of each column of
                                       ///< the standardized features if it is linear
};

/// Content of such a file: the training rows, from which predictions follow. The rows are held once per node.
struct VecchiaFile {
  std::string task{};                             ///< gp
  std::vector<StoredVecchiaProcess> processes{};  ///< one per target
  std::string smoothness{};                       ///< 1/2, 3/2, 5/2, infinite
  Index neighbors = 0;                            ///< training rows that a prediction is conditioned on
  Index columns = 0;                              ///< features
  std::vector<double> center{}, unit{};           ///< of the features, one each
  NodeArray<double> rows{};                       ///< (features - center) / unit: training rows x columns, row-major
  std::vector<NodeArray<double>> targets{};       ///< (target - mean) / scale at the training rows, one list a target
  std::optional<KnownPoints> points{};            ///< how points are read, if features are their coordinates; else
                                                  ///< features are rows of L
  std::string precision{};                        ///< of the points
  std::uint64_t basis_digest = 0;                 ///< digest of the result used for training
  std::string result{};                           ///< absolute path of that file
  std::string method{}, similarity{};
  std::vector<std::pair<std::string, std::string>> similarity_parameters{};
  std::vector<StoredIntervalScore> scores{};
  std::vector<std::string> warnings{};
  std::map<std::string, std::string> provenance{};  ///< versions, command line, date, seed, ranks

  [[nodiscard]] Index training_rows() const { return columns > 0 ? rows.size() / columns : 0; }
  [[nodiscard]] bool one_length() const { return !processes.empty() && processes.front().lengths.size() == 1; }
};

/// True if the model at `path` is such a file. @throws Error(input) as read_model_task. Collective.
[[nodiscard]] bool is_vecchia_file(const Communicator& communicator, const std::string& path);

/// Like write_model. Collective.
void write_vecchia(const Execution& execution, const OutputPath& path, const VecchiaFile& process);

/// Reads all but the training rows and the targets, whose sizes are checked. @throws Error(input) as read_model.
/// Collective.
[[nodiscard]] VecchiaFile read_vecchia_description(const Communicator& communicator, const std::string& path,
                                                   Index& training_rows);
/// Reads all: one rank of each node reads the rows. @throws Error(input) as read_model, Error(resource). Collective.
[[nodiscard]] VecchiaFile read_vecchia(const Communicator& communicator, const std::string& path);

}  // namespace cairn

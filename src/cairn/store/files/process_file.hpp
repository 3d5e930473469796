// HDF5 files of Gaussian processes, which are models of another task. docs/file-format.md describes the format; only
// this folder knows it.
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

/// The process of one target.
struct StoredProcess {
  std::string target;
  double mean = 0.0, scale = 1.0;   ///< of the target on the training rows: mean, standard deviation
  double sigma = 1.0, noise = 0.1;  ///< in units of the target
  double length = 1.0;              ///< in units of the features
  double log_likelihood = 0.0;      ///< log p of the standardized target
};

/// Content of such a file: the training rows, from which predictions follow.
struct ProcessFile {
  std::string task;                      ///< gp
  std::vector<StoredProcess> processes;  ///< one per target
  std::vector<Index> rows;               ///< row numbers of the training rows
  Index columns = 0;                     ///< columns of L
  std::vector<double> features;          ///< rows of L: training rows x columns, row-major
  std::vector<double> values;            ///< training rows x targets, row-major
  std::uint64_t basis_digest = 0;        ///< digest of the result used for training
  std::string result;                    ///< absolute path of that file
  std::string method, similarity;
  std::vector<std::pair<std::string, std::string>> similarity_parameters;
  std::vector<StoredIntervalScore> scores;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> provenance;  ///< versions, command line, date, seed, ranks

  [[nodiscard]] Index training_rows() const { return static_cast<Index>(rows.size()); }
};

/// Like write_model. Collective.
void write_process(const Execution& execution, const OutputPath& path, const ProcessFile& process);

/// Returns the process on every rank. @throws Error(input) as read_model. Collective.
[[nodiscard]] ProcessFile read_process(const Communicator& communicator, const std::string& path);

}  // namespace cairn

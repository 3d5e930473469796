// HDF5 files of trained classifiers, which are models of another task. docs/file-format.md describes the format; only
// this folder knows it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Accuracy of a classifier on some rows.
struct StoredClassScore {
  std::string on;  ///< cross-validation, train, test
  double accuracy = 0.0, macro_f1 = 0.0;
  std::vector<Index> confusion;  ///< labels x labels, row-major: [truth][predicted]

  [[nodiscard]] Index rows() const;
};

/// Ranking quality of a classifier within each group of rows, by the score of one label: means over the groups of the
/// metrics defined in task/classification/ranking.hpp.
struct StoredRanking {
  struct Score {
    double average_precision = 0.0, average_recall = 0.0, reciprocal_rank = 0.0;
  };
  std::string on;  ///< cross-validation, train, test
  Index groups = 0, rows = 0;
  double f1 = 0.0, accuracy = 0.0;  ///< of the label against all others
  Score by_score{}, by_order{};     ///< by the classifier, and in the groups' own order
};

/// A pair of similarity and C, or number of neighbors, that was tried.
struct StoredCandidate {
  std::string result;                         ///< path of the result
  double cost = 0.0;                          ///< C, or the number of neighbors
  double accuracy = 0.0, macro_f1 = 0.0;      ///< by cross-validation
  std::optional<double> average_precision{};  ///< likewise, MAP within groups; if present, the criterion of choice
};

/// Labelled rows of the result, which vote for the classes of others. The objects themselves are in the data.
struct StoredNeighbors {
  Index k = 1;                        ///< neighbors that vote
  bool by_distance = false;           ///< a neighbor counts by its distance
  std::vector<Index> rows;            ///< numbers of rows, ascending
  std::vector<std::int32_t> classes;  ///< of them, positions in `classes` of the file
};

/// Planes: value = row of L, or features of a point, · column + intercept. Either one per class, and the largest value
/// wins; or one per pair of classes in the order (0, 1), (0, 2), ..., (1, 2), ..., where a positive value is a vote for
/// the first class, and most votes win.
struct ClassifierFile {
  std::string task;                              ///< svm, knn
  std::vector<std::string> classes;              ///< trained classes
  std::vector<std::string> labels;               ///< classes, then further labels that occurred in tests
  Index columns = 0;                             ///< columns of L
  std::vector<double> coefficients;              ///< columns x planes, row-major
  std::vector<double> intercepts;                ///< one per plane
  bool pairs = false;                            ///< each plane separates two classes
  std::optional<StoredNeighbors> neighbors{};    ///< of a classifier without planes
  std::shared_ptr<const FeatureMap> features{};  ///< of points; null: it takes rows of a result
  std::optional<KnownPoints> points{};           ///< how points are read, if the classifier takes points
  std::string precision{};                       ///< precision of the features
  std::uint64_t basis_digest = 0;                ///< digest of the result used for training, or of its features
  std::string result;                            ///< absolute path of that result, or of the network that it represents
  std::string method, similarity;
  std::vector<std::pair<std::string, std::string>> similarity_parameters;
  std::string loss;
  std::string positive{};  ///< label whose score ranks the rows of a group; empty: none
  Index passes = 0;        ///< passes of dual coordinate descent; 0: until close to the optimum
  bool balanced = false;   ///< positive rows have a different C
  double cost = 0.0, bias = 0.0;
  Index training_rows = 0, folds = 0;
  std::vector<StoredCandidate> candidates;
  std::vector<StoredClassScore> scores;
  std::vector<StoredRanking> rankings;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> provenance;  ///< versions, command line, date, seed, ranks
};

/// Like write_model. Collective.
void write_classifier(const Execution& execution, const OutputPath& path, const ClassifierFile& classifier);

/// Returns the classifier on every rank. @throws Error(input) as read_model. Collective.
[[nodiscard]] ClassifierFile read_classifier(const Communicator& communicator, const std::string& path);

}  // namespace cairn

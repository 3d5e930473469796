// HDF5 files of trained classifiers: models of another task. docs/file-format.md describes what this folder alone
// knows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/random_features/feature_map.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// How often a classifier is right on some rows.
struct StoredClassScore {
  std::string on;  ///< cross-validation, train, test
  double accuracy = 0.0, macro_f1 = 0.0;
  std::vector<Index> confusion;  ///< labels x labels, row-major: [truth][predicted]

  [[nodiscard]] Index rows() const;
};

/// How well a classifier ranks the rows of each group by the score of one label: means over the groups of what
/// task/classification/ranking.hpp defines.
struct StoredRanking {
  struct Score {
    double average_precision = 0.0, average_recall = 0.0, reciprocal_rank = 0.0;
  };
  std::string on;  ///< cross-validation, train, test
  Index groups = 0, rows = 0;
  double f1 = 0.0, accuracy = 0.0;  ///< of the label against all others
  Score by_score{}, by_order{};     ///< by the classifier, and in the groups' own order
};

/// A similarity and C that were tried.
struct StoredCandidate {
  std::string result;  ///< path of the result
  double cost = 0.0;
  double accuracy = 0.0, macro_f1 = 0.0;      ///< by cross-validation
  std::optional<double> average_precision{};  ///< likewise, MAP within groups: by it, where it is, one is chosen
};

/// Planes: row of L, or features of a point, · column + intercept. One a class, the largest wins; or one for each pair
/// of classes in the order (0, 1), (0, 2), ..., (1, 2), ..., a value above 0 is a vote for the first, and most votes
/// win.
struct ClassifierFile {
  std::string task;                              ///< svm
  std::vector<std::string> classes;              ///< that were trained
  std::vector<std::string> labels;               ///< classes, then others that occurred in tests
  Index columns = 0;                             ///< of L
  std::vector<double> coefficients;              ///< columns x planes, row-major
  std::vector<double> intercepts;                ///< one a plane
  bool pairs = false;                            ///< planes are between two classes
  std::shared_ptr<const FeatureMap> features{};  ///< that it takes of points; null: it takes rows of a result
  std::optional<KnownPoints> points{};           ///< how these are read, if it takes points
  std::string precision{};                       ///< of its features
  std::uint64_t basis_digest = 0;                ///< of the result that it was trained on, or of its features
  std::string result;                            ///< path of that file, or of the network that it stands for, absolute
  std::string method, similarity;
  std::vector<std::pair<std::string, std::string>> similarity_parameters;
  std::string loss;
  std::string positive{};  ///< the label by whose score rows of a group are ranked; empty: none
  Index passes = 0;        ///< of dual coordinate descent; 0: until it is near the optimum
  bool balanced = false;   ///< positive rows have another C
  double cost = 0.0, bias = 0.0;
  Index training_rows = 0, folds = 0;
  std::vector<StoredCandidate> candidates;
  std::vector<StoredClassScore> scores;
  std::vector<StoredRanking> rankings;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> provenance;  ///< versions, command line, date, seed, ranks
};

/// As write_model. Collective.
void write_classifier(const Execution& execution, const OutputPath& path, const ClassifierFile& classifier);

/// On every rank. @throws Error(input) as read_model. Collective.
[[nodiscard]] ClassifierFile read_classifier(const Communicator& communicator, const std::string& path);

}  // namespace cairn

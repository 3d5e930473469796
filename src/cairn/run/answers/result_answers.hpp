// Queries of a result file: entries, rows, nearest objects.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/run/answers/pair_answers.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/files/row_names.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Options for querying a result.
struct AnswerOptions {
  bool approximate = false;   ///< use the factors, whatever else the file has
  bool factors = false;       ///< read them in any case
  Index most_tile_bytes = 0;  ///< as in read_result
};

/// A result file that is queried. Answers are exact if it has the hierarchy of its path lengths; the factors are then
/// read only on request. If it has exact entries of near objects, answers are K~ + S: exact there.
template <class T>
class ResultAnswers {
 public:
  /// `execution` must outlive it. @throws Error(input) as read_result. Collective.
  ResultAnswers(const Execution& execution, const std::string& path, const AnswerOptions& options);

  /// True if entries and rows are those of K itself.
  [[nodiscard]] bool exact() const { return lengths_ != nullptr; }
  /// Nearest objects per object whose entries are exact; 0: none are, or all.
  [[nodiscard]] Index near() const { return near_ ? near_->near : 0; }
  [[nodiscard]] bool rectangular() const { return shape_.rectangular; }
  /// Null if they were not read.
  [[nodiscard]] const Approximation<T>* factors() const { return stored_ ? &stored_->approximation : nullptr; }
  [[nodiscard]] const ResultDescription& description() const { return description_; }
  [[nodiscard]] Meaning meaning() const;
  /// Names of the rows, and of the objects that the columns represent.
  [[nodiscard]] const RowNames& names() const { return *names_; }
  [[nodiscard]] const RowNames& column_names() const { return others_ ? *others_ : *names_; }

  /// Entries (rows[p], columns[p]) for this rank's pairs (each rank has its own list).
  /// @throws Error(numeric) if two vertices have no path between them. Collective.
  [[nodiscard]] std::vector<double> entries(std::span<const Index> rows, std::span<const Index> columns) const;
  /// Flags of those entries that are entries of K itself. Collective.
  [[nodiscard]] std::vector<char> exact_at(std::span<const Index> rows, std::span<const Index> columns) const;
  /// Entries (row, own columns). Collective.
  [[nodiscard]] std::vector<double> row(Index row) const;
  /// The `k` nearest objects of `object`, given by its row. If exact entries are kept, the nearest ones among those
  /// come first: all others were found to be farther, or are farther by the factors. Collective.
  [[nodiscard]] std::vector<Neighbor> nearest(Index object, std::size_t k) const;
  /// Logs how many values of an answer are exact, if some but not all may be. Local; for a row, collective.
  void say_exact(Index exact, Index all, bool nearest = false) const;
  void say_exact(Index row) const;
  void say_exact(const std::vector<char>& exact, bool nearest = false) const {
    say_exact(std::ranges::count(exact, 1), static_cast<Index>(exact.size()), nearest);
  }
  /// Logs that the values of an answer are those of K~, if the file has no exact data and approximate values were not
  /// requested. @param remedy  where exact values of this similarity are available, or empty. Local.
  void say_approximate(const std::string& remedy) const;
  /// Logs the limits of the nearest objects of an answer if their values are not exact: by K~ some may be missed, and
  /// cosines of rows of the left factor ignore the exact entries that are kept.
  /// @param near_key  name, in messages, of the key for the number of near objects whose entries a result keeps. Local.
  void say_neighbors(bool by_angle, const std::string& near_key) const;

 private:
  const Execution& execution_;
  bool approximate_ = false;  // requested
  ResultShape shape_;
  ResultDescription description_;
  std::unique_ptr<PathLength> lengths_;
  std::shared_ptr<const NearEntries<T>> near_;
  std::optional<StoredResult<T>> stored_;
  std::optional<RowNames> names_, others_;
};

/// Calls answer_pairs() with the entries and the names of a result, and logs how many of them are exact. Collective.
template <class T>
Index answer_pairs(const Execution& execution, const ResultAnswers<T>& answers, const PairQuestions& questions,
                   const std::function<void(const std::string& lines)>& take);

/// Vertices of a graph that is not read: only numbers, without a kind of data. Local.
template <class T>
[[nodiscard]] Data<T> vertices_alone(const Communicator& communicator, Index n);
/// K of a result that has the hierarchy of its path lengths, without the graph. @param vertices  their numbers, which
/// must outlive it @throws Error(input) as read_result. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> kept_path_lengths(const Execution& execution, const std::string& path,
                                               const NumberedObjects& vertices);

}  // namespace cairn

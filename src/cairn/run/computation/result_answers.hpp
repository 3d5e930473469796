// What a result file says of K: entries, rows, nearest objects.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/result/row_names.hpp"

namespace cairn {

/// How a result is asked.
struct AnswerOptions {
  bool approximate = false;   ///< the factors answer, whatever the file keeps
  bool factors = false;       ///< they are read in any case
  Index most_tile_bytes = 0;  ///< as read_result
};

/// A result file that is asked. Answers are exact if it keeps the hierarchy of its path lengths; the factors are then
/// not read unless they are wanted. If it keeps exact entries of near objects, answers are K~ + S: exact there.
template <class T>
class ResultAnswers {
 public:
  /// `execution` must outlive it. @throws Error(input) as read_result. Collective.
  ResultAnswers(const Execution& execution, const std::string& path, const AnswerOptions& options);

  /// Whether entries and rows are those of K itself.
  [[nodiscard]] bool exact() const { return lengths_ != nullptr; }
  /// Nearest objects of each whose entries are exact; 0: none are, or all.
  [[nodiscard]] Index near() const { return near_ ? near_->near : 0; }
  [[nodiscard]] bool rectangular() const { return shape_.rectangular; }
  /// Null if they were not read.
  [[nodiscard]] const Approximation<T>* factors() const { return stored_ ? &stored_->approximation : nullptr; }
  [[nodiscard]] const ResultDescription& description() const { return description_; }
  [[nodiscard]] Meaning meaning() const;
  /// Of the rows, and of the objects that the columns stand for.
  [[nodiscard]] const RowNames& names() const { return *names_; }
  [[nodiscard]] const RowNames& column_names() const { return others_ ? *others_ : *names_; }

  /// Entries (rows[p], columns[p]) of the pairs that this rank asks for (another list on every rank).
  /// @throws Error(numeric) if two vertices have no path between them. Collective.
  [[nodiscard]] std::vector<double> entries(std::span<const Index> rows, std::span<const Index> columns) const;
  /// Which of such entries are those of K itself. Collective.
  [[nodiscard]] std::vector<char> exact_at(std::span<const Index> rows, std::span<const Index> columns) const;
  /// Entries (row, own columns). Collective.
  [[nodiscard]] std::vector<double> row(Index row) const;
  /// The `k` nearest objects of `object` by its row. Where exact entries are kept, first the nearest ones among those:
  /// all others were found to be farther, or the factors call them so. Collective.
  [[nodiscard]] std::vector<Neighbour> nearest(Index object, std::size_t k) const;
  /// Logs how many values of an answer are exact, if some but not all may be. Local; of a row collective.
  void say_exact(Index exact, Index all, bool nearest = false) const;
  void say_exact(Index row) const;
  void say_exact(const std::vector<char>& exact, bool nearest = false) const {
    say_exact(std::ranges::count(exact, 1), static_cast<Index>(exact.size()), nearest);
  }
  /// Logs that the values of an answer are those of K~, if the file keeps nothing that they are exact by and that was
  /// not asked for. @param remedy  where exact ones of this similarity are to be had, or nothing. Local.
  void say_approximate(const std::string& remedy) const;
  /// Logs what the nearest objects of an answer are worth where their values are not exact: those of K~ may miss some,
  /// and those by the angle of rows of the left factor leave out the exact entries that are kept.
  /// @param near_key  how messages name the number of near objects of a result that keeps their entries. Local.
  void say_neighbours(bool by_angle, const std::string& near_key) const;

 private:
  const Execution& execution_;
  bool approximate_ = false;  // asked for
  ResultShape shape_;
  ResultDescription description_;
  std::unique_ptr<PathLength> lengths_;
  std::shared_ptr<const NearEntries<T>> near_;
  std::optional<StoredResult<T>> stored_;
  std::optional<RowNames> names_, others_;
};

/// Answers pairs piece by piece, so that no rank holds all of them.
struct PairQuestions {
  std::string path;                  ///< read as PairList does
  std::optional<RowNames::By> by{};  ///< nothing: fields are row numbers from 0
  Index together = Index{1} << 18;   ///< pairs of a piece
};
/// The value of each pair, one a line, in the order of the file.
/// @param take  is handed the lines of a piece on rank 0, an empty text on others. @return how many pairs there were
/// @throws Error(input) with file and line for a pair that is none, or names no row. Collective.
template <class T>
Index answer_pairs(const Execution& execution, const ResultAnswers<T>& answers, const PairQuestions& questions,
                   const std::function<void(const std::string& lines)>& take);

/// The vertices of a graph that is not read: numbers, of no kind of data. Local.
template <class T>
[[nodiscard]] Data<T> vertices_alone(const Communicator& communicator, Index n);
/// K of a result that keeps the hierarchy of its path lengths, without the graph. @param vertices  their numbers, which
/// must outlive it @throws Error(input) as read_result. Collective.
template <class T>
[[nodiscard]] ExactMatrix<T> kept_path_lengths(const Execution& execution, const std::string& path,
                                               const NumberedObjects& vertices);

}  // namespace cairn

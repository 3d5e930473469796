#include "cairn/run/answers/result_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/approximation/near/near_values.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/evaluation/pair_values.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/source_entries.hpp"

namespace cairn {

template <class T>
ResultAnswers<T>::ResultAnswers(const Execution& execution, const std::string& path, const AnswerOptions& options)
    : execution_(execution),
      approximate_(options.approximate),
      shape_(read_result_shape(execution.communicator, path)),
      description_(read_result_description(execution.communicator, path)) {
  const Communicator& communicator = execution.communicator;
  if (!options.approximate) lengths_ = read_path_lengths(communicator, path);
  if (!options.approximate && lengths_ == nullptr) near_ = read_near_entries<T>(communicator, path);
  if (lengths_ == nullptr || options.factors) {
    stored_.emplace(read_result<T>(communicator, path, options.most_tile_bytes));
    names_.emplace(communicator, stored_->approximation.left.partition(), std::move(stored_->labels),
                   std::move(stored_->numbers), std::move(stored_->texts));
  } else {
    names_.emplace(read_row_names(communicator, path, shape_));
  }
  if (shape_.rectangular) {
    others_.emplace(communicator, RowPartition(shape_.right_rows, communicator.size()),
                    stored_ ? std::move(stored_->right_labels) : std::vector<std::string>(), std::vector<Index>(),
                    std::vector<std::string>(), "column");
  }
}

template <class T>
Meaning ResultAnswers<T>::meaning() const {
  return shape_.meaning == "distance" ? Meaning::distance : Meaning::similarity;
}

template <class T>
std::vector<double> ResultAnswers<T>::entries(std::span<const Index> rows, std::span<const Index> columns) const {
  if (lengths_) return exact_entries(execution_, *lengths_, rows, columns);
  return entries_with_near(execution_, stored_->approximation, near_.get(), rows, columns);
}

template <class T>
std::vector<char> ResultAnswers<T>::exact_at(std::span<const Index> rows, std::span<const Index> columns) const {
  if (near_) return kept_values(execution_.communicator, *near_, rows, columns).kept;
  return std::vector<char>(rows.size(), exact() ? 1 : 0);
}

template <class T>
std::vector<Neighbor> ResultAnswers<T>::nearest(Index object, std::size_t k) const {
  const Communicator& communicator = execution_.communicator;
  const Range own = column_names().partition().range(communicator.rank());
  std::vector<double> values = row(object);
  const Index skipped = rectangular() ? -1 : object;
  if (!near_) return nearest_objects(communicator, own, values, skipped, k, meaning());
  constexpr double far = std::numeric_limits<double>::infinity();
  const double worst = meaning() == Meaning::distance ? far : -far;
  std::vector<double> kept(values.size(), worst);
  for (const Index column : kept_columns(communicator, *near_, object)) {
    const auto at = static_cast<std::size_t>(column - own.begin);
    if (own.contains(column)) kept[at] = values[at];
  }
  const std::size_t first = std::min(k, static_cast<std::size_t>(near_->near));
  std::vector<Neighbor> found = nearest_objects(communicator, own, kept, skipped, first, meaning());
  if (k == first) return found;
  for (const Neighbor& neighbor : found) {
    if (own.contains(neighbor.object)) values[neighbor.object - own.begin] = worst;
  }
  const auto others = nearest_objects(communicator, own, values, skipped, k - first, meaning());
  for (const Neighbor& neighbor : others) {
    if (neighbor.value != worst) found.push_back(neighbor);
  }
  return found;
}

template <class T>
void ResultAnswers<T>::say_exact(Index exact, Index all, bool nearest) const {
  if (!near_) return;
  log(LogLevel::info,
      fmt::format("{} of {} values are exact{}: the result keeps the entries of {} near objects of each, which its "
                  "factors chose, and the diagonal; --approximate true leaves them out",
                  grouped(exact), grouped(all), nearest ? ", but an object that is nearer by K may be missed" : "",
                  near_->near));
}

template <class T>
void ResultAnswers<T>::say_approximate(const std::string& remedy) const {
  if (lengths_ || near_ || approximate_) return;
  log(LogLevel::info, "values are those of K~, not of K" + (remedy.empty() ? "" : ": " + remedy));
}

template <class T>
void ResultAnswers<T>::say_neighbors(bool by_angle, const std::string& near_key) const {
  if (by_angle && near_) {
    log(LogLevel::info,
        fmt::format("values are cosines of rows of the left factor alone: the exact entries of the {} nearest objects "
                    "of each, which the result keeps, are left out; --by-angle false takes them",
                    near_->near));
  }
  if (by_angle || near_ || lengths_ || approximate_) return;
  const auto& known = similarities();
  const auto made = std::ranges::find(known, description_.similarity, &SimilarityDescriptor::name);
  const bool by_entries = !shape_.rectangular && (made == known.end() || !(*made)->traits.single_source);
  log(LogLevel::info,
      "values are those of K~: objects that are nearest by K may be missed" +
          (by_entries
               ? fmt::format(", more so the larger the error is; a result with {} = N keeps the exact entries of "
                             "N near objects of each, and misses fewer",
                             near_key)
               : ""));
}

template <class T>
void ResultAnswers<T>::say_exact(Index row) const {
  if (!near_) return;
  const Range own = near_->rows.range();
  const Index mine = own.contains(row) ? std::ssize(near_->rows.row(row).columns) : 0;
  say_exact(execution_.communicator.sum(mine), near_->rows.rows());
}

template <class T>
std::vector<double> ResultAnswers<T>::row(Index row) const {
  if (!lengths_) {
    std::vector<double> values = approximate_row(execution_, stored_->approximation, row);
    if (near_) add_near_row(execution_.communicator, *near_, row, std::span(values));
    return values;
  }
  return collectively(execution_.communicator, [&] {
    std::vector<double> whole(lengths_->size());
    lengths_->to_all(std::span(&row, 1), MatrixView<double>(whole.data(), 1, lengths_->size()));
    const Range own = names_->partition().range(execution_.communicator.rank());
    return std::vector<double>(whole.begin() + own.begin, whole.begin() + own.end);
  });
}

template <class T>
Index answer_pairs(const Execution& execution, const ResultAnswers<T>& answers, const PairQuestions& questions,
                   const std::function<void(const std::string& lines)>& take) {
  const auto phase = execution.phases.enter("pairs");
  Index exact = 0;
  const auto values = [&](std::span<const Index> rows, std::span<const Index> columns) {
    if (answers.near() > 0) exact += std::ranges::count(answers.exact_at(rows, columns), 1);
    return answers.entries(rows, columns);
  };
  const Index answered = answer_pairs(execution, questions, answers.names(), answers.column_names(), values, take);
  answers.say_exact(execution.communicator.sum(exact), answered);
  return answered;
}

template <class T>
Data<T> vertices_alone(const Communicator& communicator, Index n) {
  Data<T> data;
  data.objects = std::make_unique<NumberedObjects>(RowPartition(n, communicator.size()), communicator.rank());
  return data;
}

template <class T>
ExactMatrix<T> kept_path_lengths(const Execution& execution, const std::string& path, const NumberedObjects& vertices) {
  ExactMatrix<T> exact;
  exact.traits = path_length_similarity().traits;
  exact.objects = &vertices;
  exact.sources = read_path_lengths(execution.communicator, path);
  if (!exact.sources) {
    throw Error(ErrorKind::input, path + " keeps no hierarchy of path lengths");
  }
  exact.entries = std::make_unique<SourceEntries<T>>(*exact.sources);
  return exact;
}

#define CAIRN_INSTANTIATE(T)                                                                   \
  template class ResultAnswers<T>;                                                             \
  template Data<T> vertices_alone(const Communicator&, Index);                                 \
  template Index answer_pairs(const Execution&, const ResultAnswers<T>&, const PairQuestions&, \
                              const std::function<void(const std::string&)>&);                 \
  template ExactMatrix<T> kept_path_lengths(const Execution&, const std::string&, const NumberedObjects&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

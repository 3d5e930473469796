#include "cairn/run/computation/result_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/approximation/near/near_values.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/pair_list.hpp"
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

namespace {

using Pairs = std::vector<PairList::Pair>;

Index row_number(const std::string& text, Index objects, const std::string& path, Index line) {
  const auto row = parse_integer(text);
  if (!row) refuse_line(path, line, fmt::format("'{}' is not a row number", text.substr(0, 40)));
  if (*row < 0 || *row >= objects) {
    refuse_line(path, line, fmt::format("names object {}; the result has the objects 0 to {}", *row, objects - 1));
  }
  return *row;
}

// Rank 0's pairs as rows and columns, on every rank. Collective.
class PairRows {
 public:
  PairRows(const Communicator& communicator, const PairQuestions& questions, const RowNames& rows,
           const RowNames& columns)
      : communicator_(communicator), questions_(questions), rows_(rows), columns_(columns) {}

  void take(const Pairs& pairs, std::vector<Index>& rows, std::vector<Index>& columns) const {
    rows.clear();
    columns.clear();
    if (questions_.by) {
      rows = named(rows_, pairs, &PairList::Pair::first);
      columns = named(columns_, pairs, &PairList::Pair::second);
      return;
    }
    collectively(communicator_, [&] {
      for (const PairList::Pair& pair : pairs) {
        rows.push_back(row_number(pair.first, rows_.partition().rows(), questions_.path, pair.line));
        columns.push_back(row_number(pair.second, columns_.partition().rows(), questions_.path, pair.line));
      }
    });
    communicator_.broadcast(rows, 0);
    communicator_.broadcast(columns, 0);
  }

 private:
  [[nodiscard]] std::vector<Index> named(const RowNames& names, const Pairs& pairs,
                                         std::string PairList::Pair::*field) const {
    std::string joined;  // texts contain no byte 0
    std::vector<Index> lines;
    for (const PairList::Pair& pair : pairs) {
      joined.append(pair.*field).push_back('\0');
      lines.push_back(pair.line);
    }
    communicator_.broadcast(joined, 0);
    communicator_.broadcast(lines, 0);
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < joined.size(); at += texts.back().size() + 1) texts.emplace_back(joined.data() + at);
    const std::vector<RowNames::Found> found = names.find(*questions_.by, texts);
    std::vector<Index> rows;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      if (found[k].rows != 1) {
        refuse_line(questions_.path, lines[k],
                    names.complaint(*questions_.by, texts[k], found[k]) + if_heading(lines[k], false));
      }
      rows.push_back(found[k].first);
    }
    return rows;
  }

  const Communicator& communicator_;
  const PairQuestions& questions_;
  const RowNames &rows_, &columns_;
};

std::string lines_of(std::span<const double> values) {
  std::string text;
  text.reserve(values.size() * 12);
  for (const double value : values) fmt::format_to(std::back_inserter(text), "{}\n", value);
  return text;
}

}  // namespace

template <class T>
Index answer_pairs(const Execution& execution, const ResultAnswers<T>& answers, const PairQuestions& questions,
                   const std::function<void(const std::string& lines)>& take) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("pairs");
  std::unique_ptr<PairList> list;
  collectively(communicator, [&] {
    if (communicator.is_root()) list = std::make_unique<PairList>(questions.path, questions.by != RowNames::By::label);
  });
  const PairRows finder(communicator, questions, answers.names(), answers.column_names());
  std::vector<Index> rows, columns;
  Index exact = 0;
  for (Index answered = 0;; answered += std::ssize(rows)) {
    const Pairs pairs = collectively(communicator, [&] { return list ? list->next(questions.together) : Pairs(); });
    if (answered == 0 && list && !list->heading().empty()) {
      log(LogLevel::info, fmt::format("{}: the first line, '{}', is a heading", questions.path, list->heading()));
    }
    finder.take(pairs, rows, columns);
    if (rows.empty()) {
      answers.say_exact(exact, answered);
      return answered;
    }
    const Index all = std::ssize(rows), ranks = communicator.size();
    const auto begin = static_cast<std::size_t>(all * communicator.rank() / ranks);
    const auto count = static_cast<std::size_t>(all * (communicator.rank() + 1) / ranks) - begin;
    const auto own_rows = std::span<const Index>(rows).subspan(begin, count);
    const auto own_columns = std::span<const Index>(columns).subspan(begin, count);
    const std::vector<double> values = communicator.all_gather(answers.entries(own_rows, own_columns));
    take(communicator.is_root() ? lines_of(values) : "");
    if (answers.near() == 0) continue;
    exact += communicator.sum(static_cast<Index>(std::ranges::count(answers.exact_at(own_rows, own_columns), 1)));
  }
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

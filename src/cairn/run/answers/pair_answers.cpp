#include "cairn/run/answers/pair_answers.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/pair_list.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

using Pairs = std::vector<PairList::Pair>;

Index row_number(const std::string& text, Index rows, const PairQuestions& questions, Index line) {
  const auto number = parse_integer(text);
  const Index first = questions.first;
  if (!number) {
    refuse_line(questions.path, line,
                fmt::format("'{}' is not a {} number", text.substr(0, 40), first == 0 ? "row" : questions.object));
  }
  if (*number < first || *number - first >= rows) {
    refuse_line(questions.path, line,
                fmt::format("names {0} {1}; the {2} has the {3} {4} to {5}", questions.object, *number, questions.owner,
                            questions.objects, first, first + rows - 1));
  }
  return *number - first;
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
        rows.push_back(row_number(pair.first, rows_.partition().rows(), questions_, pair.line));
        columns.push_back(row_number(pair.second, columns_.partition().rows(), questions_, pair.line));
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

Index answer_pairs(const Execution& execution, const PairQuestions& questions, const RowNames& rows,
                   const RowNames& columns, const PairValues& values,
                   const std::function<void(const std::string& lines)>& take) {
  const Communicator& communicator = execution.communicator;
  std::unique_ptr<PairList> list;
  collectively(communicator, [&] {
    if (communicator.is_root()) list = std::make_unique<PairList>(questions.path, questions.by != RowNames::By::label);
  });
  const PairRows finder(communicator, questions, rows, columns);
  std::vector<Index> firsts, seconds;
  for (Index answered = 0;; answered += std::ssize(firsts)) {
    const Pairs pairs = collectively(communicator, [&] { return list ? list->next(questions.together) : Pairs(); });
    if (answered == 0 && list && !list->heading().empty()) {
      log(LogLevel::info, fmt::format("{}: the first line, '{}', is a heading", questions.path, list->heading()));
    }
    finder.take(pairs, firsts, seconds);
    if (firsts.empty()) return answered;
    const Index all = std::ssize(firsts), ranks = communicator.size();
    const auto begin = static_cast<std::size_t>(all * communicator.rank() / ranks);
    const auto count = static_cast<std::size_t>(all * (communicator.rank() + 1) / ranks) - begin;
    const std::vector<double> found = communicator.all_gather(values(
        std::span<const Index>(firsts).subspan(begin, count), std::span<const Index>(seconds).subspan(begin, count)));
    take(communicator.is_root() ? lines_of(found) : "");
  }
}

}  // namespace cairn

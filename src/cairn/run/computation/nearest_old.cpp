#include "cairn/run/computation/nearest_old.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/result/extension.hpp"

namespace cairn {

namespace {

constexpr Index block_bytes = Index{64} << 20;  // of K~ on a rank
constexpr Index most_together = 1024;           // new objects

template <class T>
void check_extends(const Communicator& communicator, const Approximation<T>& known,
                   const ResultDescription& description, const StoredResult<T>& unseen,
                   const NearestQuestion& question) {
  const auto digests = digests_of_columns(communicator, unseen.approximation, unseen.description);
  const bool same = std::ranges::count(digests, columns_digest(communicator, known, description)) > 0;
  if (is_extension(unseen.description) && same && known.left.columns() == unseen.approximation.left.columns()) return;
  const std::string base = extendable_file(known, description, question.known);
  throw Error(ErrorKind::input, fmt::format("{} is no extension of {}{}{}", question.unseen, question.known,
                                            base.empty() ? "" : "; make it with cairn extend ", base));
}

// Name fields after the values of a line: of the new object, and of the old one.
class LineNames {
 public:
  LineNames(const RowNames& unseen, const RowNames& known, char separator)
      : unseen_(unseen), known_(known), separator_(separator) {}

  [[nodiscard]] std::string heading() const {
    std::string text = "object,nearest,value";
    if (unseen_.any()) text += ",object_label";
    text += known_.heading();
    if (unseen_.said()) text += ",object_name";
    return text + (known_.said() ? ",name\n" : "\n");
  }
  // Collective.
  [[nodiscard]] std::string lines(const std::vector<Index>& objects,
                                  const std::vector<std::vector<Neighbor>>& nearest) const {
    std::vector<Index> found;
    for (const auto& list : nearest) {
      for (const Neighbor& neighbor : list) found.push_back(neighbor.object);
    }
    const std::vector<RowName> of_objects = unseen_.of(objects), of_found = known_.of(found);
    std::string text;
    std::size_t at = 0;
    for (std::size_t o = 0; o < objects.size(); ++o) {
      for (const Neighbor& neighbor : nearest[o]) {
        text += fmt::format("{}{}{}{}{}", objects[o], separator_, neighbor.object, separator_, neighbor.value);
        if (unseen_.any()) add(text, of_objects[o].label);
        if (known_.any()) add(text, of_found[at].label);
        if (known_.both()) add(text, of_found[at].number);
        if (unseen_.said()) add(text, of_objects[o].text, 2);
        if (known_.said()) add(text, of_found[at].text, 2);
        text += '\n';
        ++at;
      }
    }
    return text;
  }

 private:
  // @param blanks  number of blanks before a name that may itself contain blanks, for people
  void add(std::string& line, const std::string& name, std::size_t blanks = 1) const {
    line += separator_ == ',' ? next_csv_field(name) : std::string(blanks, separator_) + name;
  }

  const RowNames &unseen_, &known_;
  char separator_;
};

}  // namespace

template <class T>
Index answer_nearest(const Execution& execution, const ResultAnswers<T>& answers, const NearestQuestion& question,
                     const std::function<void(const std::string& lines)>& take) {
  const Communicator& communicator = execution.communicator;
  const Approximation<T>& known = *answers.factors();
  if (known.rectangular || known.left.is_sparse()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {}", question.known,
                            known.rectangular ? "its columns stand for other objects than its rows; ask the extension "
                                                "itself, whose rows are the new objects, with --nearest"
                                              : "its left factor is sparse, and has no extensions"));
  }
  StoredResult<T> unseen = read_result<T>(communicator, question.unseen, question.most_tile_bytes);
  const auto phase = execution.phases.enter("nearest");
  check_extends(communicator, known, answers.description(), unseen, question);
  for (const std::string& warning : extension_warnings(unseen.description, question.unseen)) {
    log(LogLevel::warning, warning);
  }
  const Approximation<T>& rows = unseen.approximation;
  const RowNames names(communicator, rows.left.partition(), std::move(unseen.labels), std::move(unseen.numbers),
                       std::move(unseen.texts));
  const Index n = rows.left.rows(), lines = n * std::min(static_cast<Index>(question.k), known.left.rows());
  if (question.most_lines > 0 && lines > question.most_lines) {
    throw Error(ErrorKind::usage, fmt::format("the neighbors of {} new objects are {} lines; name a file for them with "
                                              "--out",
                                              grouped(n), grouped(lines)));
  }
  const LineNames line_names(names, answers.names(), question.separator);
  if (question.separator == ',') take(line_names.heading());
  const Index own_bytes = communicator.maximum(known.left.range().size()) * static_cast<Index>(sizeof(double));
  // Per new object: its column of K~, and the findings of all ranks.
  const Index found_bytes = std::min(static_cast<Index>(question.k), known.left.rows()) * communicator.size() *
                            static_cast<Index>(sizeof(Neighbor));
  const Index together =
      std::clamp<Index>(block_bytes / std::max<Index>({1, own_bytes, found_bytes}), 1, most_together);
  for (Index begin = 0; begin < n; begin += together) {
    std::vector<Index> objects(std::min(together, n - begin));
    std::iota(objects.begin(), objects.end(), begin);
    const auto nearest =
        nearest_of_columns(communicator, columns_of_unseen(execution, known, rows, objects, question.by_angle),
                           question.k, question.by_angle ? Meaning::similarity : answers.meaning());
    take(line_names.lines(objects, nearest));
    Watchdog::beat();
  }
  return n;
}

template Index answer_nearest(const Execution&, const ResultAnswers<float>&, const NearestQuestion&,
                              const std::function<void(const std::string&)>&);
template Index answer_nearest(const Execution&, const ResultAnswers<double>&, const NearestQuestion&,
                              const std::function<void(const std::string&)>&);

}  // namespace cairn

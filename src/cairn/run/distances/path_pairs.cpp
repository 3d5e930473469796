#include "cairn/run/distances/path_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/answers/pair_answers.hpp"

namespace cairn {

namespace {

// Names as they stand in the file of the graph: names if it has any, else numbers.
PairQuestions questions_of(const Communicator& communicator, const PathLengthSource& source, const Values& options) {
  PairQuestions questions{.path = options.text("pairs"), .owner = "graph", .object = "vertex", .objects = "vertices"};
  if (communicator.maximum(Index{!source.numbers.names.empty()}) > 0) {
    questions.by = RowNames::By::label;
  } else if (source.numbers.listed) {
    questions.by = RowNames::By::number;
  } else {
    questions.first = source.numbers.first;
  }
  return questions;
}

}  // namespace

TaskReport answer_path_pairs(const Execution& execution, const PathLengthSource& source, const Values& options,
                             const std::function<void(const ReportText&)>& tell,
                             const std::function<void(const std::string& lines)>& take) {
  const Communicator& communicator = execution.communicator;
  const PathLength& lengths = *source.lengths;
  const double scale = options.number("scale");
  ReportText begin;
  begin.metric("paths by", lengths.method() + ": " + lengths.choice());
  tell(begin);

  const auto phase = execution.phases.enter("pairs");
  const RowPartition partition(lengths.size(), communicator.size());
  const PairQuestions questions = questions_of(communicator, source, options);
  const std::vector<Index> numbers =
      questions.by ? source.numbers.of(partition.range(communicator.rank())) : std::vector<Index>();
  const RowNames names(communicator, partition, source.numbers.names, numbers, {}, "vertex");
  double longest = 0.0;
  Index without_path = 0;
  const auto values = [&](std::span<const Index> rows, std::span<const Index> columns) {
    lengths.expect_pairs(communicator, communicator.sum(std::ssize(rows)));
    return collectively(communicator, [&] {
      std::vector<double> found(rows.size());
      lengths.pair_lengths(rows, columns, found);
      for (double& length : found) {
        if (std::isfinite(length)) longest = std::max(longest, length);
        without_path += std::isfinite(length) ? 0 : 1;
        length /= scale;
      }
      return found;
    });
  };
  const Index pairs = answer_pairs(execution, questions, names, names, values, take);
  longest = communicator.maximum(longest);
  without_path = communicator.sum(without_path);

  TaskReport report;
  report.text.metric("pairs", fmt::format("{} in {}", grouped(pairs), questions.path));
  if (lengths.label_bytes() > 0) {
    report.text.metric("labels",
                       fmt::format("{}, once per node", format_bytes(static_cast<double>(lengths.label_bytes()))));
  }
  report.text.metric("longest path", fmt::format("{}", longest));
  if (without_path > 0) {
    report.text.metric("pairs without a path", fmt::format("{}, written as inf", grouped(without_path)));
  }
  for (const std::string& note : source.notes) report.text.note(note);
  report.metrics = {{"pairs", pairs},
                    {"scale", scale},
                    {"longest", longest},
                    {"without_path", without_path},
                    {"label_bytes", lengths.label_bytes()}};
  return report;
}

}  // namespace cairn

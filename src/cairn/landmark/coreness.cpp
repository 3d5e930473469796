#include <algorithm>
#include <numeric>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/landmark/word_order.hpp"
#include "cairn/similarity/cooccurrence/symmetric_rows.hpp"

namespace cairn {

namespace {

// The largest h, at most `most`, such that h of the neighbors have a value of h or more.
Index h_index(std::span<const std::int32_t> neighbors, Index self, const std::vector<Index>& values, Index most,
              std::vector<Index>& tally) {
  tally.assign(static_cast<std::size_t>(most) + 1, 0);
  for (const Index j : neighbors) {
    if (j != self) ++tally[std::min(values[j], most)];
  }
  Index reached = 0;
  for (Index h = most; h > 0; --h) {
    reached += tally[h];
    if (reached >= h) return h;
  }
  return 0;
}

}  // namespace

std::vector<Index> coreness(const Execution& execution, const CooccurrenceCounts& counts) {
  const Communicator& communicator = execution.communicator;
  const BalancedRows<float> rows = symmetric_rows<float>(
      communicator, counts,
      [](Index /*i*/, const CountRow& row, float* out) { std::fill_n(out, row.others.size(), 1.0F); });
  const Range own = rows.rows;
  std::vector<Index> mine;
  for (Index i = own.begin; i < own.end; ++i) {
    const auto neighbors = rows.row(i).columns;
    mine.push_back(std::ssize(neighbors) - std::ranges::count(neighbors, i));
  }
  std::vector<Index> values = communicator.all_gather(mine), tally;
  for (Index changed = 1; changed > 0;) {
    changed = 0;
    for (Index i = own.begin; i < own.end; ++i) {
      Index& value = values[i];  // visible to later rows of this rank at once
      const Index next = h_index(rows.row(i).columns, i, values, value, tally);
      changed += next != value ? 1 : 0;
      value = next;
    }
    std::copy(values.begin() + own.begin, values.begin() + own.end, mine.begin());
    values = communicator.all_gather(mine);
    changed = communicator.sum(changed);
    Watchdog::beat();
  }
  return values;
}

namespace {

template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  require_landmark_count(input.count, input.objects.size(), input.values.keys());
  const WordSet& words = require_words(input.objects, input.values);
  const auto phase = input.execution.phases.enter("landmarks");
  const std::vector<Index> core = coreness(input.execution, words.counts(input.execution));
  Landmarks<T> landmarks;
  landmarks.indices = numbers_of({0, words.size()});
  std::ranges::stable_sort(landmarks.indices, [&](Index a, Index b) { return core[a] > core[b]; });
  landmarks.indices.resize(input.count);
  if (input.takes_objects) landmarks.objects = input.objects.gather(input.execution.communicator, landmarks.indices);
  return landmarks;
}

}  // namespace

const LandmarkSelection& coreness_selection() {
  static const LandmarkSelection selection = {
      .name = "coreness",
      .summary =
          "The words of a corpus by falling coreness in the graph of words that occur together, equal ones by "
          "frequency.",
      .source = "Khalife, Gonçalves and Liberti 2022, section 3.3",
      .objects = {objects::words},
      .run_single = run<float>,
      .run_double = run<double>};
  return selection;
}

}  // namespace cairn

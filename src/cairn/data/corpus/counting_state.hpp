// What is kept of a count that is not finished. Private to this folder.
#pragma once

#include <chrono>
#include <optional>

#include "cairn/base/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"

namespace cairn {

/// How far a rank has come in its texts.
struct TextPlace {
  Index text = 0;   ///< number of the text in hand
  Index place = 0;  ///< of the next word there
};

/// States of a count in the run's ledger: the rows so far, and how far each rank is. They are of use on the same number
/// of ranks alone, which deal the texts alike.
class CountingState {
 public:
  explicit CountingState(const Execution& execution) : execution_(execution) {}

  /// Fills `counts` and says how far this rank was, if an earlier run kept that. Collective.
  [[nodiscard]] std::optional<TextPlace> restore(CooccurrenceCounts& counts);
  /// Whether a state is to be kept now. Collective.
  [[nodiscard]] bool due();
  /// Keeps it, and ends the run if it is to stop. @pre `counts` are all that was counted so far. Collective.
  void keep(const CooccurrenceCounts& counts, const TextPlace& place);

 private:
  [[nodiscard]] bool restore_rows(Index state, CooccurrenceCounts& counts);

  const Execution& execution_;
  Index kept_ = 0;  // the newest state
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace cairn

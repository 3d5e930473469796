// What is kept of a count that is not finished. Private to this folder.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// How far a batch of texts has been counted.
struct BatchPlace {
  Index texts = 0;  ///< of the batch that are done
  Index place = 0;  ///< of the next word in the text after these
};

/// States of a count in the run's ledger: the rows so far, and how far each batch of texts is, whoever holds it: any
/// number of ranks can go on from them.
class CountingState {
 public:
  /// Both outlive this.
  CountingState(const Execution& execution, const CorpusText& text) : execution_(execution), text_(text) {}

  /// Fills `counts` and says how far this rank's batches were, if an earlier run kept that. Collective.
  [[nodiscard]] std::optional<std::vector<BatchPlace>> restore(CooccurrenceCounts& counts);
  /// Whether a state is to be kept now. Collective.
  [[nodiscard]] bool due();
  /// Keeps it, and ends the run if it is to stop. @pre `counts` are all that was counted so far. Collective.
  void keep(const CooccurrenceCounts& counts, const std::vector<BatchPlace>& places);

 private:
  [[nodiscard]] bool restore_rows(Index state, CooccurrenceCounts& counts);
  [[nodiscard]] bool restore_places(Index state, std::vector<BatchPlace>& places);

  const Execution& execution_;
  const CorpusText& text_;
  Index kept_ = 0;  // the newest state
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace cairn

// What is kept of a count that is not finished. Private to this folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// How far a batch of texts has been counted.
struct BatchPlace {
  Index texts = 0;                 ///< of the batch that are done
  Index place = 0;                 ///< of the next word in the text after these
  std::uint64_t texts_digest = 0;  ///< of all texts of the batch in their order; for a state that is kept
};

/// States of a count in the run's ledger: the rows so far, and how far each batch of texts is, whoever holds it: any
/// number of ranks can go on from them.
class CountingState {
 public:
  /// Both outlive this.
  CountingState(const Execution& execution, const CorpusText& text) : execution_(execution), text_(text) {}

  /// Fills `counts` and says how far this rank's batches were, if an earlier run kept that. States of other texts, or
  /// of the same ones in another order, are left alone with a warning. Collective.
  [[nodiscard]] std::optional<std::vector<BatchPlace>> restore(CooccurrenceCounts& counts);
  /// Whether a state is to be kept now. Collective.
  [[nodiscard]] bool due();
  /// Keeps it, and ends the run if it is to stop. @pre `counts` are all that was counted so far. Collective.
  void keep(const CooccurrenceCounts& counts, std::vector<BatchPlace> places);

 private:
  [[nodiscard]] bool restore_rows(Index state, CooccurrenceCounts& counts);
  [[nodiscard]] bool restore_places(Index state, std::vector<BatchPlace>& places);
  void digest_texts();

  const Execution& execution_;
  const CorpusText& text_;
  std::vector<std::uint64_t> digests_;  // of the texts of each own batch; empty until they are needed
  Index kept_ = 0;                      // the newest state
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace cairn

// Checkpoints of an unfinished count. Private to this folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// Progress of counting in a batch of texts.
struct BatchPlace {
  Index texts = 0;                 ///< number of finished texts of the batch
  Index place = 0;                 ///< next word in the text after these
  std::uint64_t texts_digest = 0;  ///< digest of all texts of the batch in order; for checkpoints
};

/// Checkpoints of a count in the run's ledger: the rows so far, and the progress in each batch of texts. They do not
/// depend on which rank holds a batch, so that any number of ranks can resume.
class CountingState {
 public:
  /// Both arguments must outlive this object.
  CountingState(const Execution& execution, const CorpusText& text) : execution_(execution), text_(text) {}

  /// Fills `counts` and returns the progress of this rank's batches if an earlier run left a checkpoint. Checkpoints of
  /// other texts, or of the same texts in another order, are ignored with a warning. Collective.
  [[nodiscard]] std::optional<std::vector<BatchPlace>> restore(CooccurrenceCounts& counts);
  /// True if a checkpoint is due. Collective.
  [[nodiscard]] bool due();
  /// Writes a checkpoint, and ends the run if it must stop. @pre `counts` contain all co-occurrences counted so far.
  /// Collective.
  void keep(const CooccurrenceCounts& counts, std::vector<BatchPlace> places);

 private:
  [[nodiscard]] bool restore_rows(Index state, CooccurrenceCounts& counts);
  [[nodiscard]] bool restore_places(Index state, std::vector<BatchPlace>& places);
  void digest_texts();

  const Execution& execution_;
  const CorpusText& text_;
  std::vector<std::uint64_t> digests_;  // of the texts of each batch of this rank; empty until needed
  Index kept_ = 0;                      // number of the newest checkpoint
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace cairn

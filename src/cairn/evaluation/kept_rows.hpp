// Sums over rows of K, and which of them a ledger has. Private to error_over_rows.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// The sums of a round's rows over own vertices, by the row's place in the round.
struct KeptRowSums {
  std::vector<Unit> rows;
  double largest_error = 0.0;
};

/// What is known of a row: the tile of it that a ledger keeps.
struct RowFigures {
  Unit sums;
  double largest_error = 0.0;  // of any row of its round
};

/// The figures of the rows with the numbers `look` of a sample, through a ledger: rows that it has need not be
/// computed. The k-th is asked and told of by rank k mod ranks.
class KeptRows {
 public:
  /// @param factor  of the entries in the sums: others have other tiles
  /// @param ask  false: all rows are missing, whatever the ledger has. Collective.
  KeptRows(const Execution& execution, const SourceSimilarity& similarity, Range look, double factor, bool ask)
      : execution_(execution), figures_(static_cast<std::size_t>(look.size())) {
    const Communicator& communicator = execution.communicator;
    const Index count = look.size();
    std::vector<Index> found;
    std::vector<RowFigures> restored;
    collectively(communicator, [&] {
      std::string loop = fmt::format("evaluation rows {} to {}", look.begin, look.end);
      if (factor != 1.0) loop += fmt::format(" times {}", factor);
      execution.ledger.begin(loop.c_str(), count);
      for (Index k = communicator.rank(); ask && k < count; k += communicator.size()) {
        RowFigures& row = figures_[static_cast<std::size_t>(k)];
        if (!execution.ledger.get(k, std::as_writable_bytes(std::span(&row, 1)))) continue;
        similarity.count_restored(similarity.size());
        found.push_back(k);
        restored.push_back(row);
      }
    });
    found = communicator.all_gather(found);
    restored = communicator.all_gather(restored);
    std::vector<bool> known(figures_.size(), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      figures_[static_cast<std::size_t>(found[i])] = restored[i];
      known[static_cast<std::size_t>(found[i])] = true;
    }
    for (Index k = 0; k < count; ++k) {
      if (!known[static_cast<std::size_t>(k)]) missing_.push_back(k);
    }
  }

  /// Numbers of rows in the look that the ledger had not, ascending.
  [[nodiscard]] const std::vector<Index>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<RowFigures>& figures() const { return figures_; }

  /// The sums of the rows with these numbers. @throws as TileLedger::put. Collective.
  void add(std::span<const Index> numbers, const KeptRowSums& sums) {
    const Communicator& communicator = execution_.communicator;
    const double largest = communicator.maximum(sums.largest_error);
    collectively(communicator, [&] {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        RowFigures& row = figures_[static_cast<std::size_t>(numbers[i])];
        row = {sums.rows[i], largest};
        if (numbers[i] % communicator.size() != communicator.rank()) continue;
        execution_.ledger.put(numbers[i], std::as_bytes(std::span(&row, 1)));
      }
    });
  }

 private:
  const Execution& execution_;
  std::vector<RowFigures> figures_;
  std::vector<Index> missing_;
};

}  // namespace cairn

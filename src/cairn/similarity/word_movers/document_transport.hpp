// Distances between two documents by transport of their words.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/similarity/word_movers/transport_solver.hpp"

namespace cairn {

/// A document: words ascending and distinct, how often each is in it, and their numbers in a matrix of distances.
struct WeightedWords {
  Index size = 0;
  const std::int32_t* words = nullptr;
  const float* counts = nullptr;
  const std::int32_t* numbers = nullptr;
  double total = 0.0;  ///< of the counts
};

/// Word mover's distances, one pair after the other, without allocation but for the largest. An object serves one
/// thread.
///
/// Counts are multiplied by the other document's total: integers, which are moved without rounding. The mass that
/// two documents share stays where it is: what one has more of a word is supply, what the other has more is demand.
/// That is exact where the distances are a metric: by the triangle inequality a path through a word is no shorter than
/// the direct one.
class DocumentTransport {
 public:
  /// @param costs  distances of all words: row x.numbers[i], column y.numbers[j]
  [[nodiscard]] double distance(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs);

 private:
  // What one side has left: of which words, and how much.
  struct Side {
    std::vector<double> mass;
    std::vector<std::int64_t> at;  // where their costs begin
    Index count = 0;
    void make_room(Index size);
  };
  void cancel_shared(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs);
  [[nodiscard]] static double from_one(const Side& one, const Side& others, const double* costs);
  [[nodiscard]] double transport(const Side& few, const Side& many, const double* costs);

  TransportSolver solver_;
  Side supply_, demand_;
};

}  // namespace cairn

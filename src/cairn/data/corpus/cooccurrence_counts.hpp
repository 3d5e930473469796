// How often words occur together: a sparse symmetric matrix, its rows contiguous over ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// What is counted.
struct Counting {
  std::string what = "windows";  ///< windows (that hold both words) or pairs (of places at most `window` apart)
  Index window = 10;
  bool harmonic = false;  ///< pairs: a pair at distance d counts 1 / d instead of 1

  /// Counts are kept as integers: times this. A multiple of 1 to 16, so that 1 / d is exact up to there; beyond, 1 / d
  /// is rounded to 2^-24.
  [[nodiscard]] Index unit() const;
  /// What a pair at distance d counts, times unit().
  [[nodiscard]] Index weight(Index distance) const;
  friend bool operator==(const Counting&, const Counting&) = default;
};

/// A row of the lower triangle.
struct CountRow {
  std::span<const std::int32_t> others;  ///< ascending, at most the number of the row
  const std::uint32_t* narrow = nullptr;
  const Index* wide = nullptr;  ///< used unless null

  /// Times Counting::unit(); > 0.
  [[nodiscard]] Index count(std::size_t k) const { return wide != nullptr ? wide[k] : Index{narrow[k]}; }
};

/// C, n x n: the lower triangle with the diagonal, of which each rank holds the rows that `partition` gives it.
///
/// Entries above the diagonal are those below it: whoever needs C_ij looks at row max(i, j). Memory: 8 bytes an entry,
/// 12 in pieces of rows that have a count of 2^32 or more.
class CooccurrenceCounts {
 public:
  /// Some rows that follow each other.
  struct Piece {
    std::vector<Index> starts{0};
    std::vector<std::int32_t> others;
    std::vector<std::uint32_t> narrow;
    std::vector<Index> wide;  ///< instead of `narrow` if a count does not fit there

    [[nodiscard]] Index rows() const { return std::ssize(starts) - 1; }
    [[nodiscard]] CountRow row(Index local) const;
    void append(std::int32_t other, Index count);
    void append(const CountRow& row);
    void append(std::span<const std::int32_t> columns, std::span<const Index> counts);
    void end_row() { starts.push_back(std::ssize(others)); }
  };

  CooccurrenceCounts(const RowPartition& partition, int rank, Counting counting);

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] Range range() const { return range_; }
  [[nodiscard]] const Counting& counting() const { return counting_; }
  /// The row with this global number, which this rank must hold.
  [[nodiscard]] CountRow row(Index global) const;

  /// This rank's pieces: RowPartition::unit() rows each, so that they do not depend on the number of ranks.
  [[nodiscard]] Index pieces() const { return std::ssize(pieces_); }
  [[nodiscard]] Range rows_of_piece(Index piece) const;
  /// @pre `rows` has as many rows as the piece
  void set_piece(Index piece, Piece rows);
  [[nodiscard]] const Piece& piece(Index k) const { return pieces_[static_cast<std::size_t>(k)]; }

  /// Entries of this rank.
  [[nodiscard]] Index own_entries() const;

  /// Row sums of the whole of C, both triangles, times unit(): one a word, on every rank. Collective.
  [[nodiscard]] std::vector<Index> row_sums(const Communicator& communicator) const;

 private:
  RowPartition partition_;
  Range range_;
  Index unit_rows_;
  Counting counting_;
  std::vector<Piece> pieces_;
};

/// Sizes of C as its papers state them.
struct CountSummary {
  Index entries = 0;   ///< pairs i <= j that occur together
  Index diagonal = 0;  ///< of them, i = j
  double sum = 0;      ///< of all C_ij, both triangles
  double trace = 0;    ///< of C
};

/// Collective.
[[nodiscard]] CountSummary summary_of(const Communicator& communicator, const CooccurrenceCounts& counts);

}  // namespace cairn

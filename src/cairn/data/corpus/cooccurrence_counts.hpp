// Co-occurrence counts of words: a sparse symmetric matrix, its rows contiguous over ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// Definition of the counts.
struct Counting {
  std::string what = "windows";  ///< windows (that contain both words) or pairs (of places at most `window` apart)
  Index window = 10;
  bool harmonic = false;  ///< pairs: a pair at distance d has weight 1 / d instead of 1

  /// Counts are stored as integers, multiplied by unit(). It is a multiple of 1 to 16, so that 1 / d is exact for
  /// d <= 16; for larger d it is rounded to 2^-24.
  [[nodiscard]] Index unit() const;
  /// Weight of a pair at distance d, times unit().
  [[nodiscard]] Index weight(Index distance) const;
  friend bool operator==(const Counting&, const Counting&) = default;
};

/// A row of the lower triangle.
struct CountRow {
  std::span<const std::int32_t> others;  ///< ascending, at most the row number
  const std::uint32_t* narrow = nullptr;
  const Index* wide = nullptr;  ///< used instead of `narrow` unless null

  /// The count times Counting::unit(); > 0.
  [[nodiscard]] Index count(std::size_t k) const { return wide != nullptr ? wide[k] : Index{narrow[k]}; }
};

/// C, n x n. Only the lower triangle with the diagonal is stored; each rank holds the rows that `partition` assigns to
/// it.
///
/// C_ij is in row max(i, j). Memory: 8 bytes per entry, 12 in pieces with a count of 2^32 or more.
class CooccurrenceCounts {
 public:
  /// Consecutive rows.
  struct Piece {
    std::vector<Index> starts{0};
    std::vector<std::int32_t> others;
    std::vector<std::uint32_t> narrow;
    std::vector<Index> wide;  ///< used instead of `narrow` if a count does not fit into 32 bits

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
  /// The row with this global number. @pre this rank holds it
  [[nodiscard]] CountRow row(Index global) const;

  /// This rank's pieces have RowPartition::unit() rows each, so that they do not depend on the number of ranks.
  [[nodiscard]] Index pieces() const { return std::ssize(pieces_); }
  [[nodiscard]] Range rows_of_piece(Index piece) const;
  /// @pre `rows` has as many rows as the piece
  void set_piece(Index piece, Piece rows);
  [[nodiscard]] const Piece& piece(Index k) const { return pieces_[k]; }

  /// Number of entries of this rank.
  [[nodiscard]] Index own_entries() const;

  /// Row sums of C, both triangles, times unit(): one per word, on every rank. Collective.
  [[nodiscard]] std::vector<Index> row_sums(const Communicator& communicator) const;

 private:
  RowPartition partition_;
  Range range_;
  Index unit_rows_;
  Counting counting_;
  std::vector<Piece> pieces_;
};

/// Summary statistics of C as reported in the literature.
struct CountSummary {
  Index entries = 0;   ///< pairs i <= j that occur together
  Index diagonal = 0;  ///< of `entries`: i = j
  double sum = 0;      ///< sum of all C_ij, both triangles
  double trace = 0;    ///< trace of C
};

/// Collective.
[[nodiscard]] CountSummary summary_of(const Communicator& communicator, const CooccurrenceCounts& counts);

}  // namespace cairn

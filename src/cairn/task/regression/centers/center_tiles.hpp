// Products with K between many rows and a few centers, of which no more than a tile per thread exists at any time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// C = K(rows, centers) of some own rows, in products with small matrices. Tiles of C are evaluated again in each
/// product, in precision T. Products with few vectors are taken in double precision, those with many and CᵀC in T;
/// sums over tiles are in double precision.
///
/// Rows are those of `objects` on this rank; centers are on every rank. References must outlive this. The functions
/// are collective and throw what the similarity throws.
template <class T>
class CenterTiles {
 public:
  /// @param centers  numbers of objects, the same list on every rank. Collective.
  CenterTiles(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
              std::vector<Index> centers);
  /// The same for objects that are not in one set with the rows: only times() and diagonal_less() are possible.
  CenterTiles(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
              std::shared_ptr<const ObjectBlock> centers);

  /// Number of centers, m.
  [[nodiscard]] Index size() const { return std::ssize(numbers_); }
  [[nodiscard]] const std::vector<Index>& numbers() const { return numbers_; }

  /// Sets the first m columns of a matrix of m rows to K(centers, centers), some rows at a time. Memory: among_bytes().
  void fill_among_centers(BlockCyclicMatrix& matrix) const;

  /// C V, one row for each of `rows` (own, ascending), row-major. @param v  m x c, the same on every rank
  [[nodiscard]] std::vector<double> times(std::span<const Index> rows, MatrixView<const double> v) const;
  /// Cᵀ U, m x c, row-major, summed over ranks. @param u  a row for each of `rows`
  [[nodiscard]] std::vector<double> transposed_times(std::span<const Index> rows, MatrixView<const double> u) const;
  /// Cᵀ C V + K(centers, centers) V diag(ridges), m x c: both products with C from one evaluation of each tile, and one
  /// sum over ranks.
  [[nodiscard]] std::vector<double> normal_times(std::span<const Index> rows, MatrixView<const double> v,
                                                 std::span<const double> ridges) const;

  /// K(x, x) - |Vᵀ K(centers, x)|² for the object x of each of `rows`, without C V: products and sums are in double
  /// precision. @param v  m x c, the same on every rank
  /// Memory: diagonal_bytes().
  [[nodiscard]] std::vector<double> diagonal_less(std::span<const Index> rows, MatrixView<const double> v) const;

  /// Products of the rows of a fold.
  struct FoldProducts {
    BlockCyclicMatrix gram;     ///< CᵀC, m x m, both triangles
    std::vector<double> right;  ///< Cᵀ U, m x c, row-major, replicated
  };
  struct Gram {
    std::vector<FoldProducts> folds;
    Index tiles = 0;  ///< over all ranks
  };
  /// CᵀC and CᵀU of each fold in one pass over the rows.
  /// @param folds  of each of `rows`, below fold_count @param wide  products of tiles are taken in double precision
  /// Memory: gram_bytes().
  [[nodiscard]] Gram gram(const std::shared_ptr<const ProcessGrid>& grid, std::span<const Index> rows,
                          std::span<const char> folds, int fold_count, MatrixView<const double> u, bool wide) const;

  /// Bytes of a rank for the tiles of one product with c columns, and of gram(), with all sums. Local.
  [[nodiscard]] static Index product_bytes(Index centers, Index columns, int threads);
  [[nodiscard]] static Index gram_bytes(Index centers, int fold_count, int ranks);
  /// Bytes of a rank for fill_among_centers(). Local.
  [[nodiscard]] static Index among_bytes(Index centers, int ranks);
  /// Bytes of a rank for the tiles of diagonal_less() with c columns. Local.
  [[nodiscard]] static Index diagonal_bytes(Index centers, Index columns, int threads);
  /// Rows of a tile of gram(). Local.
  [[nodiscard]] static Index gram_rows(Index centers);
  /// Unit roundoff of products with c columns. Local.
  [[nodiscard]] static double product_roundoff(Index columns);

 private:
  struct Piece {
    std::size_t begin, end;  // positions in the list of rows
  };
  struct Part {
    Range columns;
    std::shared_ptr<const ObjectBlock> centers;
  };
  class ThinProduct;
  class GramSums;

  // Entries that fill_among_centers evaluates at a time.
  [[nodiscard]] static Index among_entries(Index centers);
  [[nodiscard]] static std::vector<Piece> pieces_of(std::span<const Index> rows, Index most);
  [[nodiscard]] Index rows_of_tile() const;
  void evaluate(std::span<const Index> rows, T* tile, int threads) const;
  // Some columns of all rows of a tile, which has size() columns.
  void evaluate_part(const ObjectBlock& rows, const Part& part, T* tile) const;
  void close_gaps(std::span<const Index> rows, Range columns, T* tile) const;

  const Execution& execution_;
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  std::vector<Index> numbers_;
  std::vector<Part> parts_;  // the centers, some columns of a tile each
  // This rank's centers in tiles, and the number of the first one.
  std::vector<std::unique_ptr<ObjectBlock>> own_centers_;
  Index first_center_ = 0;
};

}  // namespace cairn

// Products of K itself with blocks of vectors. Its entries are evaluated again for each product, and none is kept.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Objects on every rank, in blocks of the same number, the last one perhaps of fewer.
using ObjectBlocks = std::vector<std::unique_ptr<ObjectBlock>>;

/// Objects of a set as blocks. @param rows  their numbers in the set, the same list on every rank. Collective.
[[nodiscard]] ObjectBlocks gather_blocks(const Communicator& communicator, const ObjectSet& objects,
                                         std::span<const Index> rows, Index order);

/// The same of points that every rank holds. @param points  all coordinates must live as long as the blocks. Local.
template <class T>
[[nodiscard]] ObjectBlocks blocks_of_points(const PointBlock<T>& points);

/// K between some objects of a set, times vectors. Entry (i, j), i >= j, is evaluated once for each product.
///
/// K is cut into tiles of `order` rows and columns; tile t of the lower half belongs to rank t mod ranks, where threads
/// share the tiles. Sums are taken in double precision and in an order that does not depend on the number of threads.
/// Memory on every rank: the objects, 3 size() x columns doubles, a tile for each thread.
template <class T>
class KernelMatrix {
 public:
  /// @param rows  this rank's objects: numbers in the set, ascending; those of all ranks in rank order are the rows of
  /// K
  /// @throws Error(usage) if the similarity is a distance, differs between (i, j) and (j, i), or is single-source,
  /// whose tiles cost whole columns. Collective.
  KernelMatrix(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
               std::span<const Index> rows);

  [[nodiscard]] Index size() const { return size_; }
  /// Rows of K that this rank holds.
  [[nodiscard]] Range own() const { return own_; }
  /// Numbers of all rows in the set.
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  [[nodiscard]] const ObjectBlocks& blocks() const { return blocks_; }

  /// y = K x for this rank's rows, own().size() x columns each.
  /// @throws Error(numeric) for an entry that is not finite, Error(resource). Collective.
  void multiply(MatrixView<const double> x, MatrixView<double> y) const;

  /// Entries that one product evaluates, over all ranks.
  [[nodiscard]] Index entries_a_product() const;
  /// Rows and columns of a tile for so many objects, and bytes that a rank of so many threads needs for products of
  /// `columns` vectors beside the objects. Local.
  [[nodiscard]] static Index order_for(Index size);
  [[nodiscard]] static Index bytes(Index size, Index columns, int threads);

 private:
  struct Place {
    Index row = 0, column = 0;  // of a tile, in tiles
  };
  [[nodiscard]] std::vector<Place> own_tiles() const;
  [[nodiscard]] Range range_of(Index block) const;
  void add_batch(std::span<const Place> tiles, const double* x, Index columns, std::span<double> slots,
                 double* y) const;

  Execution execution_;
  const Similarity<T>& similarity_;
  std::vector<Index> rows_;
  Index size_ = 0, order_ = 1;
  Range own_;
  ObjectBlocks blocks_;
};

/// K(objects, centers) times coefficients, for this rank's objects `rows` (numbers in the set): rows x columns,
/// row-major. Ranks share the rows of all of them. @param coefficients  centers x columns, the same on every rank
/// @throws as KernelMatrix::multiply. Memory on every rank: 1,024 objects for each rank, a tile for each thread.
/// Collective.
template <class T>
[[nodiscard]] std::vector<double> multiply_by_centers(const Execution& execution, const Similarity<T>& similarity,
                                                      const ObjectSet& objects, std::span<const Index> rows,
                                                      const ObjectBlocks& centers,
                                                      MatrixView<const double> coefficients);

}  // namespace cairn

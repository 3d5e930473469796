// Similarities of points that are a function of one matrix product.
#pragma once

#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// The points of a block, sparse or not.
/// @throws Error(internal) if they are of another kind, or have another number of coordinates
template <class T>
[[nodiscard]] const PointBlock<T>& compared_points(const ObjectBlock& objects, Index dimension);

/// All coordinates of the points of a block.
template <class T>
struct AllCoordinates {
  MatrixView<const T> coordinates;
};
/// Likewise, for similarities that take all coordinates. Those of sparse points are expanded; they live as long as the
/// block.
template <class T>
[[nodiscard]] AllCoordinates<T> points_of(const ObjectBlock& objects, Index dimension) {
  return {compared_points<T>(objects, dimension).all_coordinates()};
}

/// A row of a tile before its element function: the products of one point with a stripe of column points.
template <class T>
struct GramRow {
  MatrixView<const T> point{};                      ///< coordinates of the row's point; empty if the points are sparse
  T norm = 0;                                       ///< result of from_squares() for its squared norm
  MatrixView<const T> columns{};                    ///< points of the stripe; empty if they are sparse
  const T* column_norms = nullptr;                  ///< their norms
  Index first = 0;                                  ///< number of the stripe's first column in the tile
  Index count = 0;                                  ///< number of columns of the stripe
  T largest_norm = 0;                               ///< largest norm of all columns of the tile
  bool base = false;                                ///< the base distance is wanted
  SparseRow<T> entries{};                           ///< the row's point, if the points are sparse
  const SparsePoints<T>* sparse_columns = nullptr;  ///< all columns of the tile, if the points are sparse

  /// Squared distance from the point to column b of the stripe, by differences of coordinates.
  [[nodiscard]] T squared_distance(Index b) const;
};

/// k(x, y) = f(x.y, |x|, |y|). A tile is cut into blocks whose products stay in cache, and the element function
/// processes each row of a block at once: every entry is written to memory a single time. Products come from BLAS or,
/// for few coordinates, where BLAS spends its time on packing, from vector_math::dot_panel. Products with sparse
/// points, on either side, come from the entries of the columns by coordinate: a row costs the number of matching
/// entries.
template <class T>
class GramSimilarity : public Similarity<T> {
 public:
  [[nodiscard]] double cost(const ObjectBlock& rows) const override;

 protected:
  /// @param factor  the products are factor * x.y
  GramSimilarity(EntryTraits traits, Index dimension, T factor)
      : Similarity<T>(std::move(traits)), dimension_(dimension), factor_(factor), number_(next_number()) {}
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// Turns the squared Euclidean norm of each point into what the element function needs, in place. Unchanged by
  /// default.
  virtual void from_squares(const PointBlock<T>& points, T* squares) const;
  /// These values for the points of a block.
  void norms(const PointBlock<T>& points, T* out) const;
  /// The squared Euclidean norm of point i of a block.
  [[nodiscard]] T square_of(const PointBlock<T>& points, Index i) const;
  /// Throws an Error that names the point if similarities are not defined for it. Called for both points of a value
  /// that is not finite, before that is reported. Does nothing by default. Local.
  virtual void require_defined(const PointBlock<T>& /*points*/, Index /*i*/) const {}
  /// Turns products into similarities, in place; false if one of them is not finite.
  virtual bool finish_row(const GramRow<T>& row, T* values) const = 0;
  /// Sets the entries of objects with themselves; called after all rows are finished. Does nothing by default.
  virtual void finish_diagonal(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out, bool base) const;

  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    compute(rows, columns, out, false);
  }
  /// Computes the tile of the similarity or, with `base`, of its base distance.
  void compute(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out, bool base) const;

 private:
  [[nodiscard]] static std::uint64_t next_number();
  // Data shared by the blocks of a tile.
  struct Tile;
  void compute_by_blas(const Tile& tile) const;
  void compute_by_panels(const Tile& tile) const;
  void compute_by_entries(const Tile& tile) const;
  void finish(const Tile& tile, Index a, Range columns) const;

  [[nodiscard]] bool by_panels() const;
  void pack(MatrixView<const T> points, T* packed) const;
  [[nodiscard]] std::shared_ptr<const PreparedColumns<T>> prepared(const PointBlock<T>& columns, Index rows) const;

  Index dimension_;
  T factor_;
  std::uint64_t number_;  // of this similarity, for PreparedColumns
};

}  // namespace cairn

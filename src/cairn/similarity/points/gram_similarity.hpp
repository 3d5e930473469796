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
/// The same, for similarities that take all coordinates: those of sparse points are made, and live as long as the
/// block.
template <class T>
[[nodiscard]] AllCoordinates<T> points_of(const ObjectBlock& objects, Index dimension) {
  return {compared_points<T>(objects, dimension).all_coordinates()};
}

/// A row of a tile before its element function: the products of one point with a stripe of column points.
template <class T>
struct GramRow {
  MatrixView<const T> point{};                      ///< of the row: its coordinates; empty if the points are sparse
  T norm = 0;                                       ///< what from_squares() makes of its squared norm
  MatrixView<const T> columns{};                    ///< points of the stripe; empty if they are sparse
  const T* column_norms = nullptr;                  ///< their norms
  Index first = 0;                                  ///< number of the stripe's first column in the tile
  Index count = 0;                                  ///< how many there are
  T largest_norm = 0;                               ///< largest norm of all columns of the tile
  bool base = false;                                ///< the distance is wanted that the similarity is a function of
  SparseRow<T> entries{};                           ///< of the row's point, if the points are sparse
  const SparsePoints<T>* sparse_columns = nullptr;  ///< all columns of the tile, if they are

  /// From the point to column b of the stripe, by differences of coordinates.
  [[nodiscard]] T squared_distance(Index b) const;
};

/// k(x, y) = f(x.y, |x|, |y|). A tile is cut into blocks whose products stay in a cache, and the element function goes
/// over each row of them at once: every entry is written to memory a single time. Products come from BLAS, or, for few
/// coordinates, where BLAS spends its time on packing, from vector_math::dot_panel. Those of sparse points, on either
/// side, come from the entries of the columns by coordinate: a row costs what its entries meet there.
template <class T>
class GramSimilarity : public Similarity<T> {
 public:
  [[nodiscard]] double cost(const ObjectBlock& rows) const override;

 protected:
  /// @param factor  the products are factor * x.y
  GramSimilarity(EntryTraits traits, Index dimension, T factor)
      : Similarity<T>(std::move(traits)), dimension_(dimension), factor_(factor) {}
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// What the element function wants to know of each point, made of its squared Euclidean norm in place: by default
  /// that itself.
  virtual void from_squares(const PointBlock<T>& points, T* squares) const;
  /// These of the points of a block.
  void norms(const PointBlock<T>& points, T* out) const;
  /// The squared Euclidean norm of point i of a block.
  [[nodiscard]] T square_of(const PointBlock<T>& points, Index i) const;
  /// Throws an Error that names the point if it is one for which similarities are not defined. Called of both points
  /// of a value that is not finite, before that is reported. Nothing by default. Local.
  virtual void require_defined(const PointBlock<T>& /*points*/, Index /*i*/) const {}
  /// Turns products into similarities, in place; false if one of them is not finite.
  virtual bool finish_row(const GramRow<T>& row, T* values) const = 0;
  /// Entries of an object with itself; called after all rows are finished. Nothing by default.
  virtual void finish_diagonal(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out, bool base) const;

  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    compute(rows, columns, out, false);
  }
  /// The tile, of the similarity or, with `base`, of the distance that it is a function of.
  void compute(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out, bool base) const;

 private:
  // What the blocks of a tile share.
  struct Tile;
  void compute_by_blas(const Tile& tile) const;
  void compute_by_panels(const Tile& tile) const;
  void compute_by_entries(const Tile& tile) const;
  void finish(const Tile& tile, Index a, Range columns) const;

  Index dimension_;
  T factor_;
};

}  // namespace cairn

// Similarities of points that are a function of one matrix product.
#pragma once

#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// The points of a block. @throws Error(internal) if they are of another kind, or have another number of coordinates
template <class T>
[[nodiscard]] const PointBlock<T>& points_of(const ObjectBlock& objects, Index dimension);

/// A row of a tile before its element function: the products of one point with a stripe of column points.
template <class T>
struct GramRow {
  const T* point = nullptr;         ///< coordinates of the row's point
  T norm = 0;                       ///< its norm as norms() gives it
  MatrixView<const T> columns;      ///< points of the stripe
  const T* column_norms = nullptr;  ///< their norms
  T largest_norm = 0;               ///< largest norm of all columns of the tile
  bool base = false;                ///< the distance is wanted that the similarity is a function of
};

/// k(x, y) = f(x.y, |x|, |y|). A tile is cut into blocks whose products stay in a cache, and the element function goes
/// over each row of them at once: every entry is written to memory a single time. Products come from BLAS, or, for few
/// coordinates, where BLAS spends its time on packing, from vector_math::dot_panel.
template <class T>
class GramSimilarity : public Similarity<T> {
 public:
  [[nodiscard]] double cost(const ObjectBlock& rows) const override;

 protected:
  /// @param factor  the products are factor * x.y
  GramSimilarity(EntryTraits traits, Index dimension, T factor)
      : Similarity<T>(std::move(traits)), dimension_(dimension), factor_(factor) {}
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// What the element function wants to know of each point: by default its squared Euclidean norm.
  virtual void norms(MatrixView<const T> points, T* out) const;
  /// Throws an Error that names the point if it is one for which similarities are not defined. Called of both points
  /// of a value that is not finite, before that is reported. Nothing by default. Local.
  virtual void require_defined(const T* /*point*/, Index /*id*/) const {}
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
  void finish(const Tile& tile, Index a, Range columns) const;

  Index dimension_;
  T factor_;
};

}  // namespace cairn

// Points in d dimensions, with labels and other texts where the data have them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/points/sparse_points.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// What a similarity makes of points that are columns of many tiles.
template <class T>
struct PreparedColumns {
  std::uint64_t maker = 0;  ///< number of the similarity
  std::vector<T> norms{};   ///< of each point, as it needs them; empty: the points were columns once
  Buffer<T> packed{};       ///< coordinates in its order; empty: it needs none
};

/// Holds the prepared columns of a block. Several threads may read and replace them. A block that is moved loses them.
template <class T>
class PreparedPlace {
 public:
  PreparedPlace() = default;
  PreparedPlace(PreparedPlace&& /*other*/) noexcept {}
  PreparedPlace& operator=(PreparedPlace&& /*other*/) noexcept {
    columns_.store(nullptr);
    return *this;
  }
  [[nodiscard]] std::shared_ptr<const PreparedColumns<T>> load() const { return columns_.load(); }
  void store(std::shared_ptr<const PreparedColumns<T>> columns) { columns_.store(std::move(columns)); }

 private:
  std::atomic<std::shared_ptr<const PreparedColumns<T>>> columns_{};
};

/// Points held entirely by one rank: a row-major view of size() x dimension coordinates, in `owned` or in a PointSet.
/// Sparse points: their entries, and no coordinates.
template <class T>
struct PointBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  MatrixView<const T> coordinates;
  Buffer<T> owned;
  std::unique_ptr<const SparsePoints<T>> sparse;  ///< null: the points have all coordinates
  /// Made by one tile for the next ones; null: the points were not columns of a tile yet.
  mutable PreparedPlace<T> prepared{};

  [[nodiscard]] Index dimension() const { return sparse ? sparse->columns() : coordinates.columns; }
  /// All coordinates. For sparse points they are created by the first call and live as long as the block. Thread-safe.
  [[nodiscard]] MatrixView<const T> all_coordinates() const { return sparse ? sparse->dense() : coordinates; }
  /// Writes the coordinates as one array without a name; for sparse points starts, columns and values.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
};

/// n points in `dimension` coordinates of type T, stored with all coordinates or, if sparse, by their nonzeros. Labels
/// and other texts: one per point, or none at all.
template <class T>
class PointSet final : public ObjectSet {
 public:
  /// @param labels  this rank's labels, one per row of `coordinates`, or empty on every rank
  PointSet(RowBlock<T> coordinates, int rank, std::vector<std::string> labels);
  /// Sparse points. @param entries  nonzeros, columns ascending within a row
  PointSet(SparseRows<T> entries, int rank, std::vector<std::string> labels);

  [[nodiscard]] Index dimension() const override { return sparse_ ? entries_.columns() : coordinates_.columns(); }
  [[nodiscard]] bool is_sparse() const { return sparse_; }
  /// All coordinates. @throws Error(internal) if the points are sparse
  [[nodiscard]] RowBlock<T>& coordinates();
  [[nodiscard]] const RowBlock<T>& coordinates() const;
  /// The entries of sparse points. @throws Error(internal) if the points are not sparse
  [[nodiscard]] SparseRows<T>& entries();
  [[nodiscard]] const SparseRows<T>& entries() const;
  /// Copies all coordinates of a point of this rank, dimension() numbers of type U: float or double. Local.
  template <class U>
  void copy_point(Index global, std::span<U> out) const;
  /// A copy of all coordinates of all points, each rank those of its points. Collective. @throws Error(resource) if a
  /// node does not have the memory
  [[nodiscard]] RowBlock<T> all_coordinates(const Communicator& communicator) const;

  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather_entries(const Communicator& communicator,
                                                            std::span<const Index> ids) const;
  bool sparse_ = false;
  SparseRows<T> entries_;
  RowBlock<T> coordinates_;
};

/// A PointBlock that owns a copy of `values` (row-major, ids.size() x dimension). @param set  the set of the points; by
/// default a set of their own
template <class T>
[[nodiscard]] std::unique_ptr<PointBlock<T>> make_point_block(std::vector<Index> ids, Index dimension,
                                                              std::span<const T> values, SetIdentity set = {});

/// Logs that sparse points are stored with all coordinates, why, and the memory that this takes. Every rank calls it.
template <class T>
void note_all_coordinates(const Communicator& communicator, const PointSet<T>& points, const std::string& what);

/// data_digest() of the same points in the other form: sparse points with all coordinates, others as entries.
/// Collective.
template <class T>
[[nodiscard]] std::uint64_t digest_of_other_form(const Communicator& communicator, const PointSet<T>& points);

/// The same points with all coordinates, and the same texts. Collective. @throws Error(resource) if there is no memory
/// for them
template <class T>
[[nodiscard]] PointSet<T> with_all_coordinates(const Communicator& communicator, const PointSet<T>& points);

/// True if the arrays are those of a block of sparse points. Local.
[[nodiscard]] bool holds_sparse_points(const ArrayReader& arrays);

/// Reads the points that a PointBlock<T> wrote. @throws Error(input) for another number of points or coordinates, or
/// numbers that have another type or are not finite. Local.
template <class T>
[[nodiscard]] std::unique_ptr<ObjectBlock> read_point_block(const StoredObjects& stored);

}  // namespace cairn

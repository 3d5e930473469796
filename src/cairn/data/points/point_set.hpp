// Points in d dimensions, with labels and other texts where the data have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Points held whole by one rank: a row-major view of size() x dimension coordinates, into `owned` or into a PointSet.
template <class T>
struct PointBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  MatrixView<const T> coordinates;
  Buffer<T> owned;

  /// One array without a name: the coordinates.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
};

/// n points in `dimension` coordinates of type T. Labels and other texts: one a point, or none at all.
template <class T>
class PointSet final : public ObjectSet {
 public:
  /// @param labels  this rank's labels, one a row of `coordinates`, or empty on every rank
  PointSet(RowBlock<T> coordinates, int rank, std::vector<std::string> labels);
  /// Takes these texts instead of those that it has. Local.
  void set_texts(ObjectTexts texts) { texts_ = std::move(texts); }

  [[nodiscard]] Index dimension() const override { return coordinates_.columns(); }
  [[nodiscard]] RowBlock<T>& coordinates() { return coordinates_; }
  [[nodiscard]] const RowBlock<T>& coordinates() const { return coordinates_; }
  [[nodiscard]] const std::vector<std::string>& labels() const override { return texts_.labels; }
  [[nodiscard]] const std::vector<std::string>& splits() const override { return texts_.splits; }
  [[nodiscard]] const std::vector<std::string>& groups() const override { return texts_.groups; }
  [[nodiscard]] const std::vector<std::string>& identifiers() const override { return texts_.identifiers; }

  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  RowBlock<T> coordinates_;
  ObjectTexts texts_;
};

/// A PointBlock that owns a copy of `values` (row-major, ids.size() x dimension). @param set  that the points belong
/// to; by default they are a set of their own
template <class T>
[[nodiscard]] std::unique_ptr<PointBlock<T>> make_point_block(std::vector<Index> ids, Index dimension,
                                                              std::span<const T> values, SetIdentity set = {});

/// The points that a PointBlock<T> has written. @throws Error(input) for another number of points or coordinates,
/// numbers of another type, or not finite. Local.
template <class T>
[[nodiscard]] std::unique_ptr<ObjectBlock> read_point_block(const StoredObjects& stored);

}  // namespace cairn

// Rows of a factor that no rank holds: similarities with the landmarks, evaluated when they are asked for.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// The error of whoever needs rows that are not kept. @param path  of the result, if it is in a file
[[nodiscard]] inline Error rows_not_kept(const std::string& path = "the result") {
  return {ErrorKind::usage, path +
                                " keeps no rows of its left factor (store-left = false): give it to evaluate, to "
                                "extend, or to train --krr-method centers, which evaluate them"};
}

/// L = K(objects, landmarks), n x s, of which a rank holds a tile a thread while it computes with them. Each use
/// evaluates the similarities anew, and counts them. Without the objects only the shape is known.
template <class T>
class LandmarkRows {
 public:
  /// The shape. Local.
  LandmarkRows(const RowPartition& partition, int rank, Index columns)
      : partition_(partition), rank_(rank), columns_(columns) {}
  /// @param similarity, objects  must outlive every use @param landmarks  replicated. Local.
  LandmarkRows(int rank, const Similarity<T>& similarity, const ObjectSet& objects,
               std::shared_ptr<const ObjectBlock> landmarks)
      : LandmarkRows(objects.partition(), rank, landmarks->size()) {
    similarity_ = &similarity;
    objects_ = &objects;
    landmarks_ = std::move(landmarks);
  }

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] Range range() const { return partition_.range(rank_); }
  [[nodiscard]] Index columns() const { return columns_; }
  /// The shape alone.
  [[nodiscard]] LandmarkRows shape() const { return {partition_, rank_, columns_}; }

  /// Calls use(rows, values) with all own rows, some at a time. Several threads call it at once, with different rows.
  /// @throws Error(numeric) for values that are not finite; Error(usage) if only the shape is known. Local.
  void visit(int threads, const std::function<void(Range rows, MatrixView<const T> values)>& use) const;

  /// The rows `ids` (any order, repeats allowed, each rank has its own list), row-major. The caller bounds their
  /// number: the objects of all of them are held at once. @throws as visit(). Collective.
  [[nodiscard]] Buffer<T> at(const Execution& execution, std::span<const Index> ids) const;

 private:
  RowPartition partition_;
  int rank_;
  Index columns_;
  const Similarity<T>* similarity_ = nullptr;
  const ObjectSet* objects_ = nullptr;
  std::shared_ptr<const ObjectBlock> landmarks_;
};

}  // namespace cairn

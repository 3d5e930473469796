// Rows of a factor that no rank holds: similarities with the landmarks, evaluated when they are asked for.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// The error of whoever needs rows that are not kept. @param path  of the result, if it is in a file
[[nodiscard]] inline Error rows_not_kept(const std::string& path = "the result") {
  return {ErrorKind::usage, path +
                                " keeps no rows of its left factor (store-left = false): cairn extend computes those "
                                "of some objects; cairn evaluate and cairn train --krr-method centers need none"};
}

/// L = K(objects, landmarks), n x s. Each use evaluates the similarities anew, and counts them. Without the objects
/// only the shape is known, and every use is Error(usage).
template <class T>
class LandmarkRows {
 public:
  /// The shape. Local.
  LandmarkRows(const RowPartition& partition, int rank, Index columns)
      : partition_(partition), rank_(rank), columns_(columns) {}
  /// @param similarity, objects  must outlive every use @param landmarks  replicated, of `objects`. Local.
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

  /// n x width: row i is computed from row i of L by `map`, which several threads call with rows of L and their place
  /// in the result. The loop is scheduled as in evaluate_columns.
  /// @param loop  its name, unique within a run @throws Error(numeric) for values that are not finite. Collective.
  [[nodiscard]] RowBlock<double> mapped(
      const Execution& execution, const std::string& loop, Index width,
      const std::function<void(MatrixView<const T> rows, MatrixView<double> out)>& map) const;

  /// Squared Euclidean norms of the own rows: over the largest of all ranks, or all 0. Collective.
  [[nodiscard]] std::vector<double> squared_norms(const Execution& execution) const;

  /// The rows `ids` (the same list on every rank), distributed evenly, in an order that depends on the list alone.
  /// @throws as mapped(). Collective. Memory: every rank holds these objects.
  [[nodiscard]] RowBlock<T> at(const Execution& execution, std::span<const Index> ids) const;
  /// Number of rows that each rank may ask for at once, so that at() takes 64 MiB of objects and of rows. Collective.
  [[nodiscard]] Index at_once(const Communicator& communicator) const;

 private:
  void require_objects() const {
    if (similarity_ == nullptr) throw rows_not_kept();
  }

  RowPartition partition_;
  int rank_;
  Index columns_;
  const Similarity<T>* similarity_ = nullptr;
  const ObjectSet* objects_ = nullptr;
  std::shared_ptr<const ObjectBlock> landmarks_;
};

}  // namespace cairn

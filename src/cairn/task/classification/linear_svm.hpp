// Linear support vector machines on rows in LIBLINEAR's format.
#pragma once

#include <linear.h>

#include <span>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// Rows of a factor in LIBLINEAR's format. The rows of all ranks are stored once per node: 16 bytes per nonzero entry,
/// and 8 per row.
class SvmRows final : public PlaneRows {
 public:
  /// @param rows  global numbers of own rows, ascending: the rows of all ranks are then stored in their order
  /// @param bias  as in SvmOptions
  /// @throws Error(resource) if a node's memory is insufficient, or if there are more rows or columns than LIBLINEAR
  ///   can count. Memory: this rank's rows once more while they are copied. Collective.
  template <class T>
  SvmRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias);

  [[nodiscard]] Index size() const { return starts_.size(); }
  [[nodiscard]] Index columns() const override { return columns_; }
  [[nodiscard]] double bias() const { return bias_; }
  /// Row i of all rows, terminated as LIBLINEAR expects. It is not modified; LIBLINEAR's interface requires the
  /// non-const type.
  [[nodiscard]] feature_node* row(Index i) const { return const_cast<feature_node*>(&entries_[starts_[i]]); }
  [[nodiscard]] Index node_bytes() const override {
    return entries_.size() * static_cast<Index>(sizeof(feature_node)) +
           starts_.size() * static_cast<Index>(sizeof(Index));
  }
  /// node_bytes() for `rows` rows with `columns` entries each, before construction.
  [[nodiscard]] static Index bytes_of(Index rows, Index columns);

  /// Trains with LIBLINEAR or, for pairs, with LIBSVM. LIBLINEAR uses a trust-region Newton method if there are at
  /// least as many rows as columns; otherwise, and for the hinge, dual coordinate descent. It draws its order from
  /// rand(), which is reseeded here.
  /// @throws Error(internal) if LIBLINEAR rejects a parameter
  [[nodiscard]] SvmPlane train(const PlaneMembers& members, const SvmOptions& options) const override;

 private:
  NodeArray<feature_node> entries_;
  NodeArray<Index> starts_;
  Index columns_ = 0;
  double bias_ = 0.0;
};

}  // namespace cairn

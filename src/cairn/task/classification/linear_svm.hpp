// Linear support vector machines on rows that LIBLINEAR reads.
#pragma once

#include <linear.h>

#include <span>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// Rows of a factor as LIBLINEAR takes them, those of all ranks once per node: 16 bytes an entry that is not 0, and 8 a
/// row.
class SvmRows final : public PlaneRows {
 public:
  /// @param rows  global numbers of own rows, ascending: the rows of all ranks then stand in their order
  /// @param bias  as in SvmOptions
  /// @throws Error(resource) if a node has no room, or there are more rows or columns than LIBLINEAR can count.
  /// Memory: this rank's rows once more while they are copied. Collective.
  template <class T>
  SvmRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias);

  [[nodiscard]] Index size() const { return starts_.size(); }
  [[nodiscard]] Index columns() const override { return columns_; }
  [[nodiscard]] double bias() const { return bias_; }
  /// Row i of all, ended as LIBLINEAR expects it. Nobody writes there: the type is LIBLINEAR's.
  [[nodiscard]] feature_node* row(Index i) const { return const_cast<feature_node*>(&entries_[starts_[i]]); }
  [[nodiscard]] Index node_bytes() const override {
    return entries_.size() * static_cast<Index>(sizeof(feature_node)) +
           starts_.size() * static_cast<Index>(sizeof(Index));
  }
  /// node_bytes() of `rows` rows with `columns` entries each, before they are there.
  [[nodiscard]] static Index bytes_of(Index rows, Index columns);

  /// By LIBLINEAR or, of pairs, LIBSVM: a trust-region Newton method where there are at least as many rows as columns,
  /// else, and for the hinge, dual coordinate descent. LIBLINEAR draws its order from rand(), which starts anew here.
  /// @throws Error(internal) if LIBLINEAR refuses a parameter
  [[nodiscard]] SvmPlane train(const PlaneMembers& members, const SvmOptions& options) const override;

 private:
  NodeArray<feature_node> entries_;
  NodeArray<Index> starts_;
  Index columns_ = 0;
  double bias_ = 0.0;
};

}  // namespace cairn

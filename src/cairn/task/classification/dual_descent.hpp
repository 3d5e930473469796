// Linear support vector machines by dual coordinate descent (Hsieh et al. 2008), a given number of passes.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// Rows of a factor as it has them, those of all ranks once per node: 8 bytes an entry; of a sparse factor 12 bytes an
/// entry that is not 0.
class DescentRows final : public PlaneRows {
 public:
  /// @param rows  global numbers of own rows, ascending: the rows of all ranks then stand in their order
  /// @param bias  as in SvmOptions
  /// @throws Error(resource) if a node has no room, or a sparse factor more columns than 32 bits count. Memory: this
  /// rank's rows once more while they are copied. Collective.
  template <class T>
  DescentRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias);

  [[nodiscard]] Index size() const { return squares_.size(); }
  [[nodiscard]] Index columns() const override { return columns_; }
  [[nodiscard]] Index node_bytes() const override {
    return values_.size() * static_cast<Index>(sizeof(double)) +
           places_.size() * static_cast<Index>(sizeof(std::int32_t)) +
           (starts_.size() + squares_.size()) * static_cast<Index>(sizeof(double));
  }
  /// node_bytes() of `rows` rows with `entries` entries each, before they are there.
  [[nodiscard]] static Index bytes_of(Index rows, Index entries, bool sparse);

  /// Exactly options.passes passes over the members, each in an order of its own that (options.seed, pass) draw: the
  /// dual variable of one row after the other becomes the best for the hinge or the squared hinge, which descends to
  /// the optimum as passes grow in number.
  /// Memory: 3 numbers a member and the weights. @throws Error(internal) for another loss
  [[nodiscard]] SvmPlane train(const PlaneMembers& members, const SvmOptions& options) const override;

 private:
  class Descent;

  NodeArray<double> values_;
  NodeArray<std::int32_t> places_;  // of a sparse factor: columns of the values
  NodeArray<Index> starts_;         // of a sparse factor: where its rows begin, and where the last one ends
  NodeArray<double> squares_;       // of each row: x · x + bias²
  Index columns_ = 0;
  double bias_ = 0.0;
  bool sparse_ = false;
};

}  // namespace cairn

// Linear support vector machines by dual coordinate descent (Hsieh et al. 2008), with a given number of passes.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// Rows of a factor in its own format. The rows of all ranks are stored once per node: 8 bytes per entry; for a sparse
/// factor 12 bytes per nonzero entry.
class DescentRows final : public PlaneRows {
 public:
  /// @param rows  global numbers of own rows, ascending: the rows of all ranks are then stored in their order
  /// @param bias  as in SvmOptions
  /// @throws Error(resource) if a node's memory is insufficient, or if a sparse factor has more columns than 32 bits
  ///   can count. Memory: this rank's rows once more while they are copied. Collective.
  template <class T>
  DescentRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias);

  [[nodiscard]] Index size() const { return squares_.size(); }
  [[nodiscard]] Index columns() const override { return columns_; }
  [[nodiscard]] Index node_bytes() const override {
    return values_.size() * static_cast<Index>(sizeof(double)) +
           places_.size() * static_cast<Index>(sizeof(std::int32_t)) +
           (starts_.size() + squares_.size()) * static_cast<Index>(sizeof(double));
  }
  /// node_bytes() for `rows` rows with `entries` entries each, before construction.
  [[nodiscard]] static Index bytes_of(Index rows, Index entries, bool sparse);

  /// Makes exactly options.passes passes over the members, each in a random order given by (options.seed, pass). Each
  /// step optimizes the dual variable of one row for the hinge or the squared hinge; the solution converges to the
  /// optimum as the number of passes grows.
  /// Memory: 3 numbers per member and the weights. @throws Error(internal) for another loss
  [[nodiscard]] SvmPlane train(const PlaneMembers& members, const SvmOptions& options) const override;

 private:
  class Descent;

  NodeArray<double> values_;
  NodeArray<std::int32_t> places_;  // of a sparse factor: columns of the values
  NodeArray<Index> starts_;         // of a sparse factor: begins of its rows, and the end of the last one
  NodeArray<double> squares_;       // of each row: x · x + bias²
  Index columns_ = 0;
  double bias_ = 0.0;
  bool sparse_ = false;
};

}  // namespace cairn

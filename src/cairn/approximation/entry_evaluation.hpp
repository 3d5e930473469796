// Entries of K~ in several calls.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/entry_limits.hpp"
#include "cairn/base/buffer.hpp"

namespace cairn {

/// Evaluates entries of K~ = g(L J Rᵀ) in several calls. A dense J of at most 64 MiB comes to every rank in the first
/// of them and stays until the end. A larger one comes in panels in each of them, or stays where it is
/// (CoreLimits::grid_pays).
template <class T>
class EntryEvaluation {
 public:
  /// `approximation` must outlive this. Local.
  EntryEvaluation(const Execution& execution, const Approximation<T>& approximation,
                  const entry_limits::CoreLimits& limits = {})
      : execution_(execution), approximation_(approximation), limits_(limits) {}

  /// As approximate_entries. Collective.
  [[nodiscard]] std::vector<double> at(std::span<const Index> rows, std::span<const Index> columns);

 private:
  [[nodiscard]] std::vector<double> from_landmarks(std::span<const Index> rows, std::span<const Index> columns);
  [[nodiscard]] std::vector<double> one_way(const Factor<T>& left, const Factor<T>& right, std::span<const Index> rows,
                                            std::span<const Index> columns);
  [[nodiscard]] std::vector<double> at_owners(const Factor<T>& left, const Factor<T>& right,
                                              std::span<const Index> rows, std::span<const Index> columns);
  [[nodiscard]] std::vector<double> on_grid(const Factor<T>& left, const Factor<T>& right, std::span<const Index> rows,
                                            std::span<const Index> columns, std::span<const Index> distinct);

  Execution execution_;
  const Approximation<T>& approximation_;
  entry_limits::CoreLimits limits_;
  Buffer<double> core_;  // J, row-major, once it is on every rank
};

}  // namespace cairn

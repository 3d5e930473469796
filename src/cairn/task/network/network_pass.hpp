// Evaluates a network itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/network/dense_network.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

/// A network that is evaluated for rows of points, in the precision T.
template <class T>
class NetworkPass {
 public:
  /// @param activation  f, applied to inner products (function_similarity())
  NetworkPass(const DenseNetwork& network, const SimilarityChoice& activation);

  /// y for this rank's rows, on the threads of the execution. Local.
  [[nodiscard]] RowBlock<T> outputs(const Execution& execution, const RowBlock<T>& points) const;

 private:
  void activate(T* values, Index n) const;

  Index inputs_, hidden_, outputs_;
  std::vector<T> hidden_weights_, hidden_biases_, output_weights_, output_biases_;
  std::string name_;
  std::function<double(double)> function_;
};

}  // namespace cairn

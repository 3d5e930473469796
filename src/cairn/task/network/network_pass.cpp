#include "cairn/task/network/network_pass.hpp"

#include <algorithm>

#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/vector_math.hpp"
#include "cairn/task/network/numbers.hpp"

namespace cairn {

namespace {

constexpr Index rows_at_once = 256;

int size_of(Index value) { return to_library_int(value, "inputs, units or rows of a network"); }

}  // namespace

template <class T>
NetworkPass<T>::NetworkPass(const DenseNetwork& network, const SimilarityChoice& activation)
    : inputs_(network.inputs),
      hidden_(network.hidden),
      outputs_(network.outputs),
      hidden_weights_(in_precision<T>(network.hidden_weights)),
      hidden_biases_(in_precision<T>(network.hidden_biases)),
      output_weights_(in_precision<T>(network.output_weights)),
      output_biases_(in_precision<T>(network.output_biases)),
      name_(name_of_function(activation)),
      function_(value_of_function(activation)) {}

template <class T>
void NetworkPass<T>::activate(T* values, Index n) const {
  if (name_ == "tanh") {
    vector_math::sigmoid(T(1), T(0), values, n);
  } else if (name_ == "logistic") {  // (1 + tanh(t / 2)) / 2
    vector_math::sigmoid(T(0.5), T(0), values, n);
    for (Index k = 0; k < n; ++k) values[k] = T(0.5) + T(0.5) * values[k];
  } else {
    for (Index k = 0; k < n; ++k) values[k] = static_cast<T>(function_(static_cast<double>(values[k])));
  }
}

template <class T>
RowBlock<T> NetworkPass<T>::outputs(const Execution& execution, const RowBlock<T>& points) const {
  RowBlock<T> result(points.partition(), execution.communicator.rank(), outputs_);
  const MatrixView<const T> from = points.local();
  const MatrixView<T> to = result.local();
  const Index blocks = (from.rows + rows_at_once - 1) / rows_at_once;
  Buffer<T> inner(static_cast<Index>(execution.threads) * rows_at_once * hidden_);
  const BlasThreads one(1);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (int thread = 0; thread < execution.threads; ++thread) {
    const MatrixView<T> units(inner.data() + thread * rows_at_once * hidden_, rows_at_once, hidden_);
    for (Index block = thread; block < blocks; block += execution.threads) {
      const Index begin = block * rows_at_once, rows = std::min(rows_at_once, from.rows - begin);
      const MatrixView<T> own(units.data, rows, hidden_), out(to.row(begin), rows, outputs_);
      blas::gemm('T', 'N', size_of(hidden_), size_of(rows), size_of(inputs_), T(1), hidden_weights_.data(),
                 size_of(inputs_), from.row(begin), size_of(from.stride), T(0), own.data, size_of(hidden_));
      add_to_rows(own, hidden_biases_);
      activate(own.data, rows * hidden_);
      blas::gemm('T', 'N', size_of(outputs_), size_of(rows), size_of(hidden_), T(1), output_weights_.data(),
                 size_of(hidden_), own.data, size_of(hidden_), T(0), out.data, size_of(outputs_));
      add_to_rows(out, output_biases_);
    }
  }
  return result;
}

template class NetworkPass<float>;
template class NetworkPass<double>;

}  // namespace cairn

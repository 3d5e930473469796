#include "cairn/approximation/error/validation_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

template <class T>
ValidationColumns<T>::ValidationColumns(const Execution& execution, const Similarity<T>& similarity,
                                        const ObjectSet& objects)
    : columns_(sample_without_replacement(objects.size(), std::min(most_validation_columns, objects.size()),
                                          Random(execution.seed, Stream::validation_probe))),
      exact_(evaluate_columns(execution, similarity, objects, *objects.gather(execution.communicator, columns_),
                              "probe", "validation-columns")) {}

template <class T>
double ValidationColumns<T>::relative_error(const Execution& execution, const Approximation<T>& approximation) const {
  const auto phase = execution.phases.enter("probe");
  const RowBlock<double> approximate = approximate_columns(execution, approximation, columns_);
  std::array<double, 2> sums{};  // of squared errors, of squares
  for (Index x = exact_.range().begin; x < exact_.range().end; ++x) {
    const auto exact = exact_.row(x);
    const auto values = approximate.row(x);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const double error = values[k] - static_cast<double>(exact[k]);
      sums[0] += error * error;
      sums[1] += static_cast<double>(exact[k]) * static_cast<double>(exact[k]);
    }
  }
  execution.communicator.sum(std::span<double>(sums));
  if (!(sums[1] > 0.0))
    throw Error(ErrorKind::numeric, "the columns of the matrix that candidates are compared on are 0");
  return std::sqrt(sums[0] / sums[1]);
}

template class ValidationColumns<float>;
template class ValidationColumns<double>;

}  // namespace cairn

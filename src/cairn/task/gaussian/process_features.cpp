#include "cairn/task/gaussian/process_features.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

template <class T>
std::vector<double> dense_rows(const Factor<T>& factor, std::span<const Index> rows) {
  const auto width = static_cast<std::size_t>(factor.columns());
  std::vector<double> values(rows.size() * width, 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double* out = values.data() + r * width;
    if (factor.is_sparse()) {
      const SparseRow<T> row = factor.sparse().row(rows[r]);
      for (std::size_t e = 0; e < row.columns.size(); ++e) out[row.columns[e]] = static_cast<double>(row.values[e]);
    } else {
      factor.tall().copy_row(rows[r], out);
    }
  }
  return values;
}

template <class T>
std::vector<Normal> predict(const Execution& execution, const GaussianProcess& process, const Factor<T>& factor,
                            std::span<const Index> rows) {
  constexpr std::size_t block = 256;
  const Communicator& communicator = execution.communicator;
  const auto n = static_cast<double>(process.observations()), width = static_cast<double>(factor.columns());
  const auto most = static_cast<double>(communicator.maximum(static_cast<Index>(rows.size())));
  const Watchdog::Patience patience(silent_seconds(most * n * (n + width), 1));  // waits for ranks that have more rows
  return collectively(communicator, [&] {
    std::vector<Normal> predicted;
    for (std::size_t begin = 0; begin < rows.size(); begin += block) {
      const auto part = rows.subspan(begin, std::min(block, rows.size() - begin));
      const std::vector<double> features = dense_rows(factor, part);
      const std::vector<Normal> found =
          process.predict({features.data(), static_cast<Index>(part.size()), factor.columns()});
      predicted.insert(predicted.end(), found.begin(), found.end());
      Watchdog::beat();
    }
    return predicted;
  });
}

template std::vector<double> dense_rows(const Factor<float>&, std::span<const Index>);
template std::vector<double> dense_rows(const Factor<double>&, std::span<const Index>);
template std::vector<Normal> predict(const Execution&, const GaussianProcess&, const Factor<float>&,
                                     std::span<const Index>);
template std::vector<Normal> predict(const Execution&, const GaussianProcess&, const Factor<double>&,
                                     std::span<const Index>);

}  // namespace cairn

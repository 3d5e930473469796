#include "cairn/approximation/distance_geometry/reference_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

constexpr Index panel = 512;  // rows per panel

}  // namespace

template <class T>
ReferenceLoss reference_loss(const Execution& execution, const RowBlock<T>& columns, std::span<const Index> indices,
                             const RowBlock<T>& points) {
  const BlasThreads threads(execution.threads);
  const Index m = std::ssize(indices), k = points.columns(), own = columns.range().size();
  const Buffer<T> fetched = fetch_rows(execution.communicator, points, indices);
  std::array<double, 3> sums{};  // squared differences, squares, terms
  collectively(execution.communicator, [&] {
    const std::vector<double> references(fetched.data(), fetched.data() + m * k);
    std::vector<Index> place(own, -1);  // positions of own rows among the references
    for (Index r = 0; r < m; ++r) {
      const Index object = indices[r];
      if (columns.range().contains(object)) place[object - columns.range().begin] = r;
    }
    std::vector<double> x(panel * k), products(static_cast<std::size_t>(panel * m));
    for (Index begin = 0; begin < own; begin += panel) {
      const Index count = std::min(panel, own - begin);
      std::copy_n(points.local().row(begin), count * k, x.data());
      multiply<double>({x.data(), count, k}, transposed<double>({references.data(), m, k}),
                       {products.data(), count, m});
      for (Index i = 0; i < count; ++i) {
        const T* wanted = columns.local().row(begin + i);
        const Index reference = place[begin + i];
        for (Index j = 0; j < m; ++j) {
          // A pair of references appears in both of their rows.
          const double weight = reference < 0 || reference == j ? 1.0 : 0.5;
          const auto g = static_cast<double>(wanted[j]);
          const double difference = products[i * m + j] - g;
          sums[0] += weight * difference * difference;
          sums[1] += weight * g * g;
          sums[2] += weight;
        }
      }
    }
  });
  execution.communicator.sum(std::span<double>(sums));
  return {sums[0] / sums[2], sums[1] > 0 ? sums[0] / sums[1] : 0.0};
}

void report_loss(const ReferenceLoss& loss, MethodReport& report) {
  report.metrics.emplace_back("loss", loss.loss);
  report.metrics.emplace_back("relative_loss", loss.relative);
  report.notes.push_back(
      fmt::format("the mean of the squared differences from the entries with references is {:.6g}, {:.3g} of the mean "
                  "of their squares",
                  loss.loss, loss.relative));
}

template ReferenceLoss reference_loss(const Execution&, const RowBlock<float>&, std::span<const Index>,
                                      const RowBlock<float>&);
template ReferenceLoss reference_loss(const Execution&, const RowBlock<double>&, std::span<const Index>,
                                      const RowBlock<double>&);

}  // namespace cairn

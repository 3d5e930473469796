#include "cairn/run/transport/kernel_factors.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

template <class T>
const Measure<T>& measure(const KernelProblem<T>& problem, Side side) {
  return side == Side::source ? problem.source : problem.target;
}

// The points of both sides, in the order of the list. Local.
template <class T>
RowBlock<T> listed_points(const KernelProblem<T>& problem) {
  const Index dimension = problem.source.dimension;
  RowBlock<T> block(problem.rows.partition(), problem.execution.communicator.rank(), dimension);
  for (const Side side : {Side::source, Side::target}) {
    const Measure<T>& own = measure(problem, side);
    for (Index number = own.own.begin; number < own.own.end; ++number) {
      std::copy_n(own.points().row(number - own.own.begin), dimension,
                  block.row(problem.rows.row(side, number)).data());
    }
  }
  return block;
}

// The points of a side, redistributed. Collective.
template <class T>
std::unique_ptr<PointSet<T>> points_of_side(const KernelProblem<T>& problem, const RowBlock<T>& listed, Side side) {
  const Communicator& communicator = problem.execution.communicator;
  const RowPartition partition(measure(problem, side).size, communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> wanted;
  for (Index number = own.begin; number < own.end; ++number) wanted.push_back(problem.rows.row(side, number));
  const Buffer<T> found = fetch_rows(communicator, listed, std::span<const Index>(wanted));
  return collectively(communicator, [&] {
    RowBlock<T> rows(partition, communicator.rank(), listed.columns());
    std::copy_n(found.data(), found.size(), rows.local().data);
    return std::make_unique<PointSet<T>>(std::move(rows), communicator.rank(), std::vector<std::string>{});
  });
}

// Rows of L and R at the positions of their points in the list.
template <class T>
RowBlock<T> listed_factor(const KernelProblem<T>& problem, const Approximation<T>& approximation) {
  const Communicator& communicator = problem.execution.communicator;
  const Index columns = approximation.left.columns();
  RowBlock<T> factor =
      collectively(communicator, [&] { return RowBlock<T>(problem.rows.partition(), communicator.rank(), columns); });
  for (const Side side : {Side::source, Side::target}) {
    const RowBlock<T>& from = (side == Side::source ? approximation.left : *approximation.right).dense();
    const Range own = measure(problem, side).own;
    std::vector<Index> numbers;
    for (Index number = own.begin; number < own.end; ++number) numbers.push_back(number);
    const Buffer<T> found = fetch_rows(communicator, from, std::span<const Index>(numbers));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      std::copy_n(found.data() + static_cast<Index>(k) * columns, columns,
                  factor.row(problem.rows.row(side, numbers[k])).data());
    }
  }
  return factor;
}

}  // namespace

template <class T>
Computed<T> kernel_factors(const KernelProblem<T>& problem) {
  const Execution& execution = problem.execution;
  const Communicator& communicator = execution.communicator;
  const bool across = problem.across && problem.method.method->rectangular;
  RowBlock<T> listed = collectively(communicator, [&] { return listed_points(problem); });
  Data<T> data;
  data.kind = &point_data();
  if (across) {
    data.objects = points_of_side(problem, listed, Side::source);
    data.right = points_of_side(problem, listed, Side::target);
    listed = {};
  } else {
    data.objects = collectively(communicator, [&] {
      return std::make_unique<PointSet<T>>(std::move(listed), communicator.rank(), std::vector<std::string>{});
    });
  }
  const ExactMatrix<T> exact = make_exact_matrix(execution, data, problem.similarity, problem.method);
  Computed<T> computed = compute(execution, data, exact, problem.method,
                                 {.similarity = &problem.similarity.values, .budget = problem.budget});
  Approximation<T>& kernel = computed.approximation;
  if (across) {
    kernel.left = listed_factor(problem, kernel);
    kernel.right.reset();
    kernel.rectangular = false;
  }
  kernel.left_origin.reset();  // its objects refer to points that are destroyed here
  kernel.right_origin.reset();
  return computed;
}

template Computed<float> kernel_factors(const KernelProblem<float>&);
template Computed<double> kernel_factors(const KernelProblem<double>&);

}  // namespace cairn

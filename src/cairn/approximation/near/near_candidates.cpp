#include "cairn/approximation/near/near_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cairn/approximation/columns_in_turn.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"

namespace cairn {

namespace {

constexpr Index block_bytes = Index{128} << 20;  // of K~ on a rank
constexpr Index fewest_columns = 16, most_columns = 1024;

// Of a candidate: how far it is, and its number.
struct Scored {
  float far = std::numeric_limits<float>::infinity();
  Index object = std::numeric_limits<Index>::max();

  friend bool operator<(const Scored& a, const Scored& b) {
    return a.far != b.far ? a.far < b.far : a.object < b.object;
  }
};

// Single precision hides what the order of sums does to equal values.
float distance_of(double value, Meaning meaning) {
  if (std::isnan(value)) return std::numeric_limits<float>::infinity();
  return static_cast<float>(meaning == Meaning::similarity ? -value : value);
}

// Takes the columns that begin with number `first` into the heap of an object, the farthest candidate on top.
void take(std::span<const double> values, Index first, Index object, Meaning meaning, std::span<Scored> heap) {
  for (std::size_t c = 0; c < values.size(); ++c) {
    const Scored found{distance_of(values[c], meaning), first + static_cast<Index>(c)};
    if (!(found < heap.front()) || found.object == object) continue;
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = found;
    std::push_heap(heap.begin(), heap.end());
  }
}

}  // namespace

Index candidate_columns(Index largest_rows) {
  const Index bytes = std::max<Index>(1, largest_rows) * static_cast<Index>(sizeof(double));
  return std::clamp<Index>(block_bytes / bytes, fewest_columns, most_columns);
}

template <class T>
std::vector<Index> near_candidates(const Execution& execution, const Approximation<T>& approximation, Index count) {
  const Communicator& communicator = execution.communicator;
  const Index n = approximation.left.rows();
  const Range own = approximation.left.range();
  auto heaps =
      collectively(communicator, [&] { return std::vector<Scored>(static_cast<std::size_t>(own.size() * count)); });
  const Index together = candidate_columns(communicator.maximum(own.size()));
  auto all = collectively(communicator, [&] { return std::vector<Index>(static_cast<std::size_t>(n)); });
  std::iota(all.begin(), all.end(), Index{0});
  ColumnsInTurn<T> columns(execution, approximation, std::move(all));
  Progress progress("near objects", n, communicator.is_root(), "columns/s");
  for (Index begin = 0; begin < n; begin += together) {
    const Index width = std::min(together, n - begin);
    const RowBlock<double> block = columns.next(width);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
    for (Index i = own.begin; i < own.end; ++i) {
      take(
          block.row(i), begin, i, approximation.meaning,
          std::span(heaps).subspan(static_cast<std::size_t>((i - own.begin) * count), static_cast<std::size_t>(count)));
    }
    progress.advance(width);
    Watchdog::beat();
  }
  std::vector<Index> objects(heaps.size());
  std::ranges::transform(heaps, objects.begin(), &Scored::object);
  for (Index i = 0; i < own.size(); ++i) {
    std::sort(objects.begin() + i * count, objects.begin() + (i + 1) * count);
  }
  return objects;
}

template std::vector<Index> near_candidates(const Execution&, const Approximation<float>&, Index);
template std::vector<Index> near_candidates(const Execution&, const Approximation<double>&, Index);

}  // namespace cairn

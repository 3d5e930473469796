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

constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr Index none = std::numeric_limits<Index>::max();

// A candidate: its distance and its number.
struct Scored {
  double far = nowhere;
  Index object = none;

  friend bool operator<(const Scored& a, const Scored& b) {
    return a.far != b.far ? a.far < b.far : a.object < b.object;
  }
};

double distance_of(double value, Meaning meaning) {
  if (std::isnan(value)) return nowhere;
  return meaning == Meaning::similarity ? -value : value;
}

// The candidates of one object: a heap, the farthest on top. The order of sums changes equal values by at most
// `rounding` of the largest value so far: values that differ by no more count as equal. Columns come in ascending
// order, so that among equal ones the first stay.
class Candidates {
 public:
  Candidates(std::span<Scored> heap, double& largest, double rounding)
      : heap_(heap), largest_(largest), rounding_(rounding) {}

  void take(Scored found) {
    if (std::isfinite(found.far)) largest_ = std::max(largest_, std::abs(found.far));
    const bool full = heap_.front().object != none;
    const double as_far = heap_.front().far - rounding_ * largest_;
    if (full && !(found.far < as_far)) return;
    const bool several = std::ranges::any_of(heap_.subspan(1, std::min<std::size_t>(2, heap_.size() - 1)),
                                             [&](const Scored& next) { return next.far >= as_far; });
    std::pop_heap(heap_.begin(), heap_.end());
    if (several && full) leave_highest_number(as_far);
    heap_.back() = found;
    std::push_heap(heap_.begin(), heap_.end());
  }

 private:
  // Exchanges the entry removed from the heap for the one with the highest number among those at the same distance.
  void leave_highest_number(double as_far) {
    Scored& out = heap_.back();
    const auto rest = heap_.first(heap_.size() - 1);
    for (Scored& other : rest) {
      if (other.far >= as_far && other.object > out.object) std::swap(other, out);
    }
    std::make_heap(rest.begin(), rest.end());
  }

  std::span<Scored> heap_;
  double& largest_;
  double rounding_;
};

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
  // Rounding of a sum of products, one per column of the factors.
  const double rounding =
      std::numeric_limits<double>::epsilon() * static_cast<double>(8 + approximation.left.columns());
  auto largest = collectively(communicator, [&] { return std::vector<double>(static_cast<std::size_t>(own.size())); });
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
      const auto place = static_cast<std::size_t>(i - own.begin);
      const std::span<Scored> all_heaps(heaps);
      Candidates candidates(all_heaps.subspan(place * static_cast<std::size_t>(count), count), largest[place],
                            rounding);
      const std::span<const double> values = block.row(i);
      for (Index c = 0; c < width; ++c) {
        if (begin + c == i) continue;
        candidates.take({distance_of(values[c], approximation.meaning), begin + c});
      }
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

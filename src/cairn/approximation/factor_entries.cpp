// Selected entries of K~.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/entry_evaluation.hpp"
#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

using entry_limits::batch_bytes;
using entry_limits::fetched_bytes;
using entry_limits::panel_columns;

struct Entry {
  Index row;
  Index column;
};

// Columns `columns` of J, p x columns.size(), row-major, on every rank. No values: J is the identity or diagonal.
struct Panel {
  Range columns;
  MatrixView<const double> values;
};

// Rows that are multiplied by J: those of L, or of L J, after which J is the identity.
struct LeftRows {
  const RowPartition& partition;
  Index columns = 0;
  std::function<void(Index row, double* out)> copy;  // an own row
  const DenseCore* dense = nullptr;
  const DiagonalCore* diagonal = nullptr;
  const Buffer<double>& core;  // the dense J if every rank has it, or empty
};

// Distinct rows of L, and their entries (positions in a sorted list).
struct Batch {
  std::vector<Index> rows;
  Range entries;
};

// Evaluates entries on the owner of their row, which multiplies each distinct row by J once.
template <class T>
class EntryEvaluator {
 public:
  EntryEvaluator(const Execution& execution, const LeftRows& left, const Factor<T>& right, Transform transform)
      : execution_(execution), left_(left), right_(right), transform_(transform) {}

  // Values of entries whose rows this rank owns, sorted by row. Collective.
  std::vector<double> evaluate(std::span<const Entry> entries);

 private:
  [[nodiscard]] std::vector<Batch> make_batches(std::span<const Entry> entries) const;
  void add_panel(std::span<const Entry> entries, const Panel& panel, std::span<double> values);
  [[nodiscard]] const double* product(const Batch& batch, const Panel& panel);

  const Execution& execution_;
  const LeftRows& left_;
  const Factor<T>& right_;
  Transform transform_;
  Buffer<double> rows_, products_;  // of a batch; kept, since memory that is mapped anew takes longer than products
};

Index rows_within(Index bytes, Index width) {
  return std::max<Index>(1, bytes / (std::max<Index>(1, width) * static_cast<Index>(sizeof(double))));
}

template <class T>
std::vector<Batch> EntryEvaluator<T>::make_batches(std::span<const Entry> entries) const {
  const auto most = static_cast<std::size_t>(rows_within(batch_bytes, left_.columns));
  std::vector<Batch> batches;
  for (Index e = 0; e < std::ssize(entries); ++e) {
    const Index row = entries[static_cast<std::size_t>(e)].row;
    const bool begins = batches.empty() || batches.back().rows.back() != row;
    if (batches.empty() || (begins && batches.back().rows.size() == most)) batches.push_back({{}, {e, e}});
    Batch& batch = batches.back();
    if (batch.rows.empty() || batch.rows.back() != row) batch.rows.push_back(row);
    batch.entries.end = e + 1;
  }
  return batches;
}

double* with_room(Buffer<double>& buffer, Index size) {
  if (buffer.size() < size) buffer = Buffer<double>(size);
  return buffer.data();
}

// Rows of L J in the columns of a panel, valid until the next call.
template <class T>
const double* EntryEvaluator<T>::product(const Batch& batch, const Panel& panel) {
  const auto count = static_cast<Index>(batch.rows.size());
  const Index width = left_.columns;
  double* const left = with_room(rows_, count * width);
  for (Index i = 0; i < count; ++i) {
    double* const row = left + i * width;
    left_.copy(batch.rows[static_cast<std::size_t>(i)], row);
    for (Index k = 0; left_.diagonal != nullptr && k < width; ++k) row[k] *= left_.diagonal->values[k];
  }
  if (left_.dense == nullptr) return left;
  double* const result = with_room(products_, count * panel.columns.size());
  multiply<double>({left, count, width}, panel.values, {result, count, panel.columns.size()});
  return result;
}

// Rows of R in the columns of a panel: own rows in place, others fetched. Collective.
template <class N>
class RightRows {
 public:
  RightRows(const Communicator& communicator, const RowBlock<N>& right, std::vector<Index> ids, Range panel)
      : right_(right), panel_(panel) {
    std::erase_if(ids, [&](Index id) { return right.range().contains(id); });
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    fetched_ids_ = std::move(ids);
    fetched_ = fetch_rows(communicator, right, fetched_ids_, panel);
  }

  [[nodiscard]] const N* row(Index id) const {
    if (right_.range().contains(id)) return right_.row(id).data() + panel_.begin;
    const auto at = std::lower_bound(fetched_ids_.begin(), fetched_ids_.end(), id) - fetched_ids_.begin();
    return fetched_.data() + at * panel_.size();
  }

 private:
  const RowBlock<N>& right_;
  Range panel_;
  std::vector<Index> fetched_ids_;
  Buffer<N> fetched_;
};

// Rows of R come once for all entries; rows of L J are products of this rank alone.
template <class T>
void EntryEvaluator<T>::add_panel(std::span<const Entry> entries, const Panel& panel, std::span<double> values) {
  std::vector<Index> columns;
  for (const Entry& entry : entries) columns.push_back(entry.column);
  right_.tall().visit([&]<class N>(const RowBlock<N>& right) {
    const RightRows<N> right_rows(execution_.communicator, right, columns, panel.columns);
    collectively(execution_.communicator, [&] {
      const Index width = panel.columns.size();
      std::vector<Index> row_of;  // of an entry: its row in the batch
      for (const Batch& batch : make_batches(entries)) {
        const double* const left_rows = product(batch, panel);
        row_of.clear();
        for (Index e = batch.entries.begin, row = 0; e < batch.entries.end; ++e) {
          while (batch.rows[row] != entries[e].row) ++row;
          row_of.push_back(row);
        }
#pragma omp parallel for num_threads(execution_.threads)
        for (Index e = batch.entries.begin; e < batch.entries.end; ++e) {
          const double* u = left_rows + row_of[e - batch.entries.begin] * width;
          const N* v = right_rows.row(entries[e].column);
          double sum = 0.0;
#pragma omp simd reduction(+ : sum)
          for (Index k = 0; k < width; ++k) sum += u[k] * static_cast<double>(v[k]);
          values[e] += sum;
        }
        Watchdog::beat();
      }
    });
  });
}

// Panels of J are the outer loop: each is replicated once, however many entries there are.
template <class T>
std::vector<double> EntryEvaluator<T>::evaluate(std::span<const Entry> entries) {
  const Index columns = right_.columns(), count = std::ssize(entries);
  const bool in_panels = left_.dense != nullptr && left_.core.size() == 0;
  const Index width = in_panels ? std::min(columns, panel_columns) : columns;
  const Index most = rows_within(fetched_bytes, width);
  const Index steps = execution_.communicator.maximum((count + most - 1) / most);
  std::vector<double> values(entries.size(), 0.0);
  for (Index begin = 0; begin < columns; begin += width) {
    const Range range{begin, std::min(begin + width, columns)};
    const Buffer<double> fetched = in_panels ? replicate_columns(left_.dense->matrix, range) : Buffer<double>();
    const double* const core = in_panels ? fetched.data() : left_.core.data();
    const Panel panel{range, {core, left_.dense != nullptr ? left_.columns : 0, range.size()}};
    for (Index step = 0; step < steps; ++step) {
      const Index first = std::min(step * most, count), size = std::min(most, count - first);
      add_panel(entries.subspan(first, size), panel, std::span(values).subspan(first, size));
      Watchdog::beat();
    }
  }
  if (transform_ == Transform::sqrt) {
    for (double& value : values) value = std::sqrt(std::max(0.0, value));
  }
  return values;
}

// Sends every entry to the owner of its row, and its value back. Collective.
template <class T>
std::vector<double> evaluate_at_owners(const Execution& execution, const LeftRows& left, const Factor<T>& right,
                                       Transform transform, std::span<const Index> rows,
                                       std::span<const Index> columns) {
  const auto ranks = static_cast<std::size_t>(execution.communicator.size());
  std::vector<std::vector<Entry>> send(ranks);
  std::vector<std::vector<std::size_t>> places(ranks);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const auto owner = static_cast<std::size_t>(left.partition.owner(rows[e]));
    send[owner].push_back({rows[e], columns[e]});
    places[owner].push_back(e);
  }
  const auto received = execution.communicator.exchange(send);
  std::vector<Entry> entries;
  for (const auto& part : received) entries.insert(entries.end(), part.begin(), part.end());

  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return entries[a].row < entries[b].row; });
  std::vector<Entry> sorted;
  sorted.reserve(entries.size());
  for (const std::size_t at : order) sorted.push_back(entries[at]);
  const std::vector<double> sorted_values = EntryEvaluator<T>(execution, left, right, transform).evaluate(sorted);
  std::vector<double> values(entries.size());
  for (std::size_t k = 0; k < order.size(); ++k) values[order[k]] = sorted_values[k];

  std::vector<std::vector<double>> answers(ranks);
  auto next = values.begin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto count = static_cast<std::ptrdiff_t>(received[r].size());
    answers[r].assign(next, next + count);
    next += count;
  }
  const auto returned = execution.communicator.exchange(answers);
  std::vector<double> result(rows.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < places[r].size(); ++k) result[places[r][k]] = returned[r][k];
  }
  return result;
}

// The distinct numbers of a list, sorted.
std::vector<Index> distinct(std::vector<Index> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

Index entry_limits::CoreLimits::grid_rows(Index p, Index q, int ranks) const {
  return std::max<Index>(1, on_grid * ranks / (std::max(p, q) * static_cast<Index>(sizeof(double))));
}

bool entry_limits::CoreLimits::grid_pays(Index p, Index q, Index products, int ranks) const {
  const double core = static_cast<double>(p) * static_cast<double>(q);
  const double tall = static_cast<double>(products) * static_cast<double>(p + q);
  const double rounds = std::ceil(static_cast<double>(products) / static_cast<double>(grid_rows(p, q, ranks)));
  return (rounds * core + tall) / std::sqrt(ranks) < core;
}

template <class T>
std::vector<double> EntryEvaluation<T>::at(std::span<const Index> rows, std::span<const Index> columns) {
  const BlasThreads scope(execution_.threads);
  const bool tiles = std::holds_alternative<TiledCore>(approximation_.core_matrix);
  if (tiles || approximation_.left.is_sparse()) return sparse_entries(execution_, approximation_, rows, columns);
  if (!approximation_.left.is_stored()) return from_landmarks(rows, columns);
  const Factor<T>&left = approximation_.left, &right = approximation_.right_factor();
  std::vector<double> values = one_way(left, right, rows, columns);
  if (approximation_.symmetrize && !approximation_.symmetric) {
    const std::vector<double> transposed = one_way(left, right, columns, rows);
    for (std::size_t e = 0; e < values.size(); ++e) values[e] = 0.5 * (values[e] + transposed[e]);
  }
  return values;
}

// The rows of L that are asked for are evaluated, some MiB of them at a time, and serve as the factor. Collective.
template <class T>
std::vector<double> EntryEvaluation<T>::from_landmarks(std::span<const Index> rows, std::span<const Index> columns) {
  const Communicator& communicator = execution_.communicator;
  const LandmarkRows<T>& left = approximation_.left.landmark_rows();
  const Index count = std::ssize(rows), batch = std::max<Index>(1, left.at_once(communicator) / 2);
  const Index steps = communicator.maximum((count + batch - 1) / batch);
  std::vector<double> values;
  for (Index step = 0; step < steps; ++step) {
    const Index begin = std::min(step * batch, count), size = std::min(batch, count - begin);
    const auto own_rows = rows.subspan(begin, size), own_columns = columns.subspan(begin, size);
    std::vector<Index> own(own_rows.begin(), own_rows.end());
    own.insert(own.end(), own_columns.begin(), own_columns.end());
    const std::vector<Index> all = distinct(communicator.all_gather(distinct(std::move(own))));
    const Factor<T> some = left.at(execution_, all);
    const auto places = [&](std::span<const Index> numbers) {
      std::vector<Index> found(numbers.size());
      std::ranges::transform(numbers, found.begin(), [&](Index number) {
        return std::lower_bound(all.begin(), all.end(), number) - all.begin();
      });
      return found;
    };
    const std::vector<double> part = one_way(some, some, places(own_rows), places(own_columns));
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

// Entries of g(L J Rᵀ). Collective.
template <class T>
std::vector<double> EntryEvaluation<T>::one_way(const Factor<T>& left, const Factor<T>& right,
                                                std::span<const Index> rows, std::span<const Index> columns) {
  const Communicator& communicator = execution_.communicator;
  const auto* dense = std::get_if<DenseCore>(&approximation_.core_matrix);
  if (dense == nullptr || core_.size() > 0) return at_owners(left, right, rows, columns);
  const Index p = dense->matrix.rows(), q = dense->matrix.columns();
  if (p * q * static_cast<Index>(sizeof(double)) <= limits_.replicated) {
    core_ = replicate_columns(dense->matrix, {0, q});
    return at_owners(left, right, rows, columns);
  }
  const std::vector<Index> own = distinct({rows.begin(), rows.end()});
  if (!limits_.grid_pays(p, q, communicator.sum(std::ssize(own)), communicator.size()))
    return at_owners(left, right, rows, columns);
  return on_grid(left, right, rows, columns, distinct(communicator.all_gather(own)));
}

template <class T>
std::vector<double> EntryEvaluation<T>::at_owners(const Factor<T>& left, const Factor<T>& right,
                                                  std::span<const Index> rows, std::span<const Index> columns) {
  const TallMatrix<T>& tall = left.tall();
  const LeftRows of_left{.partition = left.partition(),
                         .columns = left.columns(),
                         .copy = [&](Index row, double* out) { tall.copy_row(row, out); },
                         .dense = std::get_if<DenseCore>(&approximation_.core_matrix),
                         .diagonal = std::get_if<DiagonalCore>(&approximation_.core_matrix),
                         .core = core_};
  return evaluate_at_owners(execution_, of_left, right, approximation_.transform, rows, columns);
}

// The rows of L that are asked for (`distinct`, the same list on every rank) meet J on the process grid; their products
// are then spread evenly. Collective.
template <class T>
std::vector<double> EntryEvaluation<T>::on_grid(const Factor<T>& left, const Factor<T>& right,
                                                std::span<const Index> rows, std::span<const Index> columns,
                                                std::span<const Index> distinct) {
  const int ranks = execution_.communicator.size();
  const BlockCyclicMatrix& core = std::get<DenseCore>(approximation_.core_matrix).matrix;
  const Buffer<double> none;
  std::vector<double> values(rows.size());
  const Index round = limits_.grid_rows(core.rows(), core.columns(), ranks);
  for (Index begin = 0; begin < std::ssize(distinct); begin += round) {
    const auto picks = distinct.subspan(begin, std::min(round, std::ssize(distinct) - begin));
    const RowBlock<double> products =
        to_row_block<double>(multiply(select_rows(core.shared_grid(), left.tall(), picks), false, core, false),
                             RowPartition(std::ssize(picks), ranks));
    std::vector<Index> numbers, others;
    std::vector<std::size_t> places;
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const auto found = std::lower_bound(picks.begin(), picks.end(), rows[e]);
      if (found == picks.end() || *found != rows[e]) continue;
      numbers.push_back(found - picks.begin());
      others.push_back(columns[e]);
      places.push_back(e);
    }
    const LeftRows of_left{.partition = products.partition(),
                           .columns = products.columns(),
                           .copy = [&](Index row, double* out) { std::ranges::copy(products.row(row), out); },
                           .core = none};
    const std::vector<double> part =
        evaluate_at_owners(execution_, of_left, right, approximation_.transform, numbers, others);
    for (std::size_t e = 0; e < places.size(); ++e) values[places[e]] = part[e];
  }
  return values;
}

template <class T>
std::vector<double> approximate_entries(const Execution& execution, const Approximation<T>& approximation,
                                        std::span<const Index> rows, std::span<const Index> columns) {
  return EntryEvaluation<T>(execution, approximation).at(rows, columns);
}

template class EntryEvaluation<float>;
template class EntryEvaluation<double>;
template std::vector<double> approximate_entries(const Execution&, const Approximation<float>&, std::span<const Index>,
                                                 std::span<const Index>);
template std::vector<double> approximate_entries(const Execution&, const Approximation<double>&, std::span<const Index>,
                                                 std::span<const Index>);

}  // namespace cairn

#include "cairn/approximation/near/near_entries.hpp"

#include <algorithm>

namespace cairn {

namespace {

// Pointer to the entry of a row of S in a column; null if there is none.
template <class T>
const T* find_in(SparseRow<T> row, Index column) {
  const auto found = std::lower_bound(row.columns.begin(), row.columns.end(), column);
  if (found == row.columns.end() || *found != column) return nullptr;
  return &row.values[found - row.columns.begin()];
}

struct Place {
  Index row, column;
};

struct Answer {
  double value;
  Index kept;
};

}  // namespace

// Queries the owners of the rows.
template <class T>
KeptValues kept_values(const Communicator& communicator, const NearEntries<T>& near, std::span<const Index> rows,
                       std::span<const Index> columns) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<Place>> send(ranks);
  std::vector<std::vector<std::size_t>> places(ranks);
  for (std::size_t p = 0; p < rows.size(); ++p) {
    const auto owner = static_cast<std::size_t>(near.rows.partition().owner(rows[p]));
    send[owner].push_back({rows[p], columns[p]});
    places[owner].push_back(p);
  }
  const auto asked = communicator.exchange(send);
  std::vector<std::vector<Answer>> answers(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const Place& place : asked[r]) {
      const T* const value = find_in(near.rows.row(place.row), place.column);
      answers[r].push_back(value != nullptr ? Answer{static_cast<double>(*value), 1} : Answer{0.0, 0});
    }
  }
  const auto returned = communicator.exchange(answers);
  KeptValues found{std::vector<double>(rows.size()), std::vector<char>(rows.size())};
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < places[r].size(); ++k) {
      found.values[places[r][k]] = returned[r][k].value;
      found.kept[places[r][k]] = returned[r][k].kept != 0 ? 1 : 0;
    }
  }
  return found;
}

template <class T>
std::vector<Index> kept_columns(const Communicator& communicator, const NearEntries<T>& near, Index row) {
  std::vector<Index> columns;
  if (near.rows.range().contains(row)) {
    const SparseRow<T> own = near.rows.row(row);
    columns.assign(own.columns.begin(), own.columns.end());
  }
  communicator.broadcast(columns, near.rows.partition().owner(row));
  return columns;
}

template <class T>
void add_near_row(const Communicator& communicator, const NearEntries<T>& near, Index row, std::span<double> values) {
  const std::vector<Index> columns = kept_columns(communicator, near, row);
  std::vector<T> kept;
  if (near.rows.range().contains(row)) {
    const SparseRow<T> own = near.rows.row(row);
    kept.assign(own.values.begin(), own.values.end());
  }
  communicator.broadcast(kept, near.rows.partition().owner(row));
  const Range own = near.rows.range();
  for (std::size_t e = 0; e < columns.size(); ++e) {
    if (!own.contains(columns[e])) continue;
    values[columns[e] - own.begin] += static_cast<double>(kept[e]);
  }
}

template <class T>
void add_near_columns(const NearEntries<T>& near, std::span<const Index> columns, RowBlock<double>& out) {
  const Range own = near.rows.range();
  for (Index i = own.begin; i < own.end; ++i) {
    const SparseRow<T> row = near.rows.row(i);
    const auto values = out.row(i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (const T* const value = find_in(row, columns[c])) values[c] += static_cast<double>(*value);
    }
  }
}

template <class T>
void add_near_product(const Communicator& communicator, const NearEntries<T>& near, const double* x, double* y,
                      bool transpose) {
  const Range own = near.rows.range();
  const auto size = static_cast<std::size_t>(own.size());
  if (!transpose) {
    const std::vector<double> whole = communicator.all_gather(std::span<const double>(x, size));
    for (Index i = own.begin; i < own.end; ++i) {
      const SparseRow<T> row = near.rows.row(i);
      double sum = 0.0;
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        sum += static_cast<double>(row.values[e]) * whole[row.columns[e]];
      }
      y[i - own.begin] += sum;
    }
    return;
  }
  std::vector<double> whole(near.rows.rows(), 0.0);
  for (Index i = own.begin; i < own.end; ++i) {
    const SparseRow<T> row = near.rows.row(i);
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      whole[row.columns[e]] += static_cast<double>(row.values[e]) * x[i - own.begin];
    }
  }
  communicator.sum(std::span(whole));
  for (std::size_t i = 0; i < size; ++i) y[i] += whole[static_cast<std::size_t>(own.begin) + i];
}

#define CAIRN_INSTANTIATE(T)                                                                          \
  template KeptValues kept_values(const Communicator&, const NearEntries<T>&, std::span<const Index>, \
                                  std::span<const Index>);                                            \
  template std::vector<Index> kept_columns(const Communicator&, const NearEntries<T>&, Index);        \
  template void add_near_row(const Communicator&, const NearEntries<T>&, Index, std::span<double>);   \
  template void add_near_columns(const NearEntries<T>&, std::span<const Index>, RowBlock<double>&);   \
  template void add_near_product(const Communicator&, const NearEntries<T>&, const double*, double*, bool);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

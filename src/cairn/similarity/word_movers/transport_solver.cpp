#include "cairn/similarity/word_movers/transport_solver.hpp"

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/similarity/word_movers/transport_sizes.hpp"

namespace cairn {

namespace {

constexpr Index round_up(Index size, Index unit) { return (size + unit - 1) / unit * unit; }

template <class T>
void grow(Buffer<T>& buffer, Index size) {
  if (buffer.size() < size) buffer = Buffer<T>(size);
}

}  // namespace

using transport::bits, transport::infinity, transport::lanes, transport::Words;

void TransportSolver::open(Index rows, Index columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = round_up(columns, lanes);
  base_ = round_up(rows, lanes);
  make_room();
  for (Index i = 0; i < rows; ++i) {
    std::fill(costs_.data() + i * stride_ + columns, costs_.data() + (i + 1) * stride_, infinity);
  }
}

void TransportSolver::make_room() {
  const Index nodes = base_ + stride_;
  const Index set_words = round_up(nodes, bits) / 64;
  grow(costs_, rows_ * stride_);
  grow(below_, nodes * set_words);
  if (potential_.size() >= nodes && supply_.size() >= rows_ && demand_.size() >= stride_) return;
  for (Buffer<double>* const buffer : {&supply_, &regret_}) grow(*buffer, rows_);
  for (Buffer<double>* const buffer : {&demand_, &offsets_}) grow(*buffer, stride_);
  for (Buffer<double>* const buffer : {&potential_, &flow_}) grow(*buffer, nodes);
  for (Buffer<std::int32_t>* const buffer : {&parent_, &removed_}) grow(*buffer, nodes);
  grow(order_, rows_);
  grow(moved_, set_words);
}

TransportSolver::Arrays TransportSolver::arrays() {
  return {.rows = rows_,
          .columns = columns_,
          .stride = stride_,
          .base = base_,
          .sets = round_up(base_ + stride_, bits) / bits,
          .costs = costs_.data(),
          .supply = supply_.data(),
          .demand = demand_.data(),
          .offsets = offsets_.data(),
          .regret = regret_.data(),
          .potential = potential_.data(),
          .flow = flow_.data(),
          .order = order_.data(),
          .parent = parent_.data(),
          .removed = removed_.data(),
          .below = reinterpret_cast<Words*>(below_.data()),
          .moved = reinterpret_cast<Words*>(moved_.data())};
}

double TransportSolver::solve() {
  Arrays all = arrays();
  const double cost = all.sets == 1 && all.stride <= 3 * lanes ? transport::solve_of_few_columns(all)
                                                               : transport::solve_of_any_size(all);
  if (cost == -infinity) throw Error(ErrorKind::internal, "the pivots of an optimal transport do not end");
  return cost;
}

}  // namespace cairn

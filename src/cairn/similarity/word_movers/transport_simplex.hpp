// The network simplex of TransportSolver. Private to it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cairn/base/octet.hpp"
#include "cairn/similarity/word_movers/transport_solver.hpp"

#define CAIRN_INLINE [[gnu::always_inline]] inline

namespace cairn {

namespace transport {

inline constexpr Index lanes = 8;
inline constexpr Index bits = 512;  // bits of a vector
inline constexpr double infinity = std::numeric_limits<double>::infinity();
using Vector = Octet<double>;
using Words = Octet<std::int64_t>;
inline constexpr Words first_lanes{{0, 1, 2, 3}, {4, 5, 6, 7}};

}  // namespace transport

// Pointers into the buffers, and the shape. Nodes of the tree are rows from 0 on and columns from `base` on, both
// padded to whole vectors.
struct TransportSolver::Arrays {
  Index rows, columns, stride, base, sets;
  const double* costs;
  double *supply, *demand, *offsets, *regret, *potential, *flow;
  std::int32_t *order, *parent, *removed;
  transport::Words *below, *moved;
};

namespace transport {

using Arrays = TransportSolver::Arrays;

struct Least {
  double value;
  Index at;
};

template <int Step>
CAIRN_INLINE void fold(Vector::Half& best, Words::Half& at) {
  const Vector::Half other = __builtin_shufflevector(best, best, 0 ^ Step, 1 ^ Step, 2 ^ Step, 3 ^ Step);
  const Words::Half other_at = __builtin_shufflevector(at, at, 0 ^ Step, 1 ^ Step, 2 ^ Step, 3 ^ Step);
  const auto less = other < best;
  best = less ? other : best;
  at = less ? other_at : at;
}

// The smallest lane, and its entry of `numbers`.
CAIRN_INLINE Least least(const Vector& values, const Words& numbers) {
  const auto less = values.high < values.low;
  Vector::Half best = less ? values.high : values.low;
  Words::Half at = less ? numbers.high : numbers.low;
  fold<2>(best, at);
  fold<1>(best, at);
  return {best[0], at[0]};
}

// One problem. Width: vectors in a row of costs, Sets: vectors in a set of nodes, if known at compile time, else 0.
template <int Width, int Sets>
struct Simplex {
  Arrays& a;

  CAIRN_INLINE Index stride() const { return Width > 0 ? Width * lanes : a.stride; }
  CAIRN_INLINE Index sets() const { return Sets > 0 ? Sets : a.sets; }
  CAIRN_INLINE double* column_potential() const { return a.potential + a.base; }
  CAIRN_INLINE Words* below(Index node) const { return a.below + node * sets(); }
  CAIRN_INLINE bool is_below(Index node, Index other) const {
    return ((reinterpret_cast<const std::uint8_t*>(below(node))[other / 8] >> (other % 8)) & 1) != 0;
  }
  CAIRN_INLINE double arc_cost(Index node, Index parent) const {
    const Index row = node < a.base ? node : parent, column = (node < a.base ? parent : node) - a.base;
    return a.costs[row * stride() + column];
  }

  // min_j c_ij - offsets_j
  CAIRN_INLINE Least least_of_row(Index i, const double* offsets) const {
    const double* const row = a.costs + i * stride();
    Vector best = Vector::all(infinity);
    Words at, here = first_lanes;
    for (Index j = 0; j < stride(); j += lanes) {
      const Vector value = Vector::load(row + j) - Vector::load(offsets + j);
      const Words less = value < best;
      best = select(less, value, best);
      at = select(less, here, at);
      here += Words::all(lanes);
    }
    return least(best, at);
  }

  // --- the first tree

  // Sets the offsets to the means of the columns. @return the largest magnitude of a cost; not finite if a cost is not.
  CAIRN_INLINE double take_means() const {
    Vector largest, check;
    const double share = 1.0 / static_cast<double>(a.rows);
    for (Index j = 0; j < stride(); j += lanes) {
      Vector sum;
      for (Index i = 0; i < a.rows; ++i) {
        const Vector cost = Vector::load(a.costs + i * stride() + j);
        const Words inside = first_lanes + Words::all(j) < Words::all(a.columns);
        const Vector magnitude = where(inside, select(cost < Vector(), -1.0 * cost, cost));
        largest = select(largest < magnitude, magnitude, largest);
        check += 0.0 * magnitude;
        sum += where(inside, share * cost);
      }
      sum.store(a.offsets + j);
    }
    double result = 0.0;
    for (int lane = 0; lane < lanes; ++lane) result = std::max(result, largest[lane]) + check[lane];
    return result;
  }

  // Orders rows by their regret (what the best column saves against the mean one), largest first.
  CAIRN_INLINE void order_rows() const {
    const double share = 1.0 / static_cast<double>(a.columns);
    for (Index i = 0; i < a.rows; ++i) {
      const double* const row = a.costs + i * stride();
      Vector best = Vector::all(infinity), sum;
      for (Index j = 0; j < stride(); j += lanes) {
        const Vector value = Vector::load(row + j) - Vector::load(a.offsets + j);
        best = select(value < best, value, best);
        sum += where(value < Vector::all(infinity), value);
      }
      double total = 0.0, low = infinity;
      for (int lane = 0; lane < lanes; ++lane) {
        total += sum[lane];
        low = std::min(low, best[lane]);
      }
      a.regret[i] = total * share - low;
      a.order[i] = static_cast<std::int32_t>(i);
    }
    std::sort(a.order, a.order + a.rows, [regret = a.regret](std::int32_t x, std::int32_t y) {
      return regret[x] != regret[y] ? regret[x] > regret[y] : x < y;
    });
  }

  // Each row fills its best columns. A cell exhausts its row or its column, never both, except for the last one. The
  // exhausted node becomes a child of the other, so that `removed` lists all nodes with children before parents.
  CAIRN_INLINE Index fill() const {
    Index nodes = 0, left = a.columns;
    const auto hang = [&](Index node, Index parent, double flow) {
      a.parent[node] = static_cast<std::int32_t>(parent);
      a.flow[node] = std::max(flow, 0.0);
      a.removed[nodes++] = static_cast<std::int32_t>(node);
    };
    for (Index t = 0; t < a.rows; ++t) {
      const Index i = a.order[t];
      const bool last = t + 1 == a.rows;
      for (;;) {
        const Index j = least_of_row(i, a.offsets).at, column = a.base + j;
        if (left > 1 && (last || a.demand[j] < a.supply[i])) {
          a.supply[i] -= a.demand[j];
          a.offsets[j] = -infinity;
          --left;
          hang(column, i, a.demand[j]);
          continue;
        }
        if (last) {
          hang(column, i, a.supply[i]);
          hang(i, -1, 0.0);
        } else {
          a.demand[j] -= a.supply[i];
          hang(i, column, a.supply[i]);
        }
        break;
      }
    }
    return nodes;
  }

  CAIRN_INLINE void plant(Index nodes) const {
    for (Index t = 0; t < nodes; ++t) std::fill_n(below(a.removed[t]), sets(), Words());
    for (Index t = 0; t < nodes; ++t) {
      const Index node = a.removed[t], parent = a.parent[node];
      reinterpret_cast<std::uint8_t*>(below(node))[node / 8] |= static_cast<std::uint8_t>(1U << (node % 8));
      for (Index w = 0; parent >= 0 && w < sets(); ++w) below(parent)[w] = below(parent)[w] | below(node)[w];
    }
    for (Index j = a.columns; j < stride(); ++j) column_potential()[j] = 0.0;
    for (Index t = nodes - 1; t >= 0; --t) {
      const Index node = a.removed[t], parent = a.parent[node];
      a.potential[node] = parent < 0 ? 0.0 : arc_cost(node, parent) - a.potential[parent];
    }
  }

  // --- pivots

  // The arc (row, column) enters the tree, and the arc above node `leaving` leaves it. The subtree of `leaving`, which
  // contains one end `inner` of the entering arc, then becomes a child of the other end `outer`.
  struct Cycle {
    Index leaving, inner, outer, top;
    double amount;
    bool row_moves;
  };

  // Around the cycle, mass decreases on arcs above rows on the row's side, above columns on the other.
  CAIRN_INLINE Cycle find_cycle(Index row, Index column) const {
    double row_limit = infinity, column_limit = infinity;
    Index row_leaving = -1, column_leaving = -1, top = row;
    for (; !is_below(top, column); top = a.parent[top]) {
      const bool less = top < a.base && a.flow[top] < row_limit;
      row_limit = less ? a.flow[top] : row_limit;
      row_leaving = less ? top : row_leaving;
    }
    for (Index node = column; node != top; node = a.parent[node]) {
      const bool less = node >= a.base && a.flow[node] < column_limit;
      column_limit = less ? a.flow[node] : column_limit;
      column_leaving = less ? node : column_leaving;
    }
    if (row_limit <= column_limit) return {row_leaving, row, column, top, row_limit, true};
    return {column_leaving, column, row, top, column_limit, false};
  }

  CAIRN_INLINE void pivot(const Cycle& cycle, double reduced_cost) const {
    const auto change = [&](Index node) { return (node < a.base) == cycle.row_moves ? -cycle.amount : cycle.amount; };
    for (Index w = 0; w < sets(); ++w) a.moved[w] = below(cycle.leaving)[w];
    for (Index node = cycle.outer; node != cycle.top; node = a.parent[node]) {
      a.flow[node] -= change(node);
      for (Index w = 0; w < sets(); ++w) below(node)[w] = below(node)[w] | a.moved[w];
    }
    for (Index node = a.parent[cycle.leaving]; node != cycle.top; node = a.parent[node]) {
      a.flow[node] += change(node);
      for (Index w = 0; w < sets(); ++w) below(node)[w] = below(node)[w] & ~a.moved[w];
    }
    turn(cycle, change);
    shift(cycle.row_moves ? reduced_cost : -reduced_cost);
  }

  // Reverses the path from `inner` up to `leaving`: `inner` becomes the root of the moved subtree and a child of
  // `outer`.
  template <class Change>
  CAIRN_INLINE void turn(const Cycle& cycle, const Change& change) const {
    Index node = cycle.inner, parent = cycle.outer;
    double flow = cycle.amount;
    for (;;) {
      const Index above = a.parent[node];
      const double flow_above = a.flow[node] + change(node);
      a.parent[node] = static_cast<std::int32_t>(parent);
      a.flow[node] = flow;
      if (node == cycle.leaving) break;
      parent = node;
      node = above;
      flow = flow_above;
    }
    turn_sets(cycle);
  }

  // Old sets of the reversed path s_0 = inner, ..., s_t = leaving are nested; the new set of s_k is the moved set
  // without the old set of s_(k-1). Runs from the end, where the predecessor of each node still has its old set.
  CAIRN_INLINE void turn_sets(const Cycle& cycle) const {
    for (Index node = cycle.leaving; node != cycle.inner;) {
      const Index before = a.parent[node];
      for (Index w = 0; w < sets(); ++w) below(node)[w] = a.moved[w] & ~below(before)[w];
      node = before;
    }
    for (Index w = 0; w < sets(); ++w) below(cycle.inner)[w] = a.moved[w];
  }

  // Potentials of the moved rows increase by `amount`, those of the moved columns decrease.
  CAIRN_INLINE void shift(double amount) const {
    constexpr Words powers{{1, 2, 4, 8}, {16, 32, 64, 128}};
    const auto* const moved = reinterpret_cast<const std::uint8_t*>(a.moved);
    const auto shift_vector = [&](Index node, double by) __attribute__((always_inline)) {
      const Words bits_of_lanes = Words::all(moved[node / lanes]) & powers;
      const Vector potential = Vector::load(a.potential + node);
      select(bits_of_lanes == powers, potential + Vector::all(by), potential).store(a.potential + node);
    };
    for (Index node = 0; node < a.base; node += lanes) shift_vector(node, amount);
    for (Index node = a.base; node < a.base + stride(); node += lanes) shift_vector(node, -amount);
  }

  struct Entering {
    Index row;  // negative: none
    double reduced_cost;
  };

  // Merges the least c_ij - u_i - v_j of Count rows from `row` on into `best` and their rows into `at`; advances `row`.
  // Rows are priced side by side: the minimum of a single row would wait for each of its steps.
  template <Index Count>
  CAIRN_INLINE void price_rows(Index& row, Vector& best, Words& at) const {
    const double* const potential = column_potential();
    std::array<const double*, Count> costs;
    std::array<Index, Count> rows;
    std::array<Vector, Count> low;
    for (Index k = 0; k < Count; ++k) {
      rows[k] = row;
      costs[k] = a.costs + row * stride();
      low[k] = Vector::load(costs[k]) - Vector::load(potential);
      row = row + 1 == a.rows ? 0 : row + 1;
    }
    for (Index j = lanes; j < stride(); j += lanes) {
      const Vector shared = Vector::load(potential + j);
      for (Index k = 0; k < Count; ++k) {
        const Vector value = Vector::load(costs[k] + j) - shared;
        low[k] = select(value < low[k], value, low[k]);
      }
    }
    for (Index k = 0; k < Count; ++k) {
      low[k] -= Vector::all(a.potential[rows[k]]);
      const Words less = low[k] < best;
      best = select(less, low[k], best);
      at = select(less, Words::all(rows[k]), at);
    }
  }

  // Row of the least c_ij - u_i - v_j below `threshold` among `count` rows from `row` on; advances `row`.
  CAIRN_INLINE Entering price(Index& row, Index count, double threshold) const {
    Vector best = Vector::all(threshold);
    Words at = Words::all(-1);
    for (; count >= 4; count -= 4) price_rows<4>(row, best, at);
    for (; count > 0; --count) price_rows<1>(row, best, at);
    const Least found = least(best, at);
    return {found.at, found.value};
  }

  // Pivots until no arc saves anything. @return false if there are too many pivots
  CAIRN_INLINE bool improve(double largest) const {
    constexpr Index block = 8;          // rows priced for one pivot: 4 to 24 take the same time
    constexpr double rounding = 1e-14;  // of potentials
    Index left = 1000 * (a.rows + a.columns), row = 0;
    for (Index priced = 0; priced < a.rows;) {
      const Index count = std::min(block, a.rows - priced);
      const Entering entering = price(row, count, -rounding * largest);
      priced += count;
      if (entering.row < 0) continue;
      if (--left < 0) return false;
      const Index column = a.base + least_of_row(entering.row, column_potential()).at;
      pivot(find_cycle(entering.row, column), entering.reduced_cost);
      priced = 0;
    }
    return true;
  }

  // --- complete solution

  // Adds e to each supply, and the total of these to one demand. @return true if all masses are integers; all flows
  // then differ from integers by less than 1/2.
  CAIRN_INLINE bool perturb() const {
    double total = 0.0;
    bool whole = true;
    for (Index i = 0; i < a.rows; ++i) {
      total += a.supply[i];
      whole = whole && a.supply[i] == std::floor(a.supply[i]);
    }
    for (Index j = 0; j < a.columns; ++j) whole = whole && a.demand[j] == std::floor(a.demand[j]);
    whole = whole && total < 0x1p40;
    const double least_power = std::ldexp(0.25, -std::ilogb(static_cast<double>(a.rows)));  // < 1 / (2 rows)
    const double e = whole ? least_power : total * 0x1p-46 * least_power;
    for (Index i = 0; i < a.rows; ++i) a.supply[i] += e;
    a.demand[0] += e * static_cast<double>(a.rows);
    return whole;
  }

  CAIRN_INLINE double cost(bool whole) const {
    double sum = 0.0;
    const auto add = [&](Index node) {
      if (a.parent[node] < 0) return;
      sum += (whole ? std::floor(a.flow[node] + 0.5) : a.flow[node]) * arc_cost(node, a.parent[node]);
    };
    for (Index i = 0; i < a.rows; ++i) add(i);
    for (Index j = 0; j < a.columns; ++j) add(a.base + j);
    return sum;
  }

  // Returns -infinity if pivots do not end.
  CAIRN_INLINE double solve() const {
    const double largest = take_means();
    if (!(largest < infinity)) return std::numeric_limits<double>::quiet_NaN();
    const bool whole = perturb();
    order_rows();
    plant(fill());
    return improve(largest) ? cost(whole) : -infinity;
  }
};

}  // namespace transport

#undef CAIRN_INLINE

}  // namespace cairn

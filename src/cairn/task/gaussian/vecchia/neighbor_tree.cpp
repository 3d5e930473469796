#include "cairn/task/gaussian/vecchia/neighbor_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

#define CAIRN_INLINE [[gnu::always_inline]] inline

namespace cairn {

namespace {

constexpr Index leaf = NeighborTree::leaf;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Leaves [begin, end) of a node, and the first leaf of its right child.
struct Leaves {
  Index begin, end;
  [[nodiscard]] Index middle() const { return begin + (end - begin + 1) / 2; }
  [[nodiscard]] Index size() const { return end - begin; }
};

// The right child of a node comes after the node and all nodes of its left child.
Index right_child(Index node, const Leaves& own) { return node + 2 * (own.middle() - own.begin); }

// Sorts the points of a node into its children by their widest column.
class Halving {
 public:
  Halving(const OrderedPoints& points, const std::vector<double>& lengths, std::span<std::int32_t> order)
      : coordinates_(points.coordinates.values().data()), columns_(points.columns), lengths_(lengths), order_(order) {}

  void split(const Leaves& own) const {
    const Index begin = own.begin * leaf, end = std::min<Index>(own.end * leaf, std::ssize(order_));
    const Index column = widest(begin, end);
    const auto before = [&](std::int32_t a, std::int32_t b) {
      const double x = coordinates_[a * columns_ + column], y = coordinates_[b * columns_ + column];
      return x < y || (x == y && a < b);
    };
    std::nth_element(order_.begin() + begin, order_.begin() + own.middle() * leaf, order_.begin() + end, before);
  }

  void split_all(const Leaves& own) const {
    if (own.size() < 2) return;
    split(own);
    split_all({own.begin, own.middle()});
    split_all({own.middle(), own.end});
  }

 private:
  // By at most 256 of its points, evenly spaced.
  [[nodiscard]] Index widest(Index begin, Index end) const {
    constexpr Index most = 256;
    const Index step = (end - begin + most - 1) / most;
    Index best = 0;
    double width = -1.0;
    for (Index c = 0; c < columns_; ++c) {
      double least = infinity, largest = -infinity;
      for (Index i = begin; i < end; i += step) {
        const double x = coordinates_[order_[i] * columns_ + c];
        least = std::min(least, x);
        largest = std::max(largest, x);
      }
      const double own = (largest - least) / lengths_[c];
      if (own > width) width = own, best = c;
    }
    return best;
  }

  const double* coordinates_;
  Index columns_;
  const std::vector<double>& lengths_;
  std::span<std::int32_t> order_;
};

CAIRN_INLINE double squared_distance_to_box(const double* __restrict position, const double* __restrict box,
                                            Index columns) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (Index c = 0; c < columns; ++c) {
    const double low = box[c] - position[c], high = position[c] - box[columns + c];
    double out = low > high ? low : high;
    out = out > 0.0 ? out : 0.0;
    sum += out * out;
  }
  return sum;
}

// Returns the smallest one.
CAIRN_INLINE double squared_distances_to_leaf(const double* __restrict position, const double* __restrict values,
                                              Index columns, double* __restrict squares) {
  for (Index i = 0; i < leaf; ++i) squares[i] = 0.0;
  for (Index c = 0; c < columns; ++c) {
    const double own = position[c];
    const double* __restrict column = values + c * leaf;
#pragma omp simd
    for (Index i = 0; i < leaf; ++i) {
      const double difference = column[i] - own;
      squares[i] += difference * difference;
    }
  }
  double least = infinity;
#pragma omp simd reduction(min : least)
  for (Index i = 0; i < leaf; ++i) least = squares[i] < least ? squares[i] : least;
  return least;
}

// The places found so far with their squared distances: a heap whose largest comes first.
struct Heap {
  double* squares;
  std::int32_t* places;
  Index most, count = 0;

  [[nodiscard]] CAIRN_INLINE double worst() const { return count < most ? infinity : squares[0]; }

  CAIRN_INLINE void put(Index at, double square, std::int32_t place) const {
    squares[at] = square;
    places[at] = place;
  }

  CAIRN_INLINE void offer(double square, std::int32_t place) {
    if (count < most) {
      Index at = count++;
      for (; at > 0 && squares[(at - 1) / 2] < square; at = (at - 1) / 2) {
        put(at, squares[(at - 1) / 2], places[(at - 1) / 2]);
      }
      put(at, square, place);
      return;
    }
    Index at = 0;
    for (Index child = 1; child < most; child = 2 * at + 1) {
      if (child + 1 < most && squares[child + 1] > squares[child]) ++child;
      if (!(squares[child] > square)) break;
      put(at, squares[child], places[child]);
      at = child;
    }
    put(at, square, place);
  }
};

// What a search reads.
struct TreeView {
  const double *values, *boxes;
  const std::uint64_t *keys, *least_keys;
  Index columns, leaves;
};

// @param stack  room for the depth of the tree
CAIRN_EACH_LEVEL Index search_tree(const TreeView& tree, const double* position, std::uint64_t limit, Index self,
                                   Index most, double* squares_found, std::int32_t* places,
                                   NeighborTree::Search::Visit* stack) {
  Heap heap{squares_found, places, most};
  double squares[leaf];
  const Index columns = tree.columns, width = 2 * columns;
  Index waiting = 0;
  if (tree.least_keys[0] < limit) stack[waiting++] = {0, 0, tree.leaves, 0.0};
  while (waiting > 0) {
    NeighborTree::Search::Visit visit = stack[--waiting];
    // Goes down to the nearer child, and keeps the other for later.
    while (visit.squared_distance < heap.worst() && visit.end - visit.begin > 1) {
      const Leaves own{visit.begin, visit.end};
      const Index left = visit.node + 1, right = right_child(visit.node, own);
      NeighborTree::Search::Visit near{left, own.begin, own.middle(), infinity},
          far{right, own.middle(), own.end, infinity};
      if (tree.least_keys[left] < limit) {
        near.squared_distance = squared_distance_to_box(position, tree.boxes + left * width, columns);
      }
      if (tree.least_keys[right] < limit) {
        far.squared_distance = squared_distance_to_box(position, tree.boxes + right * width, columns);
      }
      if (far.squared_distance < near.squared_distance) {
        const NeighborTree::Search::Visit other = near;
        near = far;
        far = other;
      }
      if (far.squared_distance < heap.worst()) stack[waiting++] = far;
      visit = near;
    }
    if (!(visit.squared_distance < heap.worst())) continue;
    const double* values = tree.values + visit.begin * leaf * columns;
    if (!(squared_distances_to_leaf(position, values, columns, squares) < heap.worst())) continue;
    for (Index i = 0; i < leaf; ++i) {
      const Index place = visit.begin * leaf + i;
      if (squares[i] < heap.worst() && tree.keys[place] < limit && place != self) {
        heap.offer(squares[i], static_cast<std::int32_t>(place));
      }
    }
  }
  return heap.count;
}

}  // namespace

NeighborTree::NeighborTree(const Execution& execution, const OrderedPoints& points, std::vector<double> lengths)
    : columns_(points.columns),
      lengths_(std::move(lengths)),
      order_(execution.communicator, points.count()),
      values_(execution.communicator, leaves() * leaf * columns_),
      keys_(execution.communicator, leaves() * leaf),
      boxes_(execution.communicator, std::max<Index>(0, 2 * leaves() - 1) * 2 * columns_),
      least_keys_(execution.communicator, std::max<Index>(0, 2 * leaves() - 1)) {
  sort(execution, points);
  fill(execution, points);
  bound();
}

std::vector<double> NeighborTree::shares() const {
  std::vector<double> shares(static_cast<std::size_t>(columns_), 0.0);
  const Index width = 2 * columns_;
  const auto visit = [&](const auto& self, Index node, const Leaves& own) -> void {
    if (own.size() > 1) {
      self(self, node + 1, {own.begin, own.middle()});
      self(self, right_child(node, own), {own.middle(), own.end});
      return;
    }
    const double* box = boxes_.values().data() + node * width;
    for (Index c = 0; c < columns_; ++c) shares[c] += (box[columns_ + c] - box[c]) * (box[columns_ + c] - box[c]);
  };
  if (count() > 0) visit(visit, 0, {0, leaves()});
  double sum = 0.0;
  for (const double share : shares) sum += share;
  for (double& share : shares) share = sum > 0.0 ? share / sum : 1.0 / static_cast<double>(columns_);
  return shares;
}

Range NeighborTree::unit(Index number) const {
  const auto begin_of = [&](Index before) { return std::min(leaves() * before / units() * leaf, count()); };
  return {begin_of(number), begin_of(number + 1)};
}

Range NeighborTree::units_of(int rank, int ranks) const {
  return {units() * rank / ranks, units() * (rank + 1) / ranks};
}

Range NeighborTree::range(int rank, int ranks) const {
  const Range own = units_of(rank, ranks);
  return own.empty() ? Range{} : Range{unit(own.begin).begin, unit(own.end - 1).end};
}

// Level by level while there are few nodes, each by one rank and thread; then whole subtrees.
void NeighborTree::sort(const Execution& execution, const OrderedPoints& points) {
  const Communicator& node = order_.node();
  if (node.is_root()) {
    const auto order = order_.writable();
    for (Index i = 0; i < std::ssize(order); ++i) order[i] = static_cast<std::int32_t>(i);
  }
  order_.publish();
  const Halving halving(points, lengths_, order_.writable());
  const Index enough = 4 * static_cast<Index>(node.size()) * execution.threads;
  std::vector<Leaves> level = {{0, leaves()}};
  while (!level.empty()) {
    const bool whole = std::ssize(level) >= enough;
    const Index ranks = node.size(), size = std::ssize(level);
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 1)
    for (Index i = node.rank(); i < size; i += ranks) {
      if (level[i].size() > 1) whole ? halving.split_all(level[i]) : halving.split(level[i]);
      Watchdog::beat();
    }
    order_.publish();
    if (whole) break;
    std::vector<Leaves> next;
    for (const Leaves& own : level) {
      if (own.size() < 2) continue;
      next.push_back({own.begin, own.middle()});
      next.push_back({own.middle(), own.end});
    }
    level = std::move(next);
  }
}

// Copies the points to their places. A last leaf that is not full has points at infinity.
void NeighborTree::fill(const Execution& execution, const OrderedPoints& points) {
  const Communicator& node = order_.node();
  const Index first = leaves() * node.rank() / node.size(), end = leaves() * (node.rank() + 1) / node.size();
  const auto values = values_.writable();
  const auto keys = keys_.writable();
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (Index block = first; block < end; ++block) {
    for (Index i = 0; i < leaf; ++i) {
      const Index place = block * leaf + i;
      const bool there = place < count();
      keys[place] = there ? points.keys[order_[place]] : all;
      for (Index c = 0; c < columns_; ++c) {
        values[(block * columns_ + c) * leaf + i] =
            there ? points.coordinates[order_[place] * columns_ + c] / lengths_[c] : infinity;
      }
    }
  }
  values_.publish();
  keys_.publish();
}

// Boxes and smallest keys, from the leaves up.
void NeighborTree::bound() {
  if (order_.node().is_root() && count() > 0) {
    const auto boxes = boxes_.writable();
    const auto least = least_keys_.writable();
    const Index width = 2 * columns_;
    const auto visit = [&](const auto& self, Index node, const Leaves& own) -> void {
      double* box = boxes.data() + node * width;
      if (own.size() == 1) {
        const Index here = std::min(leaf, count() - own.begin * leaf);
        for (Index c = 0; c < columns_; ++c) {
          const double* column = values_.values().data() + (own.begin * columns_ + c) * leaf;
          const auto [low, high] = std::minmax_element(column, column + here);
          box[c] = *low;
          box[columns_ + c] = *high;
        }
        const std::uint64_t* keys = keys_.values().data() + own.begin * leaf;
        least[node] = *std::min_element(keys, keys + here);
        return;
      }
      const Index left = node + 1, right = right_child(node, own);
      self(self, left, {own.begin, own.middle()});
      self(self, right, {own.middle(), own.end});
      for (Index c = 0; c < columns_; ++c) {
        box[c] = std::min(boxes[left * width + c], boxes[right * width + c]);
        box[columns_ + c] = std::max(boxes[left * width + columns_ + c], boxes[right * width + columns_ + c]);
      }
      least[node] = std::min(least[left], least[right]);
    };
    visit(visit, 0, {0, leaves()});
  }
  boxes_.publish();
  least_keys_.publish();
}

std::span<const std::int32_t> NeighborTree::nearest(Search& search, const double* position, Index most,
                                                    std::uint64_t limit, Index self) const {
  constexpr std::size_t deepest = 64;
  if (count() == 0 || most == 0) return {};
  search.stack.resize(deepest);
  search.squares.resize(static_cast<std::size_t>(most));
  search.found.resize(static_cast<std::size_t>(most));
  const TreeView view{values_.values().data(),
                      boxes_.values().data(),
                      keys_.values().data(),
                      least_keys_.values().data(),
                      columns_,
                      leaves()};
  const Index found =
      search_tree(view, position, limit, self, most, search.squares.data(), search.found.data(), search.stack.data());
  return std::span(search.found).first(static_cast<std::size_t>(found));
}

}  // namespace cairn

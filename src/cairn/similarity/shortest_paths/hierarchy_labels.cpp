#include "cairn/similarity/shortest_paths/hierarchy_labels.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/shortest_paths/subtrees.hpp"

namespace cairn {

namespace {

// Labels begin at multiples of so many bytes.
constexpr Index alignment = 32;

template <class D>
constexpr Index padded(Index lengths) {
  constexpr Index step = alignment / static_cast<Index>(sizeof(D));
  return (lengths + step - 1) / step * step;
}

// out[i] = min(out[i], in[i] + length) for i < count. The compiler makes vectors of it.
template <class D>
[[gnu::always_inline]] inline void relax_row(const D* __restrict in, D length, D* __restrict out, Index count) {
  for (Index i = 0; i < count; ++i) {
    const D over = static_cast<D>(in[i] + length);
    out[i] = over < out[i] ? over : out[i];
  }
}
CAIRN_EACH_LEVEL void relax(const std::uint16_t* in, std::uint16_t length, std::uint16_t* out, Index count) {
  relax_row(in, length, out, count);
}
CAIRN_EACH_LEVEL void relax(const std::uint32_t* in, std::uint32_t length, std::uint32_t* out, Index count) {
  relax_row(in, length, out, count);
}
CAIRN_EACH_LEVEL void relax(const double* in, double length, double* out, Index count) {
  relax_row(in, length, out, count);
}

// min over i < count of a[i] + b[i]. Minima of doubles are kept in lanes, which the compiler does not do by itself.
template <class D>
[[gnu::always_inline]] inline D least_sum_of(const D* __restrict a, const D* __restrict b, Index count) {
  constexpr Index lanes = alignment / static_cast<Index>(sizeof(D));
  D best[lanes];
  for (Index k = 0; k < lanes; ++k) best[k] = not_reached<D>;
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (Index k = 0; k < lanes; ++k) {
      const D sum = static_cast<D>(a[i + k] + b[i + k]);
      best[k] = sum < best[k] ? sum : best[k];
    }
  }
  for (Index k = 0; i < count; ++i, ++k) {
    const D sum = static_cast<D>(a[i] + b[i]);
    best[k] = sum < best[k] ? sum : best[k];
  }
  for (Index half = lanes / 2; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) best[k] = best[k + half] < best[k] ? best[k + half] : best[k];
  }
  return best[0];
}
CAIRN_EACH_LEVEL std::uint16_t least_sum(const std::uint16_t* a, const std::uint16_t* b, Index count) {
  return least_sum_of(a, b, count);
}
CAIRN_EACH_LEVEL std::uint32_t least_sum(const std::uint32_t* a, const std::uint32_t* b, Index count) {
  return least_sum_of(a, b, count);
}
CAIRN_EACH_LEVEL double least_sum(const double* a, const double* b, Index count) { return least_sum_of(a, b, count); }

// The only arc of a place.
template <class D>
SweepArc<D> only_arc(const SharedArcs<D>& arcs, Index place) {
  return arcs.arcs[arcs.starts[place]];
}

// True if the vertex at a place has one arc, to its parent, and one back.
template <class D>
bool borrows(const SharedHierarchy<D>& hierarchy, Index place) {
  const auto one = [&](const SharedArcs<D>& arcs) {
    return arcs.starts[place + 1] - arcs.starts[place] == 1 &&
           static_cast<Index>(only_arc(arcs, place).slot) + 1 == static_cast<Index>(hierarchy.depth[place]);
  };
  return one(hierarchy.up) && one(hierarchy.down);
}

// The sum of two lengths, none of which may be more than twice as long as any path.
template <class D>
D joined(D first, D second) {
  return first >= not_reached<D> || second >= not_reached<D> ? not_reached<D> : static_cast<D>(first + second);
}

// Lengths in all labels, with what fills them up to the next beginning.
template <class D>
Index lengths_of_labels(const SharedHierarchy<D>& hierarchy) {
  Index lengths = 0;
  for (Index p = 0; p < hierarchy.size(); ++p) {
    if (!borrows(hierarchy, p)) lengths += padded<D>(hierarchy.depth[p] + 1);
  }
  return lengths;
}

constexpr std::uint32_t lowest_bit(std::uint32_t value) { return value & (~value + 1); }
constexpr int highest(std::uint32_t value) { return 31 - std::countl_zero(value); }

}  // namespace

// The lengths between all vertices of one path from a root, by their depths; a row holds those from a vertex to the
// vertices above, and to the vertices below as far as these have descendants. A row of `back_` holds those to it.
template <class D>
class HierarchyLabels<D>::Stack {
 public:
  Stack(Index height, bool directed)
      : stride_(padded<D>(height)), rows_(stride_ * height), back_(directed ? stride_ * height : 0) {}
  [[nodiscard]] const D* row(Index depth) const { return rows_.data() + depth * stride_; }
  [[nodiscard]] const D* back(Index depth) const { return from().data() + depth * stride_; }
  // Takes the labels of the next vertex of the path.
  void push(const D* to, const D* from, Index depth) {
    std::copy_n(to, depth + 1, rows_.data() + depth * stride_);
    if (back_.size() > 0) std::copy_n(from, depth + 1, back_.data() + depth * stride_);
    spread(depth);
  }
  // The same for a vertex that borrows its parent's.
  void push_below(D up, D down, Index depth) {
    lengthen(rows_, up, depth);
    if (back_.size() > 0) lengthen(back_, down, depth);
    spread(depth);
  }

 private:
  [[nodiscard]] const Buffer<D>& from() const { return back_.size() > 0 ? back_ : rows_; }
  void lengthen(Buffer<D>& rows, D length, Index depth) {
    const D* const above = rows.data() + (depth - 1) * stride_;
    D* const own = rows.data() + depth * stride_;
    for (Index i = 0; i < depth; ++i) own[i] = std::min(static_cast<D>(above[i] + length), not_reached<D>);
    own[depth] = 0;
  }
  void spread(Index depth) {
    const D* const from_above = back(depth);
    for (Index i = 0; i < depth; ++i) rows_.data()[i * stride_ + depth] = from_above[i];
    for (Index i = 0; i < depth && back_.size() > 0; ++i) back_.data()[i * stride_ + depth] = row(depth)[i];
  }

  Index stride_;
  Buffer<D> rows_, back_;
};

template <class D>
Index HierarchyLabels<D>::bytes(const SharedHierarchy<D>& hierarchy) {
  const Index n = hierarchy.size();
  return (hierarchy.directed ? 2 : 1) * lengths_of_labels(hierarchy) * static_cast<Index>(sizeof(D)) +
         n * static_cast<Index>(sizeof(Head)) +
         static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(n) + 1)) *
             static_cast<Index>(sizeof(std::int32_t));
}

template <class D>
Index HierarchyLabels<D>::stack_bytes(const SharedHierarchy<D>& hierarchy) {
  return (hierarchy.directed ? 2 : 1) * padded<D>(hierarchy.height) * hierarchy.height * static_cast<Index>(sizeof(D));
}

template <class D>
HierarchyLabels<D>::HierarchyLabels(const Communicator& communicator, const SharedHierarchy<D>& hierarchy)
    : hierarchy_(hierarchy),
      heads_(communicator, hierarchy.size()),
      tops_(communicator, static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(hierarchy.size()) + 1))) {
  const Index lengths = lengths_of_labels(hierarchy);
  labels_ = NodeArray<D>(communicator, lengths);
  if (hierarchy.directed) back_ = NodeArray<D>(communicator, lengths);
  collectively(communicator, [&] {
    if (heads_.node().is_root()) make_heads();
  });
  heads_.publish();
  tops_.publish();
  make_labels(communicator);
}

// Numbers of vertices in preorder count from 1. The inlabel of a vertex is the number among those of its descendants
// that is divisible by the largest power of two; vertices with the same one are a path.
template <class D>
void HierarchyLabels<D>::make_heads() {
  const auto n = static_cast<std::int32_t>(hierarchy_.size());
  std::vector<std::int32_t> last(n);  // descendant with the largest place
  std::iota(last.begin(), last.end(), 0);
  for (std::int32_t p = n; p-- > 0;) {
    if (const std::int32_t above = hierarchy_.parent[p]; above >= 0) last[above] = std::max(last[above], last[p]);
  }
  const auto heads = heads_.writable();
  const auto tops = tops_.writable();
  Index label = 0;
  for (std::int32_t p = 0; p < n; ++p) {
    const std::int32_t above = hierarchy_.parent[p], depth = hierarchy_.depth[p];
    const auto least = static_cast<std::uint32_t>(p), largest = static_cast<std::uint32_t>(last[p]) + 1;
    const int bit = highest(least ^ largest);
    Head& head = heads[hierarchy_.vertex_at[p]];
    head.inlabel = (largest >> bit) << bit;
    head.depth = static_cast<Depth>(depth);
    const Head* const parent = above < 0 ? nullptr : &heads[hierarchy_.vertex_at[above]];
    if (parent != nullptr && borrows(hierarchy_, p)) {
      head.owner = parent->owner;
      head.beyond = static_cast<D>(parent->beyond + only_arc(hierarchy_.up, p).length);
      head.back = static_cast<D>(parent->back + only_arc(hierarchy_.down, p).length);
      head.label = parent->label;
    } else {
      head.owner = head.depth;
      head.beyond = head.back = 0;
      head.label = label;
      label += padded<D>(depth + 1);
    }
    head.ascendants = (parent == nullptr ? 0 : parent->ascendants) | lowest_bit(head.inlabel);
    if (parent == nullptr || parent->inlabel != head.inlabel) tops[head.inlabel] = depth;
  }
}

// The places above the subtrees that are dealt are computed by one rank of the node, then each rank computes its
// subtrees.
template <class D>
void HierarchyLabels<D>::make_labels(const Communicator& communicator) {
  const Communicator& node = labels_.node();
  const auto publish = [&] {
    labels_.publish();
    if (hierarchy_.directed) back_.publish();
  };
  const SubtreeDeal deal =
      collectively(communicator, [&] { return deal_subtrees(hierarchy_.parent.values(), node.size()); });
  const auto stack =
      collectively(communicator, [&] { return std::make_unique<Stack>(hierarchy_.height, hierarchy_.directed); });
  if (node.is_root()) fill({0, hierarchy_.size()}, *stack, deal.subtrees);
  publish();
  for (std::size_t k = 0; k < deal.subtrees.size(); ++k) {
    if (deal.worker[k] != node.rank()) continue;
    const Range subtree = deal.subtrees[k];
    std::vector<std::int32_t> path;
    for (std::int32_t p = hierarchy_.parent[subtree.begin]; p >= 0; p = hierarchy_.parent[p]) path.push_back(p);
    for (Index depth = 0; depth < std::ssize(path); ++depth) {
      const Index place = path[path.size() - 1 - depth];
      if (borrows(hierarchy_, place)) {
        stack->push_below(only_arc(hierarchy_.up, place).length, only_arc(hierarchy_.down, place).length, depth);
      } else {
        const Index label = heads_[hierarchy_.vertex_at[place]].label;
        stack->push(labels_.values().data() + label, back().values().data() + label, depth);
      }
    }
    fill(subtree, *stack, {});
  }
  publish();
}

template <class D>
void HierarchyLabels<D>::fill(Range range, Stack& stack, const std::vector<Range>& without) {
  D* const labels = labels_.writable().data();
  D* const back = hierarchy_.directed ? back_.writable().data() : labels;
  auto next = without.begin();
  for (Index p = range.begin; p < range.end; ++p) {
    if (next != without.end() && p == next->begin) {
      p = next++->end - 1;
      continue;
    }
    if (p % 4096 == 0) Watchdog::beat();
    const bool leaf = p + 1 == hierarchy_.size() || hierarchy_.parent[p + 1] != p;
    const Index depth = hierarchy_.depth[p];
    if (borrows(hierarchy_, p)) {
      if (!leaf) stack.push_below(only_arc(hierarchy_.up, p).length, only_arc(hierarchy_.down, p).length, depth);
      continue;
    }
    const Index at = heads_[hierarchy_.vertex_at[p]].label;
    const auto make = [&](D* label, const SharedArcs<D>& arcs, auto row) {
      std::fill_n(label, padded<D>(depth + 1), not_reached<D>);
      for (Index a = arcs.starts[p]; a < arcs.starts[p + 1]; ++a) {
        const SweepArc<D> arc = arcs.arcs[a];
        relax(row(static_cast<Index>(arc.slot)), arc.length, label, depth);
      }
      label[depth] = 0;
    };
    make(labels + at, hierarchy_.up, [&](Index slot) { return stack.row(slot); });
    if (hierarchy_.directed) make(back + at, hierarchy_.down, [&](Index slot) { return stack.back(slot); });
    if (!leaf) stack.push(labels + at, back + at, depth);
  }
}

template <class D>
Index HierarchyLabels<D>::common_ancestors(const Head& a, const Head& b) const {
  if (a.inlabel == b.inlabel) return Index{std::min(a.depth, b.depth)} + 1;
  const int apart = highest(a.inlabel ^ b.inlabel);
  const std::uint32_t common = a.ascendants & b.ascendants & (~std::uint32_t{0} << apart);
  if (common == 0) return 0;
  const int bit = std::countr_zero(common);
  const auto inlabel_at = [](std::uint32_t inlabel, int k) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(inlabel) >> (k + 1)) << (k + 1)) |
           (std::uint32_t{1} << k);
  };
  const std::uint32_t meeting = inlabel_at(a.inlabel, bit);
  const auto depth_there = [&](const Head& head) -> Index {  // of the lowest ancestor on the path of the meeting
    if (head.inlabel == meeting) return head.depth;
    const int k = highest(head.ascendants & ((std::uint32_t{1} << bit) - 1));
    return tops_[inlabel_at(head.inlabel, k)] - 1;
  };
  return std::min(depth_there(a), depth_there(b)) + 1;
}

template <class D>
D HierarchyLabels<D>::upward(Index vertex, Index depth) const {
  const Head& head = heads_[vertex];
  if (depth <= static_cast<Index>(head.owner)) return joined(labels_[head.label + depth], head.beyond);
  return along(hierarchy_.up, vertex, depth);
}

template <class D>
D HierarchyLabels<D>::downward(Index vertex, Index depth) const {
  const Head& head = heads_[vertex];
  if (depth <= static_cast<Index>(head.owner)) return joined(back()[head.label + depth], head.back);
  return along(hierarchy_.down, vertex, depth);
}

// Below the owner all vertices have one arc.
template <class D>
D HierarchyLabels<D>::along(const SharedArcs<D>& arcs, Index vertex, Index depth) const {
  D length = 0;
  for (Index p = hierarchy_.place_of[vertex]; hierarchy_.depth[p] > depth; p = hierarchy_.parent[p]) {
    length = static_cast<D>(length + only_arc(arcs, p).length);
  }
  return length;
}

template <class D>
void HierarchyLabels<D>::lengths(std::span<const Index> first, std::span<const Index> second, std::span<D> out) const {
  constexpr std::size_t ahead = 8;  // pairs whose labels are on their way from the memory
  const D *const to = labels_.values().data(), *const from = back().values().data();
  const auto fetch = [&](const D* labels, Index vertex) {
    const Head& head = heads_[vertex];
    const char* const begin = reinterpret_cast<const char*>(labels + head.label);
    const char* const end = reinterpret_cast<const char*>(labels + head.label + head.owner + 1);
    for (const char* line = begin; line < end; line += 64) __builtin_prefetch(line);
  };
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (k + 2 * ahead < first.size()) {
      __builtin_prefetch(&heads_[first[k + 2 * ahead]]);
      __builtin_prefetch(&heads_[second[k + 2 * ahead]]);
    }
    if (k + ahead < first.size()) {
      fetch(to, first[k + ahead]);
      fetch(from, second[k + ahead]);
    }
    const Head &a = heads_[first[k]], &b = heads_[second[k]];
    const Index common = common_ancestors(a, b);
    if (common == 0) {
      out[k] = not_reached<D>;
    } else if (common - 1 >
               static_cast<Index>(std::min(a.owner, b.owner))) {  // the lowest is on all paths between them
      out[k] = joined(upward(first[k], common - 1), downward(second[k], common - 1));
    } else {
      const D owners = least_sum(to + a.label, from + b.label, common);
      out[k] = owners >= not_reached<D> ? not_reached<D> : static_cast<D>(owners + a.beyond + b.back);
    }
  }
}

template class HierarchyLabels<std::uint16_t>;
template class HierarchyLabels<std::uint32_t>;
template class HierarchyLabels<double>;

}  // namespace cairn

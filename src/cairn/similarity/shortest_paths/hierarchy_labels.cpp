#include "cairn/similarity/shortest_paths/hierarchy_labels.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

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

// True if the vertex at a place has one arc, to its parent.
template <class D>
bool borrows(const SharedHierarchy<D>& hierarchy, Index place) {
  const Index arc = hierarchy.starts[place];
  return hierarchy.starts[place + 1] - arc == 1 &&
         static_cast<Index>(hierarchy.arcs[arc].slot) + 1 == static_cast<Index>(hierarchy.depth[place]);
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

// The lengths between all vertices of one path from a root, by their depths; a row holds those to the vertices above,
// and those to the vertices below as far as these have descendants.
template <class D>
class HierarchyLabels<D>::Stack {
 public:
  explicit Stack(Index height) : stride_(padded<D>(height)), rows_(stride_ * height) {}
  [[nodiscard]] const D* row(Index depth) const { return rows_.data() + depth * stride_; }
  // Takes the label of the next vertex of the path.
  void push(const D* label, Index depth) {
    std::copy_n(label, depth + 1, rows_.data() + depth * stride_);
    spread(depth);
  }
  // The same for a vertex that borrows its parent's.
  void push_below(D length, Index depth) {
    const D* const above = row(depth - 1);
    D* const own = rows_.data() + depth * stride_;
    for (Index i = 0; i < depth; ++i) own[i] = static_cast<D>(above[i] + length);
    own[depth] = 0;
    spread(depth);
  }

 private:
  void spread(Index depth) {
    for (Index i = 0; i < depth; ++i) rows_[i * stride_ + depth] = rows_[depth * stride_ + i];
  }

  Index stride_;
  Buffer<D> rows_;
};

template <class D>
Index HierarchyLabels<D>::bytes(const SharedHierarchy<D>& hierarchy) {
  const Index n = hierarchy.size();
  return lengths_of_labels(hierarchy) * static_cast<Index>(sizeof(D)) + n * static_cast<Index>(sizeof(Head)) +
         static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(n) + 1)) *
             static_cast<Index>(sizeof(std::int32_t));
}

template <class D>
Index HierarchyLabels<D>::stack_bytes(const SharedHierarchy<D>& hierarchy) {
  return padded<D>(hierarchy.height) * hierarchy.height * static_cast<Index>(sizeof(D));
}

template <class D>
HierarchyLabels<D>::HierarchyLabels(const Communicator& communicator, const SharedHierarchy<D>& hierarchy)
    : hierarchy_(hierarchy),
      heads_(communicator, hierarchy.size()),
      tops_(communicator, static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(hierarchy.size()) + 1))) {
  labels_ = NodeArray<D>(communicator, lengths_of_labels(hierarchy));
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
      head.beyond = static_cast<D>(parent->beyond + hierarchy_.arcs[hierarchy_.starts[p]].length);
      head.label = parent->label;
    } else {
      head.owner = head.depth;
      head.beyond = 0;
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
  const auto n = static_cast<std::int32_t>(hierarchy_.size());
  std::vector<Range> subtrees;  // of places, ascending
  collectively(communicator, [&] {
    if (node.size() == 1) return;
    std::vector<std::int32_t> size(n, 1);
    for (std::int32_t p = n; p-- > 0;) {
      if (const std::int32_t above = hierarchy_.parent[p]; above >= 0) size[above] += size[p];
    }
    const Index largest = n / (16 * node.size());
    for (Index p = 0; p < n && largest > 0;) {
      if (size[p] > largest) {
        ++p;
        continue;
      }
      subtrees.push_back({p, p + size[p]});
      p += size[p];
    }
  });
  const auto stack = collectively(communicator, [&] { return std::make_unique<Stack>(hierarchy_.height); });
  if (node.is_root()) fill({0, n}, *stack, subtrees);
  labels_.publish();
  std::vector<Index> load(node.size(), 0);  // the largest subtrees first, each to the rank with the least
  std::ranges::stable_sort(subtrees, std::ranges::greater(), &Range::size);
  for (const Range& subtree : subtrees) {
    const auto rank = std::ranges::min_element(load) - load.begin();
    load[rank] += subtree.size();
    if (rank != node.rank()) continue;
    std::vector<std::int32_t> path;
    for (std::int32_t p = hierarchy_.parent[subtree.begin]; p >= 0; p = hierarchy_.parent[p]) path.push_back(p);
    for (Index depth = 0; depth < std::ssize(path); ++depth) {
      const Index place = path[path.size() - 1 - depth];
      if (borrows(hierarchy_, place)) {
        stack->push_below(hierarchy_.arcs[hierarchy_.starts[place]].length, depth);
      } else {
        stack->push(labels_.values().data() + heads_[hierarchy_.vertex_at[place]].label, depth);
      }
    }
    fill(subtree, *stack, {});
  }
  labels_.publish();
}

template <class D>
void HierarchyLabels<D>::fill(Range range, Stack& stack, const std::vector<Range>& without) {
  D* const labels = labels_.writable().data();
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
      if (!leaf) stack.push_below(hierarchy_.arcs[hierarchy_.starts[p]].length, depth);
      continue;
    }
    D* const label = labels + heads_[hierarchy_.vertex_at[p]].label;
    std::fill_n(label, padded<D>(depth + 1), not_reached<D>);
    for (Index a = hierarchy_.starts[p]; a < hierarchy_.starts[p + 1]; ++a) {
      const SweepArc<D> arc = hierarchy_.arcs[a];
      relax(stack.row(static_cast<Index>(arc.slot)), arc.length, label, depth);
    }
    label[depth] = 0;
    if (!leaf) stack.push(label, depth);
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
  if (depth <= static_cast<Index>(head.owner)) {
    return static_cast<D>(labels_[head.label + depth] + head.beyond);
  }
  D length = 0;  // below the owner all vertices have one arc
  for (Index p = hierarchy_.place_of[vertex]; hierarchy_.depth[p] > depth; p = hierarchy_.parent[p]) {
    length = static_cast<D>(length + hierarchy_.arcs[hierarchy_.starts[p]].length);
  }
  return length;
}

template <class D>
void HierarchyLabels<D>::lengths(std::span<const Index> first, std::span<const Index> second, std::span<D> out) const {
  constexpr std::size_t ahead = 8;  // pairs whose labels are on their way from the memory
  const D* const labels = labels_.values().data();
  const auto fetch = [&](Index vertex) {
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
      fetch(first[k + ahead]);
      fetch(second[k + ahead]);
    }
    const Head &a = heads_[first[k]], &b = heads_[second[k]];
    const Index common = common_ancestors(a, b);
    if (common == 0) {
      out[k] = not_reached<D>;
    } else if (common - 1 >
               static_cast<Index>(std::min(a.owner, b.owner))) {  // the lowest is on all paths between them
      out[k] = static_cast<D>(upward(first[k], common - 1) + upward(second[k], common - 1));
    } else {
      const D owners = least_sum(labels + a.label, labels + b.label, common);
      out[k] = static_cast<D>(owners + a.beyond + b.beyond);
    }
  }
}

template class HierarchyLabels<std::uint16_t>;
template class HierarchyLabels<std::uint32_t>;
template class HierarchyLabels<double>;

}  // namespace cairn

#include "cairn/similarity/shortest_paths/hierarchy_path_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/log.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/panel_source.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_descent.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_labels.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_sweeper.hpp"
#include "cairn/similarity/shortest_paths/shared_hierarchy.hpp"

namespace cairn {

namespace {

// Vertices over which some targets can be reached, numbered in preorder.
template <class D>
struct ReachedFrom final : TargetSet {
  std::vector<Index> starts{0};
  std::vector<SweepArc<D>> arcs;
  std::vector<std::int32_t> slots, outputs;
  std::vector<std::uint64_t> members;  // one bit per place
  std::vector<std::int32_t> before;    // members in the preceding words

  [[nodiscard]] Index size() const { return static_cast<Index>(slots.size()); }
  // Number of the vertex at `place`; negative if it is not one of these.
  [[nodiscard]] Index number(std::int32_t place) const {
    const auto word = static_cast<std::size_t>(place) / 64;
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((members[word] & bit) == 0) return -1;
    return before[word] + std::popcount(members[word] & (bit - 1));
  }

  IdleSweepers<D> sweepers;
};

// All vertices, by their numbers.
template <class D>
struct AllVertices final : TargetSet {
  IdleSweepers<D> sweepers;
};

template <class D>
class HierarchyPathLength final : public PathLength, public PanelSource {
 public:
  HierarchyPathLength(SharedHierarchy<D> hierarchy, Arcs arcs, double longest)
      : PathLength("hierarchy", hierarchy.vertex_at.size(), hierarchy.whole, hierarchy.integral, sweep_lanes<D>, arcs,
                   longest),
        hierarchy_(std::move(hierarchy)),
        connected_(arcs == Arcs::both_ways && std::ranges::count(hierarchy_.parent.values(), -1) <= 1) {}

  [[nodiscard]] std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const override {
    if (std::ssize(targets) <= few_pairs) return PathLength::prepare(std::move(targets));
    const bool all = std::ssize(targets) == size() && std::ranges::is_sorted(targets);
    if (!all) return reach(std::move(targets));
    auto set = std::make_unique<AllVertices<D>>();
    set->targets = std::move(targets);
    return set;
  }

  [[nodiscard]] std::unique_ptr<PathLength> reversed(const Communicator& /*communicator*/) const override {
    const Arcs turned = arcs() == Arcs::forward ? Arcs::backward : Arcs::forward;
    auto result = std::make_unique<HierarchyPathLength>(hierarchy_.reversed(), turned, longest());
    result->describe_as(*this);
    return result;
  }
  [[nodiscard]] Index length_bytes() const override { return sizeof(D); }
  [[nodiscard]] std::vector<Index> order_of(std::span<const Index> sources) const override {
    std::vector<Index> order = PathLength::order_of(sources);
    const auto place = [&](Index k) { return hierarchy_.place_of[sources[k]]; };
    std::ranges::sort(order, {}, [&](Index k) { return std::pair(place(k), k); });
    return order;
  }
  [[nodiscard]] Index panel_value_bytes() const override { return sizeof(D); }

  [[nodiscard]] std::optional<StoredHierarchy> stored_hierarchy(int part, int parts) const override {
    if (directed()) return std::nullopt;
    const SharedArcs<D>& upward = hierarchy_.up;
    const auto share = [part, parts](Index all) { return Range{all * part / parts, all * (part + 1) / parts}; };
    const Range places = share(size()), arcs = share(upward.arcs.size());
    const bool narrow = hierarchy_.height <= 0xffff;  // no place has more arcs than ancestors
    const auto counts = [narrow](Range range, auto value) {
      return narrow ? StoredHierarchy::Counts(list<std::uint16_t>(range, value))
                    : StoredHierarchy::Counts(list<std::int32_t>(range, value));
    };
    StoredHierarchy stored;
    stored.vertices = list<std::int32_t>(places, [&](Index p) { return hierarchy_.vertex_at[p]; });
    stored.depths = counts(places, [&](Index p) { return hierarchy_.depth[p]; });
    stored.degrees = counts(places, [&](Index p) { return upward.starts[p + 1] - upward.starts[p]; });
    stored.heads = counts(arcs, [&](Index a) { return upward.arcs[a].slot; });
    stored.lengths = list<D>(arcs, [&](Index a) { return upward.arcs[a].length; });
    return stored;
  }

  // Labels pay where the pairs are not far fewer than the vertices. Sums of lengths that are no integers depend on
  // their order: those are searched for, so that all lengths from one source have the same bits.
  void expect_pairs(const Communicator& communicator, Index pairs) const override {
    expected_ += pairs;
    if (labels_ || refused_ || !hierarchy_.whole || expected_ < size() / 8) return;
    const Index ranks = hierarchy_.up.starts.node().size();
    const auto bytes = static_cast<double>(HierarchyLabels<D>::bytes(hierarchy_) +
                                           ranks * HierarchyLabels<D>::stack_bytes(hierarchy_));
    const auto left = static_cast<double>(ReadingBudget::left()) * static_cast<double>(ranks);  // of a node
    refused_ = communicator.maximum(Index{bytes > 0.5 * left ? 1 : 0}) > 0;
    if (refused_) {
      if (communicator.is_root()) {
        log(LogLevel::info, fmt::format("labels of path lengths would take {} of {} that are left: pairs are searched "
                                        "for one by one",
                                        format_bytes(bytes), format_bytes(left)));
      }
      return;
    }
    labels_ = std::make_unique<HierarchyLabels<D>>(communicator, hierarchy_);
  }

  [[nodiscard]] Index label_bytes() const override { return labels_ ? HierarchyLabels<D>::bytes(hierarchy_) : 0; }

  // A full batch is written directly to its final place.
  void to_panel(std::span<const Index> sources, std::byte* out) const override {
    constexpr Index lanes = sweep_lanes<D>;
    const Index count = std::ssize(sources);
    PathLength::count(count * size());
    D* const panel = reinterpret_cast<D*>(out);
    if (count <= few_rows) {
      for (Index a = 0; a < count; ++a) descend(sources[a], panel + a, count);
    } else {
      auto sweeper = whole_.take(hierarchy_, size(), true);
      const bool in_place = count == lanes && reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
      sweeper->run(
          sources, whole_view(), [](std::int32_t place) { return Index{place}; }, in_place ? panel : nullptr,
          [&](Range range, const D* found) {
            for (Index p = range.begin; p < range.end; ++p, found += lanes) {
              std::copy_n(found, count, panel + hierarchy_.vertex_at[p] * count);
            }
          });
      whole_.give_back(std::move(sweeper));
    }
    for (Index i = 0; i < count * size() && !connected_; ++i) {
      if (panel[i] >= not_reached<D>) report_no_path(sources[i % count], i / count);
    }
  }

  [[nodiscard]] std::span<const std::int32_t> vertex_order() const override { return hierarchy_.vertex_at.values(); }

  // Vertices are swept in preorder: what a piece needs of those before it are the ancestors of its first vertex.
  void to_panel_part(std::span<const Index> sources, Range places, std::byte* out) const override {
    constexpr Index lanes = sweep_lanes<D>;
    const Index count = std::ssize(sources);
    PathLength::count(count * places.size());
    D* to = reinterpret_cast<D*>(out);
    auto sweeper = whole_.take(hierarchy_, size(), true);
    sweeper->run(
        sources, whole_view(), [](std::int32_t place) { return Index{place}; }, nullptr,
        [&](Range range, const D* found) {
          for (Index p = range.begin; p < range.end; ++p, found += lanes) to = std::copy_n(found, count, to);
        },
        places);
    whole_.give_back(std::move(sweeper));
    const D* const panel = reinterpret_cast<const D*>(out);
    for (Index i = 0; i < count * places.size() && !connected_; ++i) {
      if (panel[i] >= not_reached<D>)
        report_no_path(sources[i % count], hierarchy_.vertex_at[places.begin + i / count]);
    }
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    const LengthsFound found = rows_of(sources, targets, 1.0, out);
    if (!found.unreached) return;
    report_no_path(sources[found.unreached->source], targets.targets[found.unreached->target]);
  }

  void compute_pair_lengths(std::span<const Index> first, std::span<const Index> second,
                            std::span<double> out) const override {
    if (!labels_) return PathLength::compute_pair_lengths(first, second, out);
    constexpr std::size_t batch = 4096;
    std::vector<D> lengths(std::min(batch, first.size()));
    for (std::size_t begin = 0; begin < first.size(); begin += batch) {
      const std::size_t count = std::min(batch, first.size() - begin);
      labels_->lengths(first.subspan(begin, count), second.subspan(begin, count), std::span(lengths).first(count));
      for (std::size_t k = 0; k < count; ++k) {
        out[begin + k] = lengths[k] >= not_reached<D> ? no_path<double> : static_cast<double>(lengths[k]);
      }
    }
  }

  [[nodiscard]] LengthsFound compute_rows(std::span<const Index> sources, const TargetSet& targets, double scale,
                                          const LengthRows& out) const override {
    return std::visit([&](auto rows) { return rows_of(sources, targets, scale, rows); }, out);
  }

  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    LengthsFound found;
    if (out.rows > few_rows) {
      found = sweep_all(whole_, sources, 1.0, out);
    } else {
      for (Index a = 0; a < out.rows; ++a) {
        std::vector<D> lengths(size());
        descend(sources[a], lengths.data(), 1);
        found.add(write_lengths(lengths.data(), 1, 1.0, MatrixView<double>(out.row(a), 1, size())), a);
      }
    }
    if (found.unreached) report_no_path(sources[found.unreached->source], found.unreached->target);
  }

 private:
  // Numbers of pairs, and of rows, for which a sweep for many sources does not pay.
  static constexpr Index few_pairs = 16, few_rows = 3;

  template <class Number, class Value>
  static std::vector<Number> list(Range range, Value value) {
    std::vector<Number> numbers;
    numbers.reserve(range.size());
    for (Index i = range.begin; i < range.end; ++i) numbers.push_back(static_cast<Number>(value(i)));
    return numbers;
  }

  [[nodiscard]] std::unique_ptr<ReachedFrom<D>> reach(std::vector<Index> targets) const {
    auto set = std::make_unique<ReachedFrom<D>>();
    const auto words = static_cast<std::size_t>((size() + 63) / 64);
    set->members.resize(words);
    const SharedArcs<D>& down = hierarchy_.down;
    for (const Index t : targets) add(*set, hierarchy_.place_of[t]);
    for (std::size_t w = words; w-- > 0;) {
      for (std::uint64_t left = set->members[w]; left != 0;) {
        const int bit = 63 - std::countl_zero(left);
        const auto p = static_cast<Index>(w) * 64 + bit;
        for (Index a = down.starts[p]; a < down.starts[p + 1]; ++a) add(*set, down.heads[a]);
        left = set->members[w] & ((std::uint64_t{1} << bit) - 1);
      }
    }
    copy_arcs(*set);
    set->outputs.resize(set->slots.size(), -1);
    for (std::size_t b = 0; b < targets.size(); ++b) {
      set->outputs[set->number(hierarchy_.place_of[targets[b]])] = static_cast<std::int32_t>(b);
    }
    set->targets = std::move(targets);
    return set;
  }

  // Lengths to the targets of a set of any kind.
  template <class Number>
  LengthsFound rows_of(std::span<const Index> sources, const TargetSet& targets, double scale,
                       MatrixView<Number> out) const {
    if (const auto* const all = dynamic_cast<const AllVertices<D>*>(&targets)) {
      return sweep_all(all->sweepers, sources, scale, out);
    }
    const auto* const reached = dynamic_cast<const ReachedFrom<D>*>(&targets);
    if (reached != nullptr) return sweep(sources, *reached, scale, out);
    if (out.rows * out.columns > few_pairs) return sweep(sources, *reach(targets.targets), scale, out);
    LengthsFound found;
    std::vector<D> lengths(targets.targets.size());
    for (Index a = 0; a < out.rows; ++a) {
      Descent<D> descent(hierarchy_, sources[a]);
      std::ranges::transform(targets.targets, lengths.begin(), [&](Index target) { return descent.to(target); });
      found.add(write_lengths(lengths.data(), 1, scale, MatrixView<Number>(out.row(a), 1, out.columns)), a);
    }
    return found;
  }

  // Lengths from one source to all vertices, without a sweep. @param stride  between the lengths of two vertices
  void descend(Index source, D* lengths, Index stride) const {
    Descent<D>(hierarchy_, source).to_all([&](Index vertex, D length) { lengths[vertex * stride] = length; });
  }

  template <class Number>
  LengthsFound sweep(std::span<const Index> sources, const ReachedFrom<D>& set, double scale,
                     MatrixView<Number> out) const {
    auto sweeper = set.sweepers.take(hierarchy_, set.size(), false);
    const LengthsFound found = compute(
        *sweeper, sources, {set.starts.data(), set.arcs.data(), set.slots.data(), set.outputs.data()},
        [&](std::int32_t place) { return set.number(place); }, scale, out);
    set.sweepers.give_back(std::move(sweeper));
    return found;
  }

  [[nodiscard]] SweepView<D> whole_view() const {
    return {hierarchy_.down.starts.values().data(), hierarchy_.down.arcs.values().data(),
            hierarchy_.depth.values().data(), hierarchy_.vertex_at.values().data()};
  }

  template <class Number>
  LengthsFound sweep_all(const IdleSweepers<D>& sweepers, std::span<const Index> sources, double scale,
                         MatrixView<Number> out) const {
    auto sweeper = sweepers.take(hierarchy_, size(), true);
    const LengthsFound found = compute(
        *sweeper, sources, whole_view(), [](std::int32_t place) { return Index{place}; }, scale, out);
    if (&sweepers == &whole_) sweeper->forget_lengths();
    sweepers.give_back(std::move(sweeper));
    return found;
  }

  static void add(ReachedFrom<D>& set, std::int32_t place) {
    set.members[static_cast<std::size_t>(place) / 64] |= std::uint64_t{1} << (place % 64);
  }

  void copy_arcs(ReachedFrom<D>& set) const {
    const auto arcs = hierarchy_.down.arcs.values();
    const auto& starts = hierarchy_.down.starts;
    for (std::size_t w = 0; w < set.members.size(); ++w) {
      set.before.push_back(static_cast<std::int32_t>(set.slots.size()));
      for (std::uint64_t left = set.members[w]; left != 0; left &= left - 1) {
        const auto p = static_cast<Index>(w) * 64 + std::countr_zero(left);
        set.slots.push_back(hierarchy_.depth[p]);
        set.arcs.insert(set.arcs.end(), arcs.begin() + starts[p], arcs.begin() + starts[p + 1]);
        set.starts.push_back(static_cast<Index>(set.arcs.size()));
      }
    }
  }

  // @param number  number of a place among the vertices of the view
  template <class Place, class Number>
  LengthsFound compute(Sweeper<D>& sweeper, std::span<const Index> sources, const SweepView<D>& view, Place number,
                       double scale, MatrixView<Number> out) const {
    constexpr Index lanes = sweep_lanes<D>;
    LengthsFound all;
    for (Index first = 0; first < out.rows; first += lanes) {
      const Index count = std::min(lanes, out.rows - first);
      const auto some = sources.subspan(first, count);
      const bool full = 2 * count > lanes;  // else compact rows save half of the memory
      const Index stride = full ? lanes : count;
      D* const lengths = sweeper.lengths(stride * out.columns);
      sweeper.run(some, view, number, full ? lengths : nullptr, [&](Range range, const D* found) {
        for (Index r = range.begin; r < range.end; ++r) {
          if (view.outputs[r] < 0) continue;
          std::copy_n(found, count, lengths + view.outputs[r] * count);
          found += lanes;
        }
      });
      all.add(write_lengths(lengths, stride, scale, MatrixView<Number>(out.row(first), count, out.columns, out.stride)),
              first);
    }
    return all;
  }

  SharedHierarchy<D> hierarchy_;
  bool connected_;
  IdleSweepers<D> whole_;
  mutable Index expected_ = 0;  // pairs
  mutable bool refused_ = false;
  mutable std::unique_ptr<HierarchyLabels<D>> labels_;
};

template <class D, class Source>
std::unique_ptr<PathLength> share(const Communicator& communicator, Source& source, const HierarchyFacts& facts) {
  return std::make_unique<HierarchyPathLength<D>>(share_hierarchy<D>(communicator, source, facts),
                                                  facts.directed ? Arcs::forward : Arcs::both_ways, facts.longest);
}

// In the narrowest numbers that hold the lengths.
template <class Source>
std::unique_ptr<PathLength> share_narrow(const Communicator& communicator, Source& source,
                                         const HierarchyFacts& facts) {
  if (facts.whole && facts.longest < not_reached<std::uint16_t> && facts.height <= 0xffff)
    return share<std::uint16_t>(communicator, source, facts);
  if (facts.whole && facts.longest < not_reached<std::uint32_t>)
    return share<std::uint32_t>(communicator, source, facts);
  return share<double>(communicator, source, facts);
}

}  // namespace

std::unique_ptr<PathLength> make_hierarchy_path_length(const Communicator& communicator,
                                                       ContractionHierarchy hierarchy) {
  HierarchyFacts facts;
  if (communicator.is_root()) {
    facts = {hierarchy.longest, hierarchy.height(), hierarchy.whole, hierarchy.directed};
  } else {
    hierarchy = {};
  }
  communicator.broadcast(std::span(&facts, 1), 0);
  return share_narrow(communicator, hierarchy, facts);
}

std::unique_ptr<PathLength> make_hierarchy_path_length(const Communicator& communicator, CustomizedArcs arcs) {
  return share_narrow(communicator, arcs, {arcs.longest, arcs.height, arcs.whole, arcs.directed});
}

}  // namespace cairn

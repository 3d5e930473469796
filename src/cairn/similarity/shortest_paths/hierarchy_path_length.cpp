#include "cairn/similarity/shortest_paths/hierarchy_path_length.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_descent.hpp"

namespace cairn {

namespace {

// What one thread needs for the sweeps over one set of vertices.
template <class D>
class Sweeper {
 public:
  static constexpr Index lanes = sweep_lanes<D>;
  static constexpr Index piece = 256;  // vertices between two looks at what was found: it stays in the nearest cache

  Sweeper(const SharedHierarchy<D>& hierarchy, Index vertices)
      : hierarchy_(hierarchy),
        row_of_(static_cast<std::size_t>(vertices), 0),
        rows_((std::min(vertices, lanes * hierarchy.height) + 1) * lanes),
        stack_(hierarchy.height * lanes),
        found_(piece * lanes),
        up_(static_cast<std::size_t>(hierarchy.height)) {
    std::fill_n(rows_.data(), lanes, not_reached<D>);
  }

  // The search upward from `source`, written into `lane`. @param number  of a place among the vertices that are swept
  template <class Number>
  void bring(Index source, Index lane, Number number) {
    search_upward(hierarchy_, source, up_, [&](std::int32_t place, D length) {
      if (const Index r = number(place); r >= 0) row(r)[lane] = length;
    });
  }

  // Sweeps, and forgets what was brought. @param collect  called with the lengths found of a range of vertices
  template <class Collect>
  void run(const SweepView<D>& view, Collect collect) {
    const auto vertices = static_cast<Index>(row_of_.size());
    for (Index begin = 0; begin < vertices; begin += piece) {
      const Range range{begin, std::min(begin + piece, vertices)};
      sweep_down<D>(view, range, {rows_.data(), row_of_.data(), stack_.data(), found_.data()});
      collect(range, found_.data());
    }
    for (const Index r : brought_to_) row_of_[static_cast<std::size_t>(r)] = 0;
    brought_to_.clear();
  }

  // Room for what is found, kept for the next time.
  [[nodiscard]] D* lengths(Index size) {
    if (lengths_.size() < size) lengths_ = Buffer<D>(size);
    return lengths_.data();
  }

 private:
  [[nodiscard]] D* row(Index r) {
    std::int32_t& row = row_of_[static_cast<std::size_t>(r)];
    if (row == 0) {
      brought_to_.push_back(r);
      row = static_cast<std::int32_t>(brought_to_.size());
      std::fill_n(rows_.data() + row * lanes, lanes, not_reached<D>);
    }
    return rows_.data() + row * lanes;
  }

  const SharedHierarchy<D>& hierarchy_;
  std::vector<std::int32_t> row_of_;
  std::vector<Index> brought_to_;
  Buffer<D> rows_, stack_, found_, lengths_;
  std::vector<D> up_;
};

// The vertices that some targets can be reached over, numbered in preorder.
template <class D>
struct ReachedFrom final : TargetSet {
  std::vector<Index> starts{0};
  std::vector<SweepArc<D>> arcs;
  std::vector<std::int32_t> slots, outputs;
  std::vector<std::uint64_t> members;  // one bit a place
  std::vector<std::int32_t> before;    // members in the words before

  [[nodiscard]] Index size() const { return static_cast<Index>(slots.size()); }
  // The number of the vertex at `place`, negative where it is none of them.
  [[nodiscard]] Index number(std::int32_t place) const {
    const auto word = static_cast<std::size_t>(place) / 64;
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((members[word] & bit) == 0) return -1;
    return before[word] + std::popcount(members[word] & (bit - 1));
  }

  // Sweepers that no thread has in use: their memory would else be cleared for every few sources.
  [[nodiscard]] std::unique_ptr<Sweeper<D>> take(const SharedHierarchy<D>& hierarchy) const {
    const std::scoped_lock lock(taking_);
    if (idle_.empty()) return std::make_unique<Sweeper<D>>(hierarchy, size());
    auto sweeper = std::move(idle_.back());
    idle_.pop_back();
    return sweeper;
  }
  void give_back(std::unique_ptr<Sweeper<D>> sweeper) const {
    const std::scoped_lock lock(taking_);
    idle_.push_back(std::move(sweeper));
  }

 private:
  mutable std::mutex taking_;
  mutable std::vector<std::unique_ptr<Sweeper<D>>> idle_;
};

template <class D>
class HierarchyPathLength final : public PathLength {
 public:
  explicit HierarchyPathLength(SharedHierarchy<D> hierarchy)
      : PathLength("hierarchy", hierarchy.vertex_at.size(), hierarchy.integral, sweep_lanes<D>),
        hierarchy_(std::move(hierarchy)) {}

  [[nodiscard]] std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const override {
    if (std::ssize(targets) <= few_pairs) return PathLength::prepare(std::move(targets));
    return reach(std::move(targets));
  }

  [[nodiscard]] std::optional<StoredHierarchy> stored_hierarchy(int part, int parts) const override {
    const auto share = [part, parts](Index all) { return Range{all * part / parts, all * (part + 1) / parts}; };
    const Range places = share(size()), arcs = share(hierarchy_.arcs.size());
    const bool narrow = hierarchy_.height <= 0xffff;  // more arcs than ancestors has none
    const auto counts = [narrow](Range range, auto value) {
      return narrow ? StoredHierarchy::Counts(list<std::uint16_t>(range, value))
                    : StoredHierarchy::Counts(list<std::int32_t>(range, value));
    };
    StoredHierarchy stored;
    stored.vertices = list<std::int32_t>(places, [&](Index p) { return hierarchy_.vertex_at[p]; });
    stored.depths = counts(places, [&](Index p) { return hierarchy_.depth[p]; });
    stored.degrees = counts(places, [&](Index p) { return hierarchy_.starts[p + 1] - hierarchy_.starts[p]; });
    stored.heads = counts(arcs, [&](Index a) { return hierarchy_.arcs[a].slot; });
    stored.lengths = list<D>(arcs, [&](Index a) { return hierarchy_.arcs[a].length; });
    return stored;
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    const auto* const reached = dynamic_cast<const ReachedFrom<D>*>(&targets);
    if (reached != nullptr) return sweep(sources, *reached, out);
    if (out.rows * out.columns > few_pairs) return sweep(sources, *reach(targets.targets), out);
    for (Index a = 0; a < out.rows; ++a) {
      Descent<D> descent(hierarchy_, sources[static_cast<std::size_t>(a)]);
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = static_cast<double>(descent.to(targets.targets[static_cast<std::size_t>(b)]));
        if (out(a, b) >= static_cast<double>(not_reached<D>)) {
          report_no_path(sources[static_cast<std::size_t>(a)], targets.targets[static_cast<std::size_t>(b)]);
        }
      }
    }
  }

  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    if (out.rows > few_rows) return sweep_all(sources, out);
    for (Index a = 0; a < out.rows; ++a) {
      const Index source = sources[static_cast<std::size_t>(a)];
      double* const row = out.row(a);
      Descent<D>(hierarchy_, source).to_all([&](Index vertex, D length) {
        if (length >= not_reached<D>) report_no_path(source, vertex);
        row[vertex] = static_cast<double>(length);
      });
    }
  }

 private:
  // Pairs, and rows, for which a sweep for many sources does not pay.
  static constexpr Index few_pairs = 16, few_rows = 3;

  template <class Number, class Value>
  static std::vector<Number> list(Range range, Value value) {
    std::vector<Number> numbers;
    numbers.reserve(static_cast<std::size_t>(range.size()));
    for (Index i = range.begin; i < range.end; ++i) numbers.push_back(static_cast<Number>(value(i)));
    return numbers;
  }

  [[nodiscard]] std::unique_ptr<ReachedFrom<D>> reach(std::vector<Index> targets) const {
    auto set = std::make_unique<ReachedFrom<D>>();
    const auto words = static_cast<std::size_t>((size() + 63) / 64);
    set->members.resize(words);
    for (const Index t : targets) add(*set, hierarchy_.place_of[t]);
    for (std::size_t w = words; w-- > 0;) {
      for (std::uint64_t left = set->members[w]; left != 0;) {
        const int bit = 63 - std::countl_zero(left);
        const auto p = static_cast<Index>(w) * 64 + bit;
        for (Index a = hierarchy_.starts[p]; a < hierarchy_.starts[p + 1]; ++a) add(*set, hierarchy_.heads[a]);
        left = set->members[w] & ((std::uint64_t{1} << bit) - 1);
      }
    }
    copy_arcs(*set);
    set->outputs.resize(set->slots.size(), -1);
    for (std::size_t b = 0; b < targets.size(); ++b) {
      set->outputs[static_cast<std::size_t>(set->number(hierarchy_.place_of[targets[b]]))] =
          static_cast<std::int32_t>(b);
    }
    set->targets = std::move(targets);
    return set;
  }

  void sweep(std::span<const Index> sources, const ReachedFrom<D>& set, MatrixView<double> out) const {
    auto sweeper = set.take(hierarchy_);
    compute(
        *sweeper, sources, {set.starts.data(), set.arcs.data(), set.slots.data(), set.outputs.data()},
        [&](std::int32_t place) { return set.number(place); },
        [&](Index b) { return set.targets[static_cast<std::size_t>(b)]; }, out);
    set.give_back(std::move(sweeper));
  }

  void sweep_all(std::span<const Index> sources, MatrixView<double> out) const {
    Sweeper<D> sweeper(hierarchy_, size());
    compute(
        sweeper, sources,
        {hierarchy_.starts.values().data(), hierarchy_.arcs.values().data(), hierarchy_.depth.values().data(),
         hierarchy_.vertex_at.values().data()},
        [](std::int32_t place) { return Index{place}; }, [](Index v) { return v; }, out);
  }

  static void add(ReachedFrom<D>& set, std::int32_t place) {
    set.members[static_cast<std::size_t>(place) / 64] |= std::uint64_t{1} << (place % 64);
  }

  void copy_arcs(ReachedFrom<D>& set) const {
    const auto arcs = hierarchy_.arcs.values();
    for (std::size_t w = 0; w < set.members.size(); ++w) {
      set.before.push_back(static_cast<std::int32_t>(set.slots.size()));
      for (std::uint64_t left = set.members[w]; left != 0; left &= left - 1) {
        const auto p = static_cast<Index>(w) * 64 + std::countr_zero(left);
        set.slots.push_back(hierarchy_.depth[p]);
        set.arcs.insert(set.arcs.end(), arcs.begin() + hierarchy_.starts[p], arcs.begin() + hierarchy_.starts[p + 1]);
        set.starts.push_back(static_cast<Index>(set.arcs.size()));
      }
    }
  }

  // @param number  of a place among the vertices of the view, @param target  the vertex that an output stands for
  template <class Number, class Target>
  void compute(Sweeper<D>& sweeper, std::span<const Index> sources, const SweepView<D>& view, Number number,
               Target target, MatrixView<double> out) const {
    D* const lengths = sweeper.lengths(std::min(sweep_lanes<D>, out.rows) * out.columns);
    for (Index first = 0; first < out.rows; first += sweep_lanes<D>) {
      const Index count = std::min(sweep_lanes<D>, out.rows - first);
      const auto some = sources.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      for (Index lane = 0; lane < count; ++lane) sweeper.bring(some[static_cast<std::size_t>(lane)], lane, number);
      sweeper.run(view, [&](Range range, const D* found) {
        for (Index r = range.begin; r < range.end; ++r) {
          if (view.outputs[r] < 0) continue;
          std::copy_n(found, count, lengths + view.outputs[r] * count);
          found += sweep_lanes<D>;
        }
      });
      const MatrixView<double> rows(out.row(first), count, out.columns, out.stride);
      if (transpose(lengths, rows)) report(some, rows, target);
    }
  }

  // lengths(b, a) into out(a, b); tells whether one is not_reached.
  static bool transpose(const D* lengths, MatrixView<double> out) {
    constexpr Index block = 64;
    D largest = 0;
    for (Index first = 0; first < out.columns; first += block) {
      const Index last = std::min(first + block, out.columns);
      for (Index a = 0; a < out.rows; ++a) {
        double* const row = out.row(a);
        for (Index b = first; b < last; ++b) {
          const D length = lengths[b * out.rows + a];
          largest = std::max(largest, length);
          row[b] = static_cast<double>(length);
        }
      }
    }
    return largest >= not_reached<D>;
  }

  template <class Target>
  [[noreturn]] void report(std::span<const Index> sources, MatrixView<double> lengths, Target target) const {
    for (Index a = 0; a < lengths.rows; ++a) {
      for (Index b = 0; b < lengths.columns; ++b) {
        if (lengths(a, b) >= static_cast<double>(not_reached<D>))
          report_no_path(sources[static_cast<std::size_t>(a)], target(b));
      }
    }
    throw Error(ErrorKind::internal, "a path length is missing, and none is");
  }

  SharedHierarchy<D> hierarchy_;
};

// What all ranks have to know before the arrays come.
struct Facts {
  double longest = 0.0;
  Index height = 0;
  bool whole = false;
};

template <class D>
std::unique_ptr<PathLength> share(const Communicator& communicator, ContractionHierarchy& hierarchy,
                                  const Facts& facts) {
  const auto replicate = [&]<class T>(std::vector<T>& values) {
    auto shared = replicate_on_nodes<T>(communicator, values);
    values = {};
    return shared;
  };
  SharedHierarchy<D> shared;
  shared.vertex_at = replicate(hierarchy.tree.vertex_at);
  shared.place_of = replicate(hierarchy.tree.place_of);
  shared.parent = replicate(hierarchy.tree.parent);
  shared.depth = replicate(hierarchy.tree.depth);
  shared.starts = replicate(hierarchy.starts);
  shared.heads = replicate(hierarchy.heads);
  const NodeArray<double> lengths = replicate(hierarchy.lengths);
  shared.arcs = NodeArray<SweepArc<D>>(communicator, lengths.size());
  if (shared.arcs.node().is_root()) {
    for (Index a = 0; a < lengths.size(); ++a) {
      SweepArc<D>& arc = shared.arcs.writable()[static_cast<std::size_t>(a)];
      arc.slot = static_cast<decltype(arc.slot)>(shared.depth[shared.heads[a]]);
      arc.length = static_cast<D>(lengths[a]);
    }
  }
  shared.arcs.publish();
  shared.height = facts.height;
  shared.integral = facts.whole && facts.longest < 0x1p32;
  return std::make_unique<HierarchyPathLength<D>>(std::move(shared));
}

}  // namespace

std::unique_ptr<PathLength> make_hierarchy_path_length(const Communicator& communicator,
                                                       ContractionHierarchy hierarchy) {
  Facts facts;
  if (communicator.is_root()) {
    facts = {hierarchy.longest, hierarchy.height(), hierarchy.whole};
  } else {
    hierarchy = {};
  }
  communicator.broadcast(std::span(&facts, 1), 0);
  if (facts.whole && facts.longest < not_reached<std::uint16_t> && facts.height <= 0xffff)
    return share<std::uint16_t>(communicator, hierarchy, facts);
  if (facts.whole && facts.longest < not_reached<std::uint32_t>)
    return share<std::uint32_t>(communicator, hierarchy, facts);
  return share<double>(communicator, hierarchy, facts);
}

}  // namespace cairn

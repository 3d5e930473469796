// Lengths from the sources of one batch by passes up and down a hierarchy. Private to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/past_caches.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"
#include "cairn/similarity/shortest_paths/shared_hierarchy.hpp"

namespace cairn {

/// Workspace of one thread for the sweeps over one set of vertices.
template <class D>
class Sweeper {
 public:
  static constexpr Index lanes = sweep_lanes<D>;
  static constexpr Index piece = 256;  ///< vertices per call of `collect`, whose lengths stay in the L1 cache

  /// @param vertices  of the view to sweep @param whole  the view has all vertices, numbered by place
  Sweeper(const SharedHierarchy<D>& hierarchy, Index vertices, bool whole)
      : hierarchy_(hierarchy),
        vertices_(vertices),
        whole_(whole),
        row_at_(static_cast<std::size_t>(hierarchy.depth.size()), 0),
        row_of_(whole ? 0 : static_cast<std::size_t>(vertices), 0),
        stack_(hierarchy.height * lanes),
        found_(piece * lanes) {}

  /// Computes lengths from at most `lanes` sources, one per lane, to the vertices of the view that have an output.
  /// @param number  number of a place among the vertices of the view; negative if it is not there
  /// @param placed  rows of `lanes` lengths by output, aligned to 64 bytes; null: `collect` is called with a range of
  ///   vertices and their lengths
  template <class Number, class Collect>
  void run(std::span<const Index> sources, const SweepView<D>& view, Number number, D* placed, Collect collect) {
    run(sources, view, number, placed, collect, {0, vertices_});
  }

  /// The same for the vertices `part` alone; of a part that does not begin with the first, the view has all vertices.
  template <class Number, class Collect>
  void run(std::span<const Index> sources, const SweepView<D>& view, Number number, D* placed, Collect collect,
           Range part) {
    if (!whole_ || !std::ranges::equal(sources, risen_)) {  // parts of a band follow each other
      risen_.clear();
      for (const std::int32_t p : places_) row_at_[p] = 0;
      rise(sources);
      risen_.assign(sources.begin(), sources.end());
    }
    if (!whole_) {
      for (const std::int32_t p : places_) {
        if (const Index r = number(p); r >= 0) row_of_[r] = row_at_[p];
      }
    }
    const std::int32_t* const row_of = whole_ ? row_at_.data() : row_of_.data();
    if (part.begin > 0) fill_stack(view, static_cast<std::int32_t>(part.begin));
    for (Index begin = part.begin; begin < part.end; begin += piece) {
      const Range range{begin, std::min(begin + piece, part.end)};
      sweep_down<D>(view, range, {rows_.data(), row_of, stack_.data(), found_.data(), placed});
      if (placed == nullptr) collect(range, found_.data());
    }
    if (placed != nullptr) finish_past_caches();
    for (std::size_t k = 0; k < places_.size() && !whole_; ++k) {
      if (const Index r = number(places_[k]); r >= 0) row_of_[r] = 0;
    }
  }

  /// Storage for lengths, reused by later calls.
  [[nodiscard]] D* lengths(Index size) {
    if (lengths_.size() < size) lengths_ = Buffer<D>(size);
    return lengths_.data();
  }
  void forget_lengths() { lengths_ = {}; }

 private:
  // Computes the lengths of the ancestors of the vertex at `place`, from the root downward, which fills the stack.
  void fill_stack(const SweepView<D>& view, std::int32_t place) {
    std::vector<std::int32_t> ancestors;
    for (std::int32_t p = hierarchy_.parent[place]; p >= 0; p = hierarchy_.parent[p]) ancestors.push_back(p);
    for (auto p = ancestors.rbegin(); p != ancestors.rend(); ++p) {
      sweep_down<D>(view, {*p, Index{*p} + 1}, {rows_.data(), row_at_.data(), stack_.data(), found_.data()});
    }
  }

  // Computes the lengths from the sources to their ancestors, in row row_at_[p] for each place p in places_. Sources
  // are taken in preorder: ancestors that a later one adds come after all ancestors of earlier ones.
  void rise(std::span<const Index> sources) {
    std::array<std::int32_t, static_cast<std::size_t>(lanes)> order{};
    const auto count = sources.size();
    const auto place = [&](std::size_t lane) { return hierarchy_.place_of[sources[lane]]; };
    std::iota(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), 0);
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
              [&](auto a, auto b) { return place(static_cast<std::size_t>(a)) < place(static_cast<std::size_t>(b)); });
    places_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const auto before = static_cast<std::ptrdiff_t>(places_.size());
      std::int32_t p = place(static_cast<std::size_t>(order[k]));
      for (; p >= 0 && row_at_[p] == 0; p = hierarchy_.parent[p]) {
        row_at_[p] = 1;
        places_.push_back(p);
      }
      std::reverse(places_.begin() + before, places_.end());
    }
    const auto rows = static_cast<Index>(places_.size()) + 1;  // row 0: not reached
    if (rows_.size() < rows * lanes) rows_ = Buffer<D>(rows * lanes * 5 / 4);
    std::fill_n(rows_.data(), rows * lanes, not_reached<D>);
    for (std::size_t k = 0; k < places_.size(); ++k) {
      row_at_[places_[k]] = static_cast<std::int32_t>(k) + 1;
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      rows_[row_at_[place(lane)] * lanes + static_cast<Index>(lane)] = 0;
    }
    sweep_up<D>({hierarchy_.up.starts.values().data(), hierarchy_.up.arcs.values().data(),
                 hierarchy_.up.heads.values().data(), row_at_.data()},
                places_, rows_.data());
  }

  const SharedHierarchy<D>& hierarchy_;
  Index vertices_;
  bool whole_;
  std::vector<std::int32_t> row_at_, row_of_;  // by place; by number
  std::vector<std::int32_t> places_;           // of sources and their ancestors, ascending
  std::vector<Index> risen_;                   // sources whose ancestors have their lengths
  Buffer<D> rows_, stack_, found_, lengths_;
};

/// Unused sweepers over one set of vertices. Without them, memory would be cleared for every batch.
template <class D>
class IdleSweepers {
 public:
  [[nodiscard]] std::unique_ptr<Sweeper<D>> take(const SharedHierarchy<D>& hierarchy, Index vertices,
                                                 bool whole) const {
    const std::scoped_lock lock(taking_);
    if (idle_.empty()) return std::make_unique<Sweeper<D>>(hierarchy, vertices, whole);
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

}  // namespace cairn

// Lengths from the sources of one batch by passes up and down a hierarchy. Private to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/past_caches.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_descent.hpp"

namespace cairn {

/// What one thread needs for the sweeps over one set of vertices.
template <class D>
class Sweeper {
 public:
  static constexpr Index lanes = sweep_lanes<D>;
  static constexpr Index piece = 256;  ///< vertices between two looks at what was found: it stays in the nearest cache

  /// @param vertices  of the view that is swept @param whole  it has all vertices, numbered by place
  Sweeper(const SharedHierarchy<D>& hierarchy, Index vertices, bool whole)
      : hierarchy_(hierarchy),
        vertices_(vertices),
        whole_(whole),
        row_at_(static_cast<std::size_t>(hierarchy.depth.size()), 0),
        row_of_(whole ? 0 : static_cast<std::size_t>(vertices), 0),
        stack_(hierarchy.height * lanes),
        found_(piece * lanes) {}

  /// Lengths from at most `lanes` sources, one a lane, to the vertices of the view that have an output.
  /// @param number  of a place among the vertices that are swept, negative: it is none @param placed  rows of `lanes`
  /// lengths by output, aligned to 64 bytes; null: `collect` is called with a range of vertices and what was found
  template <class Number, class Collect>
  void run(std::span<const Index> sources, const SweepView<D>& view, Number number, D* placed, Collect collect) {
    rise(sources);
    if (!whole_) {
      for (const std::int32_t p : places_) {
        if (const Index r = number(p); r >= 0)
          row_of_[static_cast<std::size_t>(r)] = row_at_[static_cast<std::size_t>(p)];
      }
    }
    const std::int32_t* const row_of = whole_ ? row_at_.data() : row_of_.data();
    for (Index begin = 0; begin < vertices_; begin += piece) {
      const Range range{begin, std::min(begin + piece, vertices_)};
      sweep_down<D>(view, range, {rows_.data(), row_of, stack_.data(), found_.data(), placed});
      if (placed == nullptr) collect(range, found_.data());
    }
    if (placed != nullptr) finish_past_caches();
    for (const std::int32_t p : places_) {
      row_at_[static_cast<std::size_t>(p)] = 0;
      if (whole_) continue;
      if (const Index r = number(p); r >= 0) row_of_[static_cast<std::size_t>(r)] = 0;
    }
  }

  /// Room for what is found, kept for the next time.
  [[nodiscard]] D* lengths(Index size) {
    if (lengths_.size() < size) lengths_ = Buffer<D>(size);
    return lengths_.data();
  }
  void forget_lengths() { lengths_ = {}; }

 private:
  // The lengths from the sources to their ancestors, in the rows that row_at_ says of the places in places_. Sources
  // are taken in preorder: what a later one adds to the ancestors of earlier ones comes behind them all.
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
      for (; p >= 0 && row_at_[static_cast<std::size_t>(p)] == 0; p = hierarchy_.parent[p]) {
        row_at_[static_cast<std::size_t>(p)] = 1;
        places_.push_back(p);
      }
      std::reverse(places_.begin() + before, places_.end());
    }
    const auto rows = static_cast<Index>(places_.size()) + 1;  // row 0: nothing was brought
    if (rows_.size() < rows * lanes) rows_ = Buffer<D>(rows * lanes * 5 / 4);
    std::fill_n(rows_.data(), rows * lanes, not_reached<D>);
    for (std::size_t k = 0; k < places_.size(); ++k) {
      row_at_[static_cast<std::size_t>(places_[k])] = static_cast<std::int32_t>(k) + 1;
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      rows_[row_at_[static_cast<std::size_t>(place(lane))] * lanes + static_cast<Index>(lane)] = 0;
    }
    sweep_up<D>({hierarchy_.starts.values().data(), hierarchy_.arcs.values().data(), hierarchy_.heads.values().data(),
                 row_at_.data()},
                places_, rows_.data());
  }

  const SharedHierarchy<D>& hierarchy_;
  Index vertices_;
  bool whole_;
  std::vector<std::int32_t> row_at_, row_of_;  // by place; by number
  std::vector<std::int32_t> places_;           // of sources and their ancestors, ascending
  Buffer<D> rows_, stack_, found_, lengths_;
};

/// Sweepers over one set of vertices that no thread has in use: their memory would else be cleared for every batch.
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

#include "cairn/similarity/shortest_paths/customization.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/shortest_paths/subtrees.hpp"

namespace cairn {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

void beat_at(Index place) {
  if (place % 256 == 0) Watchdog::beat();
}

// Where a worker collects the lengths of arcs of places above its subtree, which belong to all workers.
struct Collected {
  double *up = nullptr, *down = nullptr;
  Index first = 0;             // places below it are above the subtree
  std::vector<Index> shift{};  // by depth of such a place: from its arcs to their numbers here
};

// Relaxes arcs with the triangles below them whose lowest corner is `p`: i and j lead from it to u and y, u below y; k
// leads from u to y.
template <bool directed>
void relax_below(const CompletionView& completion, const ArcLengths& lengths, Index p, const Collected& collected) {
  const auto [parent, depth, starts, heads] = completion;
  const double *const up = lengths.up.data(), *const down = directed ? lengths.down.data() : up;
  const Index end = starts[p + 1];
  for (Index i = starts[p]; i + 1 < end; ++i) {
    const std::int32_t u = heads[i];
    double *to_up = lengths.up.data(), *to_down = lengths.down.data();
    if (u < collected.first) {
      const Index shift = collected.shift[depth[u]];
      to_up = collected.up + shift;
      if (directed) to_down = collected.down + shift;
    }
    Index k = starts[u];
    for (Index j = i + 1; j < end; ++j, ++k) {
      while (heads[k] != heads[j]) ++k;
      to_up[k] = std::min(to_up[k], down[i] + up[j]);
      if constexpr (directed) to_down[k] = std::min(to_down[k], down[j] + up[i]);
    }
  }
}

struct Over {
  std::vector<double> up, down;  // by arc of a place: the shortest path over a third vertex above it
};

// Relaxes the arcs of `p` with the triangles above them, and says which are needed.
template <bool directed>
void relax_above(const CompletionView& completion, const ArcLengths& lengths, Index p, bool drop_ties, Over& over,
                 std::uint8_t* needed) {
  const auto [parent, depth, starts, heads] = completion;
  double *const up = lengths.up.data(), *const down = directed ? lengths.down.data() : up;
  const Index first = starts[p], end = starts[p + 1];
  over.up.assign(end - first, unreached);
  if (directed) over.down.assign(end - first, unreached);
  for (Index i = first; i + 1 < end; ++i) {
    Index k = starts[heads[i]];
    for (Index j = i + 1; j < end; ++j, ++k) {
      while (heads[k] != heads[j]) ++k;
      double &to_i = over.up[i - first], &to_j = over.up[j - first];
      to_j = std::min(to_j, up[i] + up[k]);
      to_i = std::min(to_i, up[j] + down[k]);
      if constexpr (directed) {
        double &from_i = over.down[i - first], &from_j = over.down[j - first];
        from_j = std::min(from_j, down[k] + down[i]);
        from_i = std::min(from_i, up[k] + down[j]);
      }
    }
  }
  const auto settle = [&](double& length, double other) {
    const bool need = length < other || (!drop_ties && length == other && length < unreached);
    length = std::min(length, other);
    return need;
  };
  for (Index a = first; a < end; ++a) {
    needed[a] = settle(up[a], over.up[a - first]) ? needed_up : 0;
    if constexpr (directed) needed[a] |= settle(down[a], over.down[a - first]) ? needed_down : 0;
  }
}

template <bool directed>
void customize_alone(const CompletionView& completion, const ArcLengths& lengths, std::uint8_t* needed,
                     bool drop_ties) {
  const Index n = std::ssize(completion.parent);
  const Collected none;
  Over over;
  for (Index p = n; p-- > 0; beat_at(p)) relax_below<directed>(completion, lengths, p, none);
  for (Index p = 0; p < n; ++p, beat_at(p)) relax_above<directed>(completion, lengths, p, drop_ties, over, needed);
}

// A node's work.
template <bool directed>
class Together {
 public:
  Together(const Communicator& communicator, const CompletionView& completion, NodeArray<double>& up,
           NodeArray<double>& down, NodeArray<std::uint8_t>& needed, bool drop_ties, int threads)
      : completion_(completion),
        up_(up),
        down_(down),
        needed_(needed),
        lengths_{up.writable(), down.writable()},
        drop_ties_(drop_ties),
        threads_(threads) {
    const Index workers = up.node().size() * static_cast<Index>(threads);
    collectively(communicator, [&] {
      deal_ = deal_subtrees(completion.parent, workers);
      starts_above_.push_back(0);
      for (const std::int32_t p : deal_.above) {
        starts_above_.push_back(starts_above_.back() + completion.starts[p + 1] - completion.starts[p]);
      }
    });
    collected_ = NodeArray<double>(communicator, deal_.subtrees.empty() ? 0 : workers * arcs_above() * directions);
  }

  void run() {
    for_subtrees([&](Index worker, const std::vector<Range>& own) {
      Collected collected = of(worker);
      std::fill_n(collected.up, arcs_above() * directions, unreached);
      for (const Range subtree : own) {
        enter(subtree, collected);
        for (Index p = subtree.end; p-- > subtree.begin; beat_at(p)) {
          relax_below<directed>(completion_, lengths_, p, collected);
        }
      }
    });
    collected_.publish();
    publish();
    if (up_.node().is_root()) finish_above();
    publish();
    for_subtrees([&](Index /*worker*/, const std::vector<Range>& own) {
      Over over;
      for (const Range subtree : own) {
        for (Index p = subtree.begin; p < subtree.end; ++p, beat_at(p)) above_at(p, over);
      }
    });
    publish();
  }

 private:
  static constexpr Index directions = directed ? 2 : 1;

  [[nodiscard]] Index arcs_above() const { return starts_above_.back(); }
  [[nodiscard]] Collected of(Index worker) {
    double* const begin = collected_.writable().data() + worker * arcs_above() * directions;
    return {begin, directed ? begin + arcs_above() : nullptr, 0, {}};
  }

  // Calls work(worker, subtrees) for the workers of this rank.
  template <class Work>
  void for_subtrees(Work work) {
    if (deal_.subtrees.empty()) return;
#pragma omp parallel for num_threads(threads_) schedule(static, 1) if (threads_ > 1)
    for (int thread = 0; thread < threads_; ++thread) {
      const Index worker = up_.node().rank() * static_cast<Index>(threads_) + thread;
      std::vector<Range> own;
      for (std::size_t k = 0; k < deal_.subtrees.size(); ++k) {
        if (deal_.worker[k] == worker) own.push_back(deal_.subtrees[k]);
      }
      work(worker, own);
    }
  }

  void enter(Range subtree, Collected& collected) const {
    collected.first = subtree.begin;
    collected.shift.assign(completion_.depth[subtree.begin], 0);
    for (std::int32_t p = completion_.parent[subtree.begin]; p >= 0; p = completion_.parent[p]) {
      const auto place = std::ranges::lower_bound(deal_.above, p) - deal_.above.begin();
      collected.shift[completion_.depth[p]] = starts_above_[place] - completion_.starts[p];
    }
  }

  void above_at(Index p, Over& over) {
    relax_above<directed>(completion_, lengths_, p, drop_ties_, over, needed_.writable().data());
  }

  void finish_above() {
    const Index workers = collected_.empty() ? 0 : collected_.size() / (arcs_above() * directions);
    for (Index worker = 0; worker < workers; ++worker) {
      const Collected collected = of(worker);
      for (std::size_t k = 0; k < deal_.above.size(); ++k) {
        const Index first = completion_.starts[deal_.above[k]];
        for (Index a = starts_above_[k]; a < starts_above_[k + 1]; ++a) {
          const Index arc = first + a - starts_above_[k];
          lengths_.up[arc] = std::min(lengths_.up[arc], collected.up[a]);
          if constexpr (directed) lengths_.down[arc] = std::min(lengths_.down[arc], collected.down[a]);
        }
      }
    }
    const Collected none;
    Over over;
    for (auto p = deal_.above.rbegin(); p != deal_.above.rend(); ++p, beat_at(0)) {
      relax_below<directed>(completion_, lengths_, *p, none);
    }
    for (const std::int32_t p : deal_.above) above_at(p, over);
  }

  void publish() const {
    up_.publish();
    if (directed) down_.publish();
    needed_.publish();
  }

  CompletionView completion_;
  NodeArray<double>&up_, &down_;
  NodeArray<std::uint8_t>& needed_;
  ArcLengths lengths_;
  bool drop_ties_;
  int threads_;
  SubtreeDeal deal_;
  std::vector<Index> starts_above_;  // of the arcs of each place above the subtrees, among those of all these
  NodeArray<double> collected_;      // by worker
};

}  // namespace

void customize(const CompletionView& completion, const ArcLengths& lengths, std::span<std::uint8_t> needed,
               bool drop_ties) {
  if (lengths.directed()) {
    customize_alone<true>(completion, lengths, needed.data(), drop_ties);
  } else {
    customize_alone<false>(completion, lengths, needed.data(), drop_ties);
  }
}

void customize(const Communicator& communicator, const CompletionView& completion, NodeArray<double>& up,
               NodeArray<double>& down, NodeArray<std::uint8_t>& needed, bool drop_ties, int threads) {
  if (down.empty()) {
    Together<false>(communicator, completion, up, down, needed, drop_ties, threads).run();
  } else {
    Together<true>(communicator, completion, up, down, needed, drop_ties, threads).run();
  }
}

}  // namespace cairn

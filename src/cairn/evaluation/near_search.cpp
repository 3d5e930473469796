#include "cairn/evaluation/near_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "cairn/approximation/entry_evaluation.hpp"
#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/approximation/near/near_candidates.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/evaluation/pair_values.hpp"
#include "cairn/similarity/nearest_search.hpp"

namespace cairn {

namespace {

constexpr Index pairs_together = Index{1} << 16;  // approximate number of pairs evaluated between two checks of the
                                                  // ledger

// An entry of K or of S, held by the owner of `row`.
struct Entry {
  Index row, column;
  double value = 0.0;

  friend bool operator<(const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; }
  [[nodiscard]] bool of(const Entry& other) const { return row == other.row && column == other.column; }
};

using Entries = std::vector<Entry>;

// One of the two orders of a pair, so that every object is the first of about half of its pairs.
Entry ordered(Index i, Index j) {
  const auto [low, high] = std::minmax(i, j);
  return (low + high) % 2 == 0 ? Entry{low, high} : Entry{high, low};
}

// Pairs of objects and their candidates, each once, at the owner of the first object; and each object with itself.
// Sorted. Collective.
Entries own_pairs(const Communicator& communicator, const RowPartition& partition, const std::vector<Index>& candidates,
                  Index count) {
  const Range own = partition.range(communicator.rank());
  std::vector<Entries> send(communicator.size());
  for (Index i = own.begin; i < own.end; ++i) {
    send[communicator.rank()].push_back({i, i});
    for (Index c = 0; c < count; ++c) {
      const Entry pair = ordered(i, candidates[(i - own.begin) * count + c]);
      send[partition.owner(pair.row)].push_back(pair);
    }
  }
  Entries pairs;
  for (const Entries& part : communicator.exchange(send)) pairs.insert(pairs.end(), part.begin(), part.end());
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end(), [](const Entry& a, const Entry& b) { return a.of(b); }),
              pairs.end());
  pairs.shrink_to_fit();
  return pairs;
}

// Evaluates this rank's pairs. Units of rows are tiles of the ledger.
template <class T>
class PairEvaluation {
 public:
  PairEvaluation(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects, Entries& pairs)
      : execution_(execution), similarity_(similarity), objects_(objects), pairs_(pairs) {}

  // Collective.
  void run(Index near) {
    const Index unit = RowPartition::unit(objects_.size());
    execution_.ledger.begin(fmt::format("near-entries-{}", near).c_str(), (objects_.size() + unit - 1) / unit);
    std::vector<Unit> missing;
    collectively(execution_.communicator, [&] {
      for (Index begin = objects_.range().begin; begin < objects_.range().end; begin += unit) {
        const Unit own{begin / unit, pairs_of(begin, begin + unit)};
        if (!restore(own)) missing.push_back(own);
      }
    });
    Progress progress("near entries", std::ssize(missing), execution_.communicator.is_root(),
                      "blocks of rows/s a rank");
    const std::vector<std::size_t> ends = batches(missing);
    const Index steps = execution_.communicator.maximum(std::ssize(ends));
    std::size_t begin = 0;
    for (Index step = 0; step < steps; ++step) {
      const std::size_t end = step < std::ssize(ends) ? ends[step] : begin;
      evaluate(std::span(missing).subspan(begin, end - begin));
      progress.advance(static_cast<Index>(end - begin));
      begin = end;
    }
  }

 private:
  struct Unit {
    Index tile;
    std::span<Entry> pairs;
  };

  [[nodiscard]] std::span<Entry> pairs_of(Index begin, Index end) const {
    const auto place = [&](Index row) { return std::ranges::lower_bound(pairs_, row, {}, &Entry::row); };
    return {place(begin), place(end)};
  }

  // Restores a unit; false unless an earlier run stored exactly these pairs. Local.
  bool restore(const Unit& unit) const {
    Entries kept(unit.pairs.begin(), unit.pairs.end());
    if (!execution_.ledger.get(unit.tile, std::as_writable_bytes(std::span(kept)))) return false;
    if (!std::ranges::equal(kept, unit.pairs, [](const Entry& a, const Entry& b) { return a.of(b); })) return false;
    std::ranges::copy(kept, unit.pairs.begin());
    similarity_.count_restored(std::ssize(kept));
    return true;
  }

  // Ends of the batches of units; the ledger is checked after each batch.
  [[nodiscard]] std::vector<std::size_t> batches(const std::vector<Unit>& units) const {
    const Index most = std::min(pairs_together, similarity_.traits().most_entries_in_tile);
    std::vector<std::size_t> ends;
    Index together = 0;
    for (std::size_t u = 0; u < units.size(); ++u) {
      together += std::ssize(units[u].pairs);
      if (together < most && u + 1 < units.size()) continue;
      ends.push_back(u + 1);
      together = 0;
    }
    return ends;
  }

  // Collective.
  void evaluate(std::span<Unit> units) const {
    std::vector<Index> rows, columns;
    for (const Unit& unit : units) {
      for (const Entry& pair : unit.pairs) {
        rows.push_back(pair.row);
        columns.push_back(pair.column);
      }
    }
    const std::vector<double> values = exact_entries(execution_, similarity_, objects_, rows, columns);
    collectively(execution_.communicator, [&] {
      auto next = values.begin();
      for (std::size_t u = 0; u < units.size(); ++u) {
        for (Entry& pair : units[u].pairs) pair.value = *next++;
        const auto bytes = std::as_bytes(units[u].pairs);
        const bool last = u + 1 == units.size();  // all units of a batch are stored before a stop
        last ? execution_.ledger.put(units[u].tile, bytes) : execution_.ledger.keep(units[u].tile, bytes);
      }
    });
    Watchdog::beat();
  }

  const Execution& execution_;
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  Entries& pairs_;
};

// A pair from the view of one of its objects.
struct Link {
  Index object, other;
  double value;
  std::size_t place;  // index of the pair: first this rank's pairs, then received ones
};

// Selects the pairs that are among the `near` nearest of one of their objects.
class Choice {
 public:
  Choice(const Communicator& communicator, const RowPartition& partition, const Entries& pairs)
      : communicator_(communicator), pairs_(pairs), sent_(static_cast<std::size_t>(communicator.size())) {
    std::vector<Entries> send(sent_.size());
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (pairs[p].row == pairs[p].column) continue;
      const auto owner = static_cast<std::size_t>(partition.owner(pairs[p].column));
      send[owner].push_back(pairs[p]);
      sent_[owner].push_back(p);
    }
    received_ = communicator.exchange(send);
  }

  // One flag for each pair of this rank. Collective.
  [[nodiscard]] std::vector<char> chosen(Index near, Meaning meaning) const {
    std::vector<Link> links = links_of_own_objects();
    std::ranges::sort(links, [meaning](const Link& a, const Link& b) {
      if (a.object != b.object) return a.object < b.object;
      if (a.value != b.value) return meaning == Meaning::similarity ? a.value > b.value : a.value < b.value;
      return a.other < b.other;
    });
    std::vector<char> own(pairs_.size(), 0);
    std::vector<std::vector<char>> others;
    for (const Entries& part : received_) others.emplace_back(part.size(), 0);
    Index rank_of_link = 0;
    for (std::size_t k = 0; k < links.size(); ++k) {
      rank_of_link = k > 0 && links[k].object == links[k - 1].object ? rank_of_link + 1 : 0;
      if (rank_of_link < near) flag(links[k].place, own, others);
    }
    const auto returned = communicator_.exchange(others);
    for (std::size_t r = 0; r < sent_.size(); ++r) {
      for (std::size_t k = 0; k < sent_[r].size(); ++k) own[sent_[r][k]] |= returned[r][k];
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      if (pairs_[p].row == pairs_[p].column) own[p] = 1;
    }
    return own;
  }

 private:
  [[nodiscard]] std::vector<Link> links_of_own_objects() const {
    std::vector<Link> links;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const Entry& pair = pairs_[p];
      if (pair.row != pair.column) links.push_back({pair.row, pair.column, pair.value, p});
    }
    std::size_t place = pairs_.size();
    for (const Entries& part : received_) {
      for (const Entry& pair : part) links.push_back({pair.column, pair.row, pair.value, place++});
    }
    return links;
  }

  void flag(std::size_t place, std::vector<char>& own, std::vector<std::vector<char>>& others) const {
    if (place < own.size()) {
      own[place] = 1;
      return;
    }
    place -= own.size();
    std::size_t r = 0;
    for (; place >= others[r].size(); ++r) place -= others[r].size();
    others[r][place] = 1;
  }

  const Communicator& communicator_;
  const Entries& pairs_;
  std::vector<std::vector<std::size_t>> sent_;
  std::vector<Entries> received_;
};

// K - K~ of this rank's pairs, and of the transposed pairs; in batches. Collective.
template <class T>
std::pair<Entries, Entries> differences(const Execution& execution, const Approximation<T>& approximation,
                                        const Entries& pairs) {
  const bool symmetric = approximation.symmetric || approximation.symmetrize;
  std::pair<Entries, Entries> both;
  EntryEvaluation<T> approximate(execution, approximation);
  const auto count = std::ssize(pairs);
  const Index batches = execution.communicator.maximum((count + compared_entries - 1) / compared_entries);
  for (Index b = 0; b < batches; ++b) {
    const auto begin = std::min(b * compared_entries, count), end = std::min((b + 1) * compared_entries, count);
    std::vector<Index> rows, columns;
    for (Index p = begin; p < end; ++p) {
      rows.push_back(pairs[p].row);
      columns.push_back(pairs[p].column);
    }
    const std::vector<double> values = approximate.at(rows, columns);
    const std::vector<double> transposed = symmetric ? values : approximate.at(columns, rows);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double exact = pairs[static_cast<std::size_t>(begin) + k].value;
      both.first.push_back({rows[k], columns[k], exact - values[k]});
      if (rows[k] != columns[k]) both.second.push_back({columns[k], rows[k], exact - transposed[k]});
    }
    Watchdog::beat();
  }
  return both;
}

// Sends the rows of S to their owners. Collective.
template <class T>
SparseRows<T> rows_of(const Communicator& communicator, const RowPartition& partition,
                      std::pair<Entries, Entries> both) {
  std::vector<Entries> send(communicator.size());
  for (const Entry& entry : both.second) send[partition.owner(entry.row)].push_back(entry);
  Entries all = std::move(both.first);
  for (const Entries& part : communicator.exchange(send)) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> starts(static_cast<std::size_t>(own.size()) + 1, 0), indices;
  std::vector<T> values;
  for (const Entry& entry : all) {
    ++starts[static_cast<std::size_t>(entry.row - own.begin) + 1];
    indices.push_back(entry.column);
    values.push_back(static_cast<T>(entry.value));
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  return collectively(communicator, [&] {
    return SparseRows<T>(partition, communicator.rank(), partition.rows(), std::move(starts), std::move(indices),
                         std::move(values));
  });
}

}  // namespace

namespace {

// The nearest objects by K, in ascending order; row after row. Collective.
template <class T>
std::vector<Index> nearest_by_matrix(const Execution& execution, const Similarity<T>& similarity,
                                     const ObjectSet& objects, Index near) {
  const SearchSide all = all_objects(objects);
  const FoundNeighbors found = nearest_search(similarity)->nearest(execution, all, all, near);
  std::vector<Index> candidates;
  for (const Neighbor& neighbor : found.neighbors) candidates.push_back(neighbor.object);
  for (Index i = 0; i < objects.range().size(); ++i) {
    std::sort(candidates.begin() + i * near, candidates.begin() + (i + 1) * near);
  }
  return candidates;
}

}  // namespace

template <class T>
NearEntries<T> find_near_entries(const Execution& execution, const Approximation<T>& approximation,
                                 const Similarity<T>& similarity, const ObjectSet& objects, Index near,
                                 NearCandidates which) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("near entries");
  const RowPartition& partition = approximation.left.partition();
  const Index before = similarity.evaluations();
  const bool exact = which == NearCandidates::by_matrix;
  const Index count = exact ? near : near_candidate_count(objects.size(), near);
  Entries pairs = own_pairs(communicator, partition,
                            exact ? nearest_by_matrix(execution, similarity, objects, near)
                                  : near_candidates(execution, approximation, count),
                            count);
  PairEvaluation<T>(execution, similarity, objects, pairs).run(near);
  phase.count_evaluations(similarity.evaluations() - before);
  {
    const std::vector<char> kept = Choice(communicator, partition, pairs).chosen(near, approximation.meaning);
    std::size_t at = 0;
    std::erase_if(pairs, [&](const Entry&) { return kept[at++] == 0; });
  }
  return {near, rows_of<T>(communicator, partition, differences(execution, approximation, pairs))};
}

template NearEntries<float> find_near_entries(const Execution&, const Approximation<float>&, const Similarity<float>&,
                                              const ObjectSet&, Index, NearCandidates);
template NearEntries<double> find_near_entries(const Execution&, const Approximation<double>&,
                                               const Similarity<double>&, const ObjectSet&, Index, NearCandidates);

}  // namespace cairn

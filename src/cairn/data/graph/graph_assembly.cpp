#include "cairn/data/graph/graph_assembly.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// RowPartition::owner without its divisions: there are few ranks and many ends.
class Owners {
 public:
  explicit Owners(const RowPartition& partition) {
    for (int r = 0; r < partition.ranks(); ++r) ends_.push_back(partition.range(r).end);
  }
  [[nodiscard]] std::size_t operator()(Index row) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
  }

 private:
  std::vector<Index> ends_;
};

struct Arcs {
  std::vector<std::vector<Index>> ends;  // by rank: from, to of each arc in turn; ~to if the edge is (to, from)
  std::vector<std::vector<double>> lengths;
};

// Both arcs of each edge, by the owner of their start.
Arcs arcs_by_owner(const EdgeList& edges, const RowPartition& partition) {
  const Owners owner(partition);
  const auto ranks = static_cast<std::size_t>(partition.ranks());
  std::vector<std::size_t> counts(ranks, 0);
  for (const Index end : edges.ends) ++counts[owner(end)];
  Arcs arcs{std::vector<std::vector<Index>>(ranks), std::vector<std::vector<double>>(ranks)};
  for (std::size_t r = 0; r < ranks; ++r) {
    arcs.ends[r].reserve(2 * counts[r]);
    if (edges.weighted) arcs.lengths[r].reserve(counts[r]);
  }
  for (std::size_t k = 0; k < edges.ends.size(); ++k) {
    const Index from = edges.ends[k];
    const std::size_t r = owner(from);
    arcs.ends[r].push_back(from);
    arcs.ends[r].push_back(k % 2 == 0 ? edges.ends[k + 1] : ~edges.ends[k - 1]);
    if (edges.weighted) arcs.lengths[r].push_back(edges.lengths[k / 2]);
  }
  return arcs;
}

// Own vertices with their arcs, in the order of arrival.
struct Rows {
  std::vector<Index> starts;
  std::vector<Index> neighbors;
  std::vector<double> lengths;
  std::vector<bool> forward;  // per arc: the file has the edge in this direction
};

Rows sort_by_vertex(const Arcs& arcs, Range own, bool weighted) {
  Rows rows;
  rows.starts.assign(static_cast<std::size_t>(own.size()) + 1, 0);
  for (const auto& ends : arcs.ends) {
    for (std::size_t k = 0; k < ends.size(); k += 2) ++rows.starts[static_cast<std::size_t>(ends[k] - own.begin) + 1];
  }
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  rows.neighbors.resize(rows.starts.back());
  rows.forward.resize(rows.neighbors.size());
  if (weighted) rows.lengths.resize(rows.neighbors.size());
  std::vector<Index> next(rows.starts.begin(), rows.starts.end() - 1);
  for (std::size_t r = 0; r < arcs.ends.size(); ++r) {
    const auto& ends = arcs.ends[r];
    for (std::size_t k = 0; k < ends.size(); k += 2) {
      const auto at = static_cast<std::size_t>(next[ends[k] - own.begin]++);
      rows.forward[at] = ends[k + 1] >= 0;
      rows.neighbors[at] = rows.forward[at] ? ends[k + 1] : ~ends[k + 1];
      if (weighted) rows.lengths[at] = arcs.lengths[r][k / 2];
    }
  }
  return rows;
}

// Edges that were merged, each counted at its smaller end, and pairs of vertices whose edges had different weights or
// both directions.
struct Joined {
  Index repeated = 0;
  Index different_lengths = 0;
  Index both_ways = 0;
};

struct Arc {
  Index to;
  double length;
  bool forward;
  auto operator<=>(const Arc&) const = default;
};

// Sorts the arcs of each vertex by neighbor and merges those to the same neighbor.
Joined join_repeated(Rows& rows, Range own, bool weighted) {
  Joined joined;
  std::size_t write = 0;
  std::size_t begin = 0;
  std::vector<Arc> row;
  for (std::size_t v = 0; v + 1 < rows.starts.size(); ++v) {
    const auto end = static_cast<std::size_t>(rows.starts[v + 1]);
    row.clear();
    for (std::size_t k = begin; k < end; ++k)
      row.push_back({rows.neighbors[k], weighted ? rows.lengths[k] : 1.0, rows.forward[k]});
    std::sort(row.begin(), row.end());  // for equal neighbors the smallest weight comes first
    const std::size_t first = write;
    bool differs = false;                     // weights to the last written neighbor differ
    bool one_way = false, other_way = false;  // directions of the edges to it
    for (const auto& [neighbor, length, forward] : row) {
      if (write > first && rows.neighbors[write - 1] == neighbor) {
        if (neighbor < own.begin + static_cast<Index>(v)) continue;
        ++joined.repeated;
        const bool both = one_way && other_way;
        (forward ? one_way : other_way) = true;
        if (!both && one_way && other_way) ++joined.both_ways;
        const bool longer = weighted && length != rows.lengths[write - 1];
        if (longer && !differs) ++joined.different_lengths;
        differs = differs || longer;
        continue;
      }
      differs = false;
      one_way = forward, other_way = !forward;
      rows.neighbors[write] = neighbor;
      if (weighted) rows.lengths[write] = length;
      ++write;
    }
    rows.starts[v + 1] = static_cast<Index>(write);
    begin = end;
  }
  rows.neighbors.resize(write);
  if (weighted) rows.lengths.resize(write);
  return joined;
}

// The same for directed edges: of those to the same neighbor the shortest is the arc, which is infinitely long if all
// come from there. Those that are merged count at the vertex from which they lead.
Joined join_directed(Rows& rows, Range own, bool weighted) {
  Joined joined;
  std::vector<Index> neighbors;
  std::vector<double> lengths;
  std::vector<Arc> row;
  std::size_t begin = 0;
  for (std::size_t v = 0; v + 1 < rows.starts.size(); ++v) {
    const auto end = static_cast<std::size_t>(rows.starts[v + 1]);
    row.clear();
    for (std::size_t k = begin; k < end; ++k)
      row.push_back({rows.neighbors[k], weighted ? rows.lengths[k] : 1.0, rows.forward[k]});
    std::ranges::sort(row);
    for (std::size_t k = 0; k < row.size();) {
      const Index to = row[k].to;
      double shortest = std::numeric_limits<double>::infinity();
      Index leading = 0, coming = 0;
      bool differs = false;
      for (; k < row.size() && row[k].to == to; ++k) {
        if (!row[k].forward) {
          ++coming;
          continue;
        }
        differs = differs || (leading > 0 && row[k].length != shortest);
        if (leading++ == 0) shortest = row[k].length;
      }
      joined.repeated += std::max<Index>(leading - 1, 0);
      joined.different_lengths += differs ? 1 : 0;
      joined.both_ways += leading > 0 && coming > 0 && to > own.begin + static_cast<Index>(v) ? 1 : 0;
      neighbors.push_back(to);
      lengths.push_back(shortest);
    }
    rows.starts[v + 1] = static_cast<Index>(neighbors.size());
    begin = end;
  }
  rows.neighbors = std::move(neighbors);
  rows.lengths = std::move(lengths);
  return joined;
}

// The sum over the ranks before this one.
Index sum_before(const Communicator& communicator, Index mine) {
  const std::vector<Index> all = communicator.all_gather_one(mine);
  return std::accumulate(all.begin(), all.begin() + communicator.rank(), Index{0});
}

template <class T>
std::vector<T> concatenated(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The parts of the own `count` values that go to each rank; the first own value is value `first` of all.
std::vector<Range> slices(const RowPartition& partition, Index first, Index count) {
  std::vector<Range> result;
  for (int r = 0; r < partition.ranks(); ++r) {
    const Range range = partition.range(r);
    const Index begin = std::clamp<Index>(range.begin - first, 0, count);
    result.push_back({begin, std::clamp<Index>(range.end - first, begin, count)});
  }
  return result;
}

template <class T>
std::vector<T> send_slices(const Communicator& communicator, const std::vector<Range>& parts, std::span<const T> mine) {
  std::vector<std::vector<T>> send;
  for (const Range& part : parts) send.emplace_back(mine.begin() + part.begin, mine.begin() + part.end);
  return concatenated(communicator.exchange(send));
}

// The rows that are kept, with renumbered neighbors. @param numbers  -1: the vertex is not kept
Rows kept_rows(const Graph& graph, const std::vector<bool>& keeps, const NodeArray<Index>& numbers) {
  Rows kept;
  kept.starts.push_back(0);
  for (std::size_t v = 0; v < keeps.size(); ++v) {
    if (!keeps[v]) continue;
    for (Index k = graph.starts()[v]; k < graph.starts()[v + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Index neighbor = numbers[graph.neighbors()[at]];
      if (neighbor < 0) continue;
      kept.neighbors.push_back(neighbor);
      if (!graph.lengths().empty()) kept.lengths.push_back(graph.lengths()[at]);
    }
    kept.starts.push_back(static_cast<Index>(kept.neighbors.size()));
  }
  return kept;
}

// Redistributes rows that are contiguous over ranks to the owners in the partition.
Graph deal_rows(const Communicator& communicator, const RowPartition& partition, const Rows& rows, bool weighted,
                bool directed) {
  const auto count = static_cast<Index>(rows.starts.size()) - 1;
  const std::vector<Range> vertices = slices(partition, sum_before(communicator, count), count);
  std::vector<Range> arcs;
  for (const Range& part : vertices) {
    arcs.push_back({rows.starts[part.begin], rows.starts[part.end]});
  }
  std::vector<Index> degrees(count);
  for (std::size_t v = 0; v < degrees.size(); ++v) degrees[v] = rows.starts[v + 1] - rows.starts[v];
  std::vector<Index> starts{0};
  for (const Index degree : send_slices(communicator, vertices, std::span<const Index>(degrees))) {
    starts.push_back(starts.back() + degree);
  }
  std::vector<Index> neighbors = send_slices(communicator, arcs, std::span<const Index>(rows.neighbors));
  std::vector<double> lengths;
  if (weighted) lengths = send_slices(communicator, arcs, std::span<const double>(rows.lengths));
  return {partition, communicator.rank(), std::move(starts), std::move(neighbors), std::move(lengths), weighted,
          directed};
}

}  // namespace

template <class T>
std::vector<T> redistribute(const Communicator& communicator, const RowPartition& partition, std::span<const T> mine) {
  const auto count = static_cast<Index>(mine.size());
  return send_slices(communicator, slices(partition, sum_before(communicator, count), count), mine);
}

template std::vector<Index> redistribute(const Communicator&, const RowPartition&, std::span<const Index>);

Graph assemble_graph(const Communicator& communicator, Index vertices, EdgeList edges) {
  const RowPartition partition(vertices, communicator.size());
  const bool weighted = edges.weighted, directed = edges.directed;
  Arcs arcs = collectively(communicator, [&] {
    Arcs sorted = arcs_by_owner(edges, partition);
    edges = {};
    return sorted;
  });
  Arcs received;
  received.ends = communicator.exchange(arcs.ends);
  if (weighted) received.lengths = communicator.exchange(arcs.lengths);
  arcs = {};
  const Range own = partition.range(communicator.rank());
  Joined joined;
  Rows rows = collectively(communicator, [&] {
    Rows sorted = sort_by_vertex(received, own, weighted);
    received = {};
    joined = directed ? join_directed(sorted, own, weighted) : join_repeated(sorted, own, weighted);
    return sorted;
  });
  Graph graph(partition, communicator.rank(), std::move(rows.starts), std::move(rows.neighbors),
              std::move(rows.lengths), weighted, directed);
  GraphReport report;
  report.directed = directed;
  report.repeated_edges = communicator.sum(joined.repeated);
  report.different_lengths = communicator.sum(joined.different_lengths);
  report.both_ways = communicator.sum(joined.both_ways);
  report.file_edges = communicator.sum(static_cast<Index>(graph.neighbors().size())) / 2;
  graph.set_report(std::move(report));
  return graph;
}

Graph keep_vertices(const Communicator& communicator, const Graph& graph, const std::vector<bool>& keeps) {
  const auto count = static_cast<Index>(std::count(keeps.begin(), keeps.end(), true));
  const Index first = sum_before(communicator, count);
  const Index total = communicator.sum(count);
  GraphReport report = graph.report();
  std::vector<Index> originals;
  std::vector<Index> own_numbers(keeps.size());
  for (std::size_t v = 0; v < keeps.size(); ++v) {
    own_numbers[v] = keeps[v] ? first + static_cast<Index>(originals.size()) : -1;
    if (!keeps[v]) continue;
    originals.push_back(report.renumbered ? report.original_ids[v]
                                          : report.first_id + graph.range().begin + static_cast<Index>(v));
  }
  const auto numbers = replicate_on_nodes(communicator, std::span<const Index>(own_numbers));
  const Rows rows = collectively(communicator, [&] { return kept_rows(graph, keeps, numbers); });
  const RowPartition partition(total, communicator.size());
  Graph kept =
      deal_rows(communicator, partition, rows, communicator.maximum(Index{graph.weighted()}) != 0, graph.directed());
  report.renumbered = true;
  report.original_ids = redistribute(communicator, partition, std::span<const Index>(originals));
  report.dropped_vertices += graph.size() - total;
  kept.set_report(std::move(report));
  return kept;
}

std::vector<Index> compact_ends(const Communicator& communicator, EdgeList& edges) {
  std::vector<Index> different = edges.ends;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  const Index largest = communicator.maximum(different.empty() ? Index{0} : different.back());
  const Owners owner(RowPartition(largest + 1, communicator.size()));
  std::vector<std::vector<Index>> asked(communicator.size());
  for (const Index end : different) asked[owner(end)].push_back(end);
  auto received = communicator.exchange(asked);
  std::vector<Index> known = concatenated(received);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const Index first = sum_before(communicator, static_cast<Index>(known.size()));
  for (auto& part : received) {
    for (Index& end : part) end = first + (std::lower_bound(known.begin(), known.end(), end) - known.begin());
  }
  const std::vector<Index> places = concatenated(communicator.exchange(received));  // owners ascend like `different`
  for (Index& end : edges.ends) {
    end = places[std::lower_bound(different.begin(), different.end(), end) - different.begin()];
  }
  const RowPartition partition(communicator.sum(static_cast<Index>(known.size())), communicator.size());
  return redistribute(communicator, partition, std::span<const Index>(known));
}

}  // namespace cairn

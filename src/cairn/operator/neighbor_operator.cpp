#include "cairn/operator/neighbor_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/operator/sne_weights.hpp"

namespace cairn {

namespace {

// One arc of the graph with a value; it is sent to the owner of its row.
struct Arc {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0.0;
};

// Own rows of a sparse symmetric matrix.
struct OwnRows {
  Range rows;
  std::vector<Index> starts;
  std::vector<std::int32_t> columns;  // ascending within a row
  std::vector<double> values;

  [[nodiscard]] Range entries(Index row) const {
    const auto own = static_cast<std::size_t>(row - rows.begin);
    return {starts[own], starts[own + 1]};
  }
  [[nodiscard]] Index position(const Arc& arc) const {
    const Range range = entries(arc.row);
    const auto first = columns.begin() + range.begin;
    const auto found = std::lower_bound(first, columns.begin() + range.end, arc.column);
    if (found == columns.begin() + range.end || *found != arc.column) {
      throw Error(ErrorKind::internal, "the graph of nearest neighbors is not symmetric");
    }
    return found - columns.begin();
  }
};

void check(const NeighborParameters& parameters) {
  if (parameters.perplexity > 1.0) return;
  throw Error(ErrorKind::usage, fmt::format("{} is {}; a perplexity is above 1", parameters.keys.own("perplexity"),
                                            parameters.perplexity));
}

// Every arc of own rows, reversed, on the owner of its other end.
std::vector<Arc> turned(const Communicator& communicator, const RowPartition& partition, const std::vector<Arc>& arcs) {
  std::vector<std::vector<Arc>> send(communicator.size());
  for (const Arc& arc : arcs) {
    send[partition.owner(arc.column)].push_back({arc.column, arc.row, arc.value});
  }
  std::vector<Arc> received;
  for (const auto& part : communicator.exchange(send)) received.insert(received.end(), part.begin(), part.end());
  return received;
}

// Links i and j if one is among the nearest neighbors of the other. Values are squared distances.
OwnRows symmetrized(const Communicator& communicator, const RowPartition& partition, const NearestNeighbors& nearest) {
  OwnRows result;
  result.rows = partition.range(communicator.rank());
  std::vector<Arc> arcs;
  arcs.reserve(nearest.indices.size());
  for (Index i = 0; i < result.rows.size(); ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(nearest.each); ++k) {
      arcs.push_back({static_cast<std::int32_t>(result.rows.begin + i), nearest.indices_of(i)[k],
                      nearest.squared_distances_of(i)[k]});
    }
  }
  const std::vector<Arc> others = turned(communicator, partition, arcs);
  arcs.insert(arcs.end(), others.begin(), others.end());
  std::sort(arcs.begin(), arcs.end(),
            [](const Arc& a, const Arc& b) { return a.row < b.row || (a.row == b.row && a.column < b.column); });
  const auto same = [](const Arc& a, const Arc& b) { return a.row == b.row && a.column == b.column; };
  arcs.erase(std::unique(arcs.begin(), arcs.end(), same), arcs.end());
  result.starts.assign(static_cast<std::size_t>(result.rows.size()) + 1, 0);
  for (const Arc& arc : arcs) {
    ++result.starts[static_cast<std::size_t>(arc.row - result.rows.begin) + 1];
    result.columns.push_back(arc.column);
    result.values.push_back(arc.value);
  }
  for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
  return result;
}

// Replaces squared distances by p_j|i.
void distribute(const Execution& execution, double perplexity, OwnRows& rows) {
  collectively(execution.communicator, [&] {
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 256)
    for (Index i = rows.rows.begin; i < rows.rows.end; ++i) {
      const Range range = rows.entries(i);
      const auto values = std::span(rows.values).subspan(range.begin, range.size());
      std::ranges::copy(equalized_probabilities(values, perplexity), values.begin());
      Watchdog::beat();
    }
  });
}

// Equation 9. Entries that are 0 are removed, consistently on both sides of the diagonal, since the sum of two numbers
// does not depend on their order.
OwnRows averaged(const Communicator& communicator, const RowPartition& partition, const OwnRows& p) {
  std::vector<Arc> arcs;
  arcs.reserve(p.columns.size());
  for (Index i = p.rows.begin; i < p.rows.end; ++i) {
    for (Index k = p.entries(i).begin; k < p.entries(i).end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      arcs.push_back({static_cast<std::int32_t>(i), p.columns[at], p.values[at]});
    }
  }
  arcs = turned(communicator, partition, arcs);
  return collectively(communicator, [&] {
    std::vector<double> others(p.values.size(), 0.0);
    for (const Arc& arc : arcs) others[p.position(arc)] = arc.value;
    OwnRows result;
    result.rows = p.rows;
    result.starts.push_back(0);
    for (Index i = p.rows.begin; i < p.rows.end; ++i) {
      for (Index k = p.entries(i).begin; k < p.entries(i).end; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const double weight = (p.values[at] + others[at]) / 2;
        if (weight == 0.0) continue;
        result.columns.push_back(p.columns[at]);
        result.values.push_back(weight);
      }
      result.starts.push_back(static_cast<Index>(result.columns.size()));
    }
    return result;
  });
}

BiharmonicOperator replicated(const Communicator& communicator, const OwnRows& rows) {
  Index offset = 0;
  const std::vector<Index> counts = communicator.all_gather_one(rows.starts.back());
  for (int r = 0; r < communicator.rank(); ++r) offset += counts[r];
  std::vector<Index> starts;  // ends of own rows; the leading 0 is rank 0's
  if (communicator.is_root()) starts.push_back(0);
  for (std::size_t i = 1; i < rows.starts.size(); ++i) starts.push_back(offset + rows.starts[i]);
  std::vector<double> degrees;
  for (Index i = rows.rows.begin; i < rows.rows.end; ++i) {
    double sum = 0.0;
    for (Index k = rows.entries(i).begin; k < rows.entries(i).end; ++k) sum += rows.values[k];
    degrees.push_back(sum);
  }
  BiharmonicOperator result;
  result.kind = "neighbours";
  result.starts = replicate_on_nodes(communicator, std::span<const Index>(starts));
  result.neighbors = replicate_on_nodes(communicator, std::span<const std::int32_t>(rows.columns));
  result.weights = replicate_on_nodes(communicator, std::span<const double>(rows.values));
  result.degrees = replicate_on_nodes(communicator, std::span<const double>(degrees));
  return result;
}

}  // namespace

template <class T>
BiharmonicOperator neighbor_operator(const Execution& execution, const PointSet<T>& points,
                                     const NeighborParameters& parameters) {
  check(parameters);
  const Communicator& communicator = execution.communicator;
  OwnRows rows =
      symmetrized(communicator, points.partition(),
                  nearest_neighbors(execution, points, parameters.neighbors, parameters.search, parameters.keys));
  distribute(execution, parameters.perplexity, rows);
  return replicated(communicator, averaged(communicator, points.partition(), rows));
}

template BiharmonicOperator neighbor_operator(const Execution&, const PointSet<float>&, const NeighborParameters&);
template BiharmonicOperator neighbor_operator(const Execution&, const PointSet<double>&, const NeighborParameters&);

}  // namespace cairn

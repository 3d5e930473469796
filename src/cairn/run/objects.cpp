#include "cairn/run/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/documents/document_data.hpp"
#include "cairn/data/graph/graph_assembly.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/data/points/scaled_points.hpp"
#include "cairn/run/handed_rows.hpp"
#include "cairn/run/session.hpp"

namespace cairn {

namespace {

template <class T>
void require_finite_rows(std::span<const T> values, Index dimension, Index first) {
  const auto found = std::ranges::find_if_not(values, [](T value) { return std::isfinite(value); });
  if (found == values.end()) return;
  const Index place = found - values.begin();
  throw Error(ErrorKind::input,
              fmt::format("row {} of the points, from 0 over all ranks, has the value {} in column {}",
                          first + place / dimension, *found, place % dimension));
}

// @throws Error(usage) unless there are rows, and a label for each of this rank or for none. Local.
void require_labels(const HandedRows& rows, const std::vector<std::string>& labels, Index own) {
  if (rows.total == 0) throw Error(ErrorKind::usage, "no rank has an object");
  if (rows.labelled && std::ssize(labels) != own) {
    throw Error(ErrorKind::usage, fmt::format("there are {} labels for {} objects", labels.size(), own));
  }
  for (std::size_t k = 0; k < labels.size(); ++k) {  // a byte 0 ends a label on its way to its owner
    if (labels[k].find('\0') == std::string::npos) continue;
    throw Error(ErrorKind::input, fmt::format("label {} of this rank, from 0, holds a byte 0", k));
  }
}

// @throws Error(usage) for rows that are not points. Collective.
template <class T>
HandedRows checked_rows(const Communicator& communicator, std::span<const T> values, Index dimension,
                        const std::vector<std::string>& labels) {
  const auto count = static_cast<Index>(values.size());
  collectively(communicator, [&] {
    if (count > 0 ? dimension < 1 || count % dimension != 0 : dimension < 0) {
      throw Error(ErrorKind::usage, fmt::format("{} values are not whole rows of {} coordinates", count, dimension));
    }
  });
  HandedRows rows;
  rows.dimension = communicator.maximum(count > 0 ? dimension : 0);
  const Index own = count > 0 ? count / dimension : 0;
  std::tie(rows.first, rows.total) = place_among_ranks(communicator, own);
  rows.labelled = communicator.maximum(std::ssize(labels)) > 0;
  collectively(communicator, [&] {
    if (own > 0 && dimension != rows.dimension) {
      throw Error(ErrorKind::usage, fmt::format("the points of one rank have {} coordinates, those of another {}",
                                                dimension, rows.dimension));
    }
    require_labels(rows, labels, own);
    require_finite_rows(values, std::max<Index>(1, dimension), rows.first);
  });
  return rows;
}

// The entries of rows at the owners of the rows. Collective.
SparseRows<double> entries_at_owners(const Communicator& communicator, std::span<const Index> starts,
                                     std::span<const Index> columns, std::span<const double> values,
                                     const HandedRows& rows) {
  const RowPartition partition(rows.total, communicator.size());
  std::vector<std::vector<Index>> counts(communicator.size()), indices(communicator.size());
  std::vector<std::vector<double>> numbers(communicator.size());
  for_each_owner(partition, rows.first, std::max<Index>(std::ssize(starts) - 1, 0),
                 [&](std::size_t owner, Index first, Index count) {
                   for (Index i = first; i < first + count; ++i) counts[owner].push_back(starts[i + 1] - starts[i]);
                   const Index begin = starts[first], end = starts[first + count];
                   indices[owner].assign(columns.begin() + begin, columns.begin() + end);
                   numbers[owner].assign(values.begin() + begin, values.begin() + end);
                 });
  counts = communicator.exchange(counts);
  indices = communicator.exchange(indices);
  numbers = communicator.exchange(numbers);
  return collectively(communicator, [&] {
    std::vector<Index> own_starts = {0}, own_columns;
    std::vector<double> own_values;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      std::size_t e = 0;
      for (const Index count : counts[r]) {
        for (const std::size_t end = e + count; e < end; ++e) {
          if (numbers[r][e] == 0.0) continue;  // as in a file, a zero that is written is none
          own_columns.push_back(indices[r][e]);
          own_values.push_back(numbers[r][e]);
        }
        own_starts.push_back(std::ssize(own_values));
      }
    }
    return SparseRows<double>(partition, communicator.rank(), rows.dimension, std::move(own_starts),
                              std::move(own_columns), std::move(own_values));
  });
}

// Each label is sent with a terminating NUL.
std::vector<std::string> labels_at_owners(const Communicator& communicator, const std::vector<std::string>& labels,
                                          const HandedRows& rows) {
  if (!rows.labelled) return {};
  std::vector<std::vector<char>> send(communicator.size());
  for_each_owner(RowPartition(rows.total, communicator.size()), rows.first, static_cast<Index>(labels.size()),
                 [&](std::size_t owner, Index first, Index count) {
                   for (Index i = first; i < first + count; ++i) {
                     const std::string& label = labels[i];
                     send[owner].insert(send[owner].end(), label.begin(), label.end());
                     send[owner].push_back('\0');
                   }
                 });
  std::vector<std::string> own(1);
  for (const std::vector<char>& part : communicator.exchange(send)) {
    for (const char character : part) {
      if (character == '\0') {
        own.emplace_back();
      } else {
        own.back() += character;
      }
    }
  }
  own.pop_back();
  return own;
}

// Bytes for the digest: numbers in double precision, as for points from files.
template <class T>
std::vector<std::byte> packed_as_double(const PointSet<T>& points, Range which) {
  std::vector<double> all;
  all.reserve(which.size() * points.dimension());
  for (Index i = which.begin; i < which.end; ++i) {
    const auto row = points.coordinates().row(i);
    all.insert(all.end(), row.begin(), row.end());
  }
  const auto bytes = std::as_bytes(std::span<const double>(all));
  return {bytes.begin(), bytes.end()};
}

// Checks the starts of this rank's compressed rows. @param what  entries: arcs
void require_starts(std::span<const Index> starts, Index entries, const char* what) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::usage, why); };
  if (starts.empty() && entries == 0) return;
  if (starts.empty() || starts.front() != 0 || starts.back() != entries) {
    refuse(fmt::format("starts must lead from 0 to {}, the number of this rank's {}", entries, what));
  }
  if (!std::ranges::is_sorted(starts)) refuse("starts must ascend");
}

// Checks the entries of this rank's rows, whose first one is row `first` of all.
void require_entries(std::span<const Index> starts, std::span<const Index> columns, std::span<const double> values,
                     Index dimension, Index first) {
  for (Index row = 0; row + 1 < std::ssize(starts); ++row) {
    for (Index e = starts[row]; e < starts[row + 1]; ++e) {
      const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::input, fmt::format("row {} of the points, from 0 over all ranks, {}", first + row, why));
      };
      if (columns[e] < 0 || columns[e] >= dimension) {
        refuse(fmt::format("has a value in column {}, and there are {} columns", columns[e], dimension));
      }
      if (e > starts[row] && columns[e] <= columns[e - 1]) {
        refuse(fmt::format("has column {} after column {}; columns ascend", columns[e], columns[e - 1]));
      }
      if (!std::isfinite(values[e])) refuse(fmt::format("has the value {} in column {}", values[e], columns[e]));
    }
  }
}

// Parameters of a kind whose objects the program passes. @throws Error(usage) for those of files. Local.
Values values_without_source(const DataKind& kind, const GivenValues& given) {
  Values values = values_of(kind.parameters, given);
  std::vector<UnusedParameter> unused;
  if (kind.unused != nullptr) unused = kind.unused(values);
  std::vector<std::string> of_source = {"path",  "test-path", "format", "generate", "text",
                                        "label", "split",     "group",  "id"};
  of_source.insert(of_source.end(), kind.of_generators.begin(), kind.of_generators.end());
  for (const std::string& name : of_source) unused.push_back({name, "the program has the " + kind.name});
  for (const auto& [name, why] : unused) {
    const bool known = std::ranges::count(kind.parameters, name, &Parameter::name) > 0;
    if (known && values.given(name)) {
      throw Error(ErrorKind::usage, fmt::format("{} has no effect: {}", values.where(name), why));
    }
  }
  return values;
}

// All arcs as edges, without loops.
EdgeList edges_of(Index first, std::span<const Index> starts, std::span<const Index> neighbors,
                  std::span<const double> weights, Index vertices) {
  EdgeList edges;
  edges.ends.reserve(2 * neighbors.size());
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    const Index vertex = first + static_cast<Index>(row);
    for (Index arc = starts[row]; arc < starts[row + 1]; ++arc) {
      const Index neighbor = neighbors[arc];
      if (neighbor < 0 || neighbor >= vertices) {
        throw Error(ErrorKind::input, fmt::format("vertex {} has the neighbor {}, and there are {} vertices", vertex,
                                                  neighbor, vertices));
      }
      if (!weights.empty() && !(weights[arc] > 0.0 && std::isfinite(weights[arc]))) {
        throw Error(ErrorKind::input,
                    fmt::format("the edge from vertex {} to {} has the weight {}; weights are positive", vertex,
                                neighbor, weights[arc]));
      }
      if (neighbor == vertex) continue;
      edges.ends.push_back(vertex);
      edges.ends.push_back(neighbor);
      if (!weights.empty()) edges.lengths.push_back(weights[arc]);
    }
  }
  return edges;
}

}  // namespace

template <class T>
const ObjectSet& Objects<T>::compared() const {
  return data().positions ? static_cast<const ObjectSet&>(*data().positions) : *data().objects;
}

template <class T>
Objects<T> objects_of(const Session& session, Data<T> data) {
  auto state = std::make_shared<typename Objects<T>::State>();
  state->session = session.share();
  state->data = std::move(data);
  return Objects<T>(std::move(state));
}

template <class T>
Objects<T> read_objects(const Session& session, const std::string& name, const GivenValues& given) {
  session.require_same_call("read_objects", words_of(given, {name}));
  const DataKind* kind = nullptr;
  const Values values = collectively(session.communicator(), [&] {
    kind = &data_kind_named(name);
    Values all = values_of(kind->parameters, given);
    for (const UnusedParameter& unused : unused_parameters(*kind, all)) {
      if (!all.given(unused.name)) continue;
      throw Error(ErrorKind::usage, fmt::format("{} has no effect if {}", all.where(unused.name), unused.why));
    }
    return all;
  });
  return objects_of(session, read_data<T>(*kind, {session.execution(), values, nullptr, true}));
}

std::vector<double> distribute_numbers(const Session& session, std::span<const double> numbers, Index objects,
                                       const char* what) {
  const Communicator& communicator = session.communicator();
  HandedRows rows{.dimension = 1};
  std::tie(rows.first, rows.total) = place_among_ranks(communicator, std::ssize(numbers));
  if (rows.total != objects) {
    throw Error(ErrorKind::usage, fmt::format("there are {} {} for {} objects", rows.total, what, objects));
  }
  const RowBlock<double> own = at_owners(communicator, numbers, rows);
  return {own.local().data, own.local().data + own.range().size()};
}

Range own_rows(const Session& session, Index count) {
  return RowPartition(count, session.communicator().size()).range(session.communicator().rank());
}

namespace {

template <class T>
std::uint64_t digest_of(const Communicator& communicator, const PointSet<T>& points) {
  return data_digest(communicator, points, [&](Range which) { return packed_as_double(points, which); });
}

template <class T>
Objects<T> points_of(const Session& session, std::span<const T> values, Index dimension,
                     const std::shared_ptr<const void>& keeper, const std::vector<std::string>& labels,
                     const std::string& scaling) {
  const auto phase = session.execution().phases.enter("read");
  const Communicator& communicator = session.communicator();
  const HandedRows rows = checked_rows(communicator, values, dimension, labels);
  RowBlock<T> block = as_lent(communicator, values, rows, scaling == "none" ? keeper : nullptr);
  const bool lent = block.rows() > 0;
  if (!lent) block = at_owners(communicator, values, rows);
  auto points = std::make_unique<PointSet<T>>(std::move(block), communicator.rank(),
                                              labels_at_owners(communicator, labels, rows));
  auto state = std::make_shared<typename Objects<T>::State>();
  state->session = session.share();
  state->lent = lent;
  Data<T>& data = state->data;
  data.kind = &point_data();
  data.digest = digest_of(communicator, *points);
  data.scaling = fit_scaling(communicator, *points, scaling);
  apply_scaling(communicator, data.scaling, *points);
  if constexpr (std::is_same_v<T, float>) {
    std::string lost = lost_digits(communicator, *points, "", advice_on_digits({}));
    if (!lost.empty()) data.warnings.push_back(std::move(lost));
  }
  data.objects = std::move(points);
  return Objects<T>(std::move(state));
}

}  // namespace

template <class T>
Objects<T> distribute_points(const Session& session, std::span<const T> values, Index dimension,
                             const std::vector<std::string>& labels, const std::string& scaling) {
  session.require_same_call("distribute_points", {scaling});
  return points_of<T>(session, values, dimension, nullptr, labels, scaling);
}

template <class T>
Objects<T> lend_points(const Session& session, std::span<const T> values, Index dimension,
                       const std::shared_ptr<const void>& keeper, const std::vector<std::string>& labels,
                       const std::string& scaling) {
  session.require_same_call("lend_points", {scaling});
  return points_of<T>(session, values, dimension, keeper, labels, scaling);
}

template <class T>
void require_unchanged(const Session& session, const Objects<T>& objects) {
  if (!objects.state().lent) return;
  const auto& points = dynamic_cast<const PointSet<T>&>(*objects.data().objects);
  if (digest_of(session.communicator(), points) == objects.data().digest) return;
  throw Error(ErrorKind::input,
              "the program has changed coordinates of the points, which it holds itself; it must make "
              "the points anew after a change, or let Cairn copy them");
}

template <class T>
Objects<T> distribute_points(const Session& session, std::span<const Index> starts, std::span<const Index> columns,
                             std::span<const double> values, Index dimension, const std::vector<std::string>& labels,
                             const std::string& scaling) {
  session.require_same_call("distribute_points", {std::to_string(dimension), scaling});
  const auto phase = session.execution().phases.enter("read");
  const Communicator& communicator = session.communicator();
  HandedRows rows{.dimension = dimension};
  const Index own = std::max<Index>(std::ssize(starts) - 1, 0);
  std::tie(rows.first, rows.total) = place_among_ranks(communicator, own);
  rows.labelled = communicator.maximum(std::ssize(labels)) > 0;
  collectively(communicator, [&] {
    if (dimension < 1) throw Error(ErrorKind::usage, fmt::format("points have no {} coordinates", dimension));
    require_labels(rows, labels, own);
    require_starts(starts, std::ssize(columns), "entries");
    if (values.size() != columns.size()) {
      throw Error(ErrorKind::usage, fmt::format("there are {} values in {} columns", values.size(), columns.size()));
    }
    require_entries(starts, columns, values, dimension, rows.first);
  });
  PointSet<double> points(entries_at_owners(communicator, starts, columns, values, rows), communicator.rank(),
                          labels_at_owners(communicator, labels, rows));
  const Index entries = communicator.sum(points.entries().own_entries());
  if (!sparse_enough(entries, rows.total, dimension)) points = with_all_coordinates(communicator, points);
  ScaledPoints<T> scaled = scale_points<T>(communicator, std::move(points), {.kind = scaling});
  Data<T> data;
  data.kind = &point_data();
  data.digest = scaled.digest;
  data.scaling = std::move(scaled.scaling);
  data.notes = std::move(scaled.notes);
  data.warnings = std::move(scaled.warnings);
  data.objects = std::move(scaled.points);
  return objects_of(session, std::move(data));
}

template <class T>
Objects<T> distribute_documents(const Session& session, const std::vector<std::string>& texts,
                                const std::vector<std::string>& labels, const GivenValues& given) {
  session.require_same_call("distribute_documents", words_of(given));
  const auto phase = session.execution().phases.enter("read");
  const Communicator& communicator = session.communicator();
  const Index total = communicator.sum(std::ssize(texts));
  const HandedRows rows{.total = total, .labelled = communicator.maximum(std::ssize(labels)) > 0};
  const Values values = collectively(communicator, [&] {
    require_labels(rows, labels, std::ssize(texts));
    return values_without_source(document_data(), given);
  });
  Data<T> data = data_of<T>({session.execution(), values, nullptr, true}, GivenTexts{texts, labels});
  data.kind = &document_data();
  return objects_of(session, std::move(data));
}

// The arrays of all ranks, in the order of the ranks, on rank 0. Collective.
template <class Number>
std::vector<Number> at_root(const Communicator& communicator, std::span<const Number> own) {
  std::vector<std::vector<Number>> send(communicator.size());
  send[0].assign(own.begin(), own.end());
  std::vector<Number> all;
  for (const std::vector<Number>& part : communicator.exchange(send)) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class T>
Objects<T> distribute_mesh(const Session& session, std::span<const double> coordinates,
                           std::span<const Index> triangles, const GivenValues& given) {
  session.require_same_call("distribute_mesh", words_of(given));
  const auto phase = session.execution().phases.enter("read");
  const Communicator& communicator = session.communicator();
  const Values values = collectively(communicator, [&] {
    for (const auto& [name, size] : {std::pair("coordinates", coordinates.size()), {"triangles", triangles.size()}}) {
      if (size % 3 != 0) throw Error(ErrorKind::usage, fmt::format("{} {} are not rows of three", size, name));
    }
    return values_without_source(mesh_data(), given);
  });
  MeshArrays arrays{at_root(communicator, coordinates), at_root(communicator, triangles)};
  Data<T> data = data_of<T>({session.execution(), values, nullptr, true}, std::move(arrays));
  data.kind = &mesh_data();
  return objects_of(session, std::move(data));
}

template <class T>
Objects<T> distribute_graph(const Session& session, std::span<const Index> starts, std::span<const Index> neighbors,
                            std::span<const double> weights, bool largest_component) {
  const Communicator& communicator = session.communicator();
  session.require_same_call("distribute_graph", {largest_component ? "largest component" : "all vertices"});
  const bool weighted = communicator.maximum(Index{!weights.empty()}) != 0;
  const Index own = std::max<Index>(std::ssize(starts) - 1, 0);
  Index first = 0, vertices = 0;
  std::tie(first, vertices) = place_among_ranks(communicator, own);
  EdgeList edges = collectively(communicator, [&] {
    if (vertices < 1) throw Error(ErrorKind::usage, "the graph has no vertex");
    require_starts(starts, std::ssize(neighbors), "arcs");
    if (weighted && weights.size() != neighbors.size()) {
      throw Error(ErrorKind::usage, fmt::format("there are {} weights for {} arcs", weights.size(), neighbors.size()));
    }
    return edges_of(first, starts, neighbors, weights, vertices);
  });
  edges.weighted = weighted;
  Graph graph = make_graph(communicator, vertices, std::move(edges), largest_component, {});
  GraphReport report = graph.report();
  report.repeated_edges = 0;  // an edge in both directions is not a duplicate
  graph.set_report(std::move(report));
  Data<T> data = data_of<T>(communicator, std::move(graph), "from 0", "largest_component");
  data.kind = &graph_data();
  return objects_of(session, std::move(data));
}

template <class T>
Objects<T> numbered_objects(const Session& session, Index count) {
  const Communicator& communicator = session.communicator();
  collectively(communicator, [&] {
    if (count < 1) throw Error(ErrorKind::usage, fmt::format("there cannot be {} objects", count));
  });
  return read_objects<T>(session, numbered_data().name, {{"count", count}});
}

#define CAIRN_INSTANTIATE(T)                                                                                        \
  template class Objects<T>;                                                                                        \
  template Objects<T> objects_of(const Session&, Data<T>);                                                          \
  template Objects<T> read_objects(const Session&, const std::string&, const GivenValues&);                         \
  template Objects<T> distribute_points(const Session&, std::span<const T>, Index, const std::vector<std::string>&, \
                                        const std::string&);                                                        \
  template Objects<T> lend_points(const Session&, std::span<const T>, Index, const std::shared_ptr<const void>&,    \
                                  const std::vector<std::string>&, const std::string&);                             \
  template void require_unchanged(const Session&, const Objects<T>&);                                               \
  template Objects<T> distribute_points(const Session&, std::span<const Index>, std::span<const Index>,             \
                                        std::span<const double>, Index, const std::vector<std::string>&,            \
                                        const std::string&);                                                        \
  template Objects<T> distribute_documents(const Session&, const std::vector<std::string>&,                         \
                                           const std::vector<std::string>&, const GivenValues&);                    \
  template Objects<T> distribute_mesh(const Session&, std::span<const double>, std::span<const Index>,              \
                                      const GivenValues&);                                                          \
  template Objects<T> distribute_graph(const Session&, std::span<const Index>, std::span<const Index>,              \
                                       std::span<const double>, bool);                                              \
  template Objects<T> numbered_objects(const Session&, Index);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

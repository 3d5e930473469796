#include "cairn/store/graphs/completed_graph_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/files/output_target.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/seal_file.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

namespace {

constexpr const char* format = "cairn-completed-graph";
constexpr const char* maker = "cairn reweigh";
constexpr const char* edges = "edges";
constexpr const char* back = "back";
constexpr const char* first_number = "first_number";
constexpr const char* directed_flag = "directed";

StoredCompletion stored_form(const CompletedGraph& graph) {
  StoredCompletion stored;
  stored.vertices.assign(graph.vertex_at.values().begin(), graph.vertex_at.values().end());
  stored.depths.assign(graph.depth.values().begin(), graph.depth.values().end());
  for (Index p = 0; p < graph.size(); ++p) {
    stored.degrees.push_back(static_cast<std::int32_t>(graph.starts[p + 1] - graph.starts[p]));
  }
  stored.heads.reserve(graph.arcs());
  for (Index a = 0; a < graph.arcs(); ++a) {
    stored.heads.push_back(graph.depth[graph.heads[a]]);
    if (!std::isfinite(graph.up[a]) && !(graph.directed && std::isfinite(graph.down[a]))) continue;
    stored.edges.push_back(a);
    stored.lengths.push_back(graph.up[a]);
    if (graph.directed) stored.back.push_back(graph.down[a]);
  }
  return stored;
}

// The lists of rank 0. They refer to `stored`.
std::vector<SharedTable> tables_of(const Communicator& communicator, const StoredCompletion& stored, bool directed) {
  std::vector<SharedTable> tables;
  const auto add = [&]<class T>(const char* name, const std::vector<T>& list) {
    tables.push_back(consecutive_rows(communicator, name, -1, std::span<const T>(list)));
  };
  add(layout::vertices, stored.vertices);
  add(layout::depths, stored.depths);
  add(layout::degrees, stored.degrees);
  add(layout::heads, stored.heads);
  add(edges, stored.edges);
  add(layout::lengths, stored.lengths);
  if (directed) add(back, stored.back);
  return tables;
}

void lay_out(const std::string& path, const NumberedCompletion& stored, const std::vector<SharedTable>& tables) {
  hdf5::Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(format));
  hdf5::write_attribute(file, "format_version", static_cast<Index>(completed_graph_format_version));
  hdf5::write_flag(file, directed_flag, stored.graph.directed);
  hdf5::write_attribute(file, first_number, stored.numbers.first);
  create_tables(file, tables);
  hdf5::seal(file, path);
  hdf5::close_file(std::move(file));
}

template <class T>
std::vector<T> list_of(const hdf5::InputFile& file, const char* name, std::optional<Index> rows = {}) {
  const hdf5::TableShape shape = file.table(name);
  if (shape.columns >= 0 || !(shape.type == hdf5::element_type<T>()) || (rows && shape.rows != *rows)) {
    file.refuse(fmt::format("/{} is not a list of its type and size", name));
  }
  std::vector<T> list(shape.rows);
  if (shape.rows > 0) file.read_rows(name, shape, {0, shape.rows}, list.data());
  return list;
}

CompletionParts read_parts(const hdf5::InputFile& file) {
  CompletionParts parts;
  parts.directed = file.flag_attribute("/", directed_flag);
  StoredCompletion stored;
  stored.vertices = list_of<std::int32_t>(file, layout::vertices);
  const Index n = std::ssize(stored.vertices);
  stored.depths = list_of<std::int32_t>(file, layout::depths, n);
  stored.degrees = list_of<std::int32_t>(file, layout::degrees, n);
  stored.heads = list_of<std::int32_t>(file, layout::heads);
  stored.edges = list_of<Index>(file, edges);
  stored.lengths = list_of<double>(file, layout::lengths, std::ssize(stored.edges));
  if (parts.directed) stored.back = list_of<double>(file, back, std::ssize(stored.edges));
  std::string refused;
  parts.completion = unpack(stored, parts.directed, parts.up, parts.down, refused);
  if (!refused.empty()) file.refuse(refused);
  return parts;
}

}  // namespace

void write_completed_graph(const Execution& execution, const OutputPath& path, const NumberedCompletion& stored) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("write");
  const StoredCompletion lists = collectively(
      communicator, [&] { return communicator.is_root() ? stored_form(stored.graph) : StoredCompletion{}; });
  std::vector<SharedTable> tables = tables_of(communicator, lists, stored.graph.directed);
  const RowPartition partition(stored.graph.size(), communicator.size());
  if (stored.numbers.listed) {
    tables.push_back(consecutive_rows(communicator, layout::numbers, -1, std::span<const Index>(stored.numbers.own)));
  }
  if (auto table = label_table(communicator, layout::labels, partition, stored.numbers.names)) {
    tables.push_back(std::move(*table));
  }
  AtomicFile target(communicator, path);
  Index bytes = Index{1} << 16;
  for (const SharedTable& table : tables) bytes += table.bytes();
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), stored, tables);
  });
  target.reserve();
  phase.count_bytes(write_tables(communicator, target.partial_path(), tables));
  target.commit();
}

bool is_completed_graph(const Communicator& communicator, const std::string& path) {
  return collectively(communicator, [&] { return is_of_cairn(path, OutputForm::completed_graph); });
}

NumberedCompletion read_completed_graph(const Communicator& communicator, const std::string& path) {
  CompletionParts parts = collectively(communicator, [&] {
    const hdf5::InputFile file(path, maker);
    if (const Index version = file.index_attribute("/", "format_version"); version > completed_graph_format_version) {
      throw Error(ErrorKind::input, fmt::format("{} has format {}, and this program reads formats up to {}", path,
                                                version, completed_graph_format_version));
    }
    return communicator.is_root() ? read_parts(file) : CompletionParts{};
  });
  NumberedCompletion stored;
  stored.graph = share(communicator, std::move(parts));
  const Range own = RowPartition(stored.graph.size(), communicator.size()).range(communicator.rank());
  std::vector<Index> numbers;
  bool listed = false;
  collectively(communicator, [&] {
    const hdf5::InputFile file(path, maker);
    stored.numbers.first = file.index_attribute("/", first_number);
    if (file.has(layout::labels)) stored.numbers.names = file.row_texts(layout::labels, own);
    if (!(listed = file.has(layout::numbers))) return;
    const hdf5::TableShape shape = file.table(layout::numbers);
    if (shape.rows != stored.graph.size() || shape.columns >= 0 || !(shape.type == hdf5::element_type<Index>())) {
      file.refuse(fmt::format("/{} is not a list of {} numbers", layout::numbers, stored.graph.size()));
    }
    numbers.resize(own.size());
    if (!own.empty()) file.read_rows(layout::numbers, shape, own, numbers.data());
  });
  if (listed) {
    std::vector<std::string> names = std::move(stored.numbers.names);
    stored.numbers = listed_numbers(communicator, own, std::move(numbers));
    stored.numbers.names = std::move(names);
  }
  return stored;
}

}  // namespace cairn

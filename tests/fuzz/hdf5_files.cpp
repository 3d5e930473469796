// Data in HDF5 files, and the files that Cairn itself writes.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/files/fields_file.hpp"
#include "cairn/store/files/landmark_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/operator_file.hpp"
#include "cairn/store/files/process_file.hpp"
#include "cairn/store/files/transport_file.hpp"
#include "cairn/store/files/vecchia_file.hpp"
#include "cairn/store/graphs/completed_graph_file.hpp"
#include "cairn/store/result/hierarchy_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "checks.hpp"
#include "hdf5_text.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

void read_points_and_labels(const std::string& path) {
  const auto points = read_points<double>(alone(), {.path = path, .format = "hdf5"});
  const auto labels = static_cast<Index>(points.labels().size());
  require(labels == 0 || labels == points.size(), "not one label a point");
}

void read_matrix(const std::string& path) {
  const auto matrix = DenseMatrix::open(path, "hdf5", "");
  const std::vector<Index> rows{0, matrix->rows() - 1}, columns{matrix->columns() / 2, 0};
  std::vector<double> values(4);
  matrix->read(rows, columns, MatrixView<double>(values.data(), 2, 2));
}

template <class T>
void read_whole(const std::string& path, const ResultShape& shape) {
  const StoredResult<T> result = read_result<T>(alone(), path);
  const Approximation<T>& approximation = result.approximation;
  require(approximation.left.rows() == shape.rows && approximation.left.columns() == shape.left_columns, "/left");
  require(approximation.right.has_value() == shape.has_right, "/right");
  require(!shape.has_labels || std::ssize(result.labels) == shape.rows, "/labels");
  require(!shape.has_numbers || std::ssize(result.numbers) == shape.rows, "/numbers");
  require(!shape.has_splits || std::ssize(result.splits) == shape.rows, "/splits");
  if (const auto counts = read_counts(alone(), path)) require(counts->partition().rows() == shape.rows, "/counts");
  if (const auto near = read_near_entries<T>(alone(), path)) {
    require(near->near == shape.near && near->rows.rows() == shape.rows && near->rows.columns() == shape.rows, "/near");
  }
  if (!shape.has_hierarchy()) return;
  const ContractionHierarchy hierarchy = read_hierarchy(hdf5::InputFile(path));
  require(hierarchy.tree.size() == shape.rows && std::ssize(hierarchy.up.heads) == shape.hierarchy_arcs, "/hierarchy");
  for (Index p = 0; p < hierarchy.tree.size(); ++p) {
    for (Index a = hierarchy.up.starts[p]; a < hierarchy.up.starts[static_cast<std::size_t>(p) + 1]; ++a) {
      const std::int32_t head = hierarchy.up.heads[a];
      require(head >= 0 && head < p && hierarchy.up.lengths[a] > 0, "an arc of /hierarchy");
    }
  }
}

void read_stored_result(const std::string& path) {
  const ResultShape shape = read_result_shape(alone(), path);
  if (shape.precision == "single") return read_whole<float>(path, shape);
  read_whole<double>(path, shape);
}

template <class T>
void read_stored_distances(const std::string& path, const ResultShape& shape) {
  const StoredDistances<T> distances = read_distances<T>(alone(), path);
  require(distances.columns.rows() == shape.rows && distances.columns.columns() == std::ssize(distances.indices),
          "/base");
  for (const Index id : distances.indices) require(id >= 0 && id < shape.rows, "/base/indices");
}

void read_stored_operator(const std::string& path) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{alone(), phases, ledger};
  const StoredOperator stored = read_operator_description(alone(), path);
  const BiharmonicOperator op = read_operator(execution, path, stored.origin);
  require(op.size() == stored.vertices, "the operator has another size than its description says");
  for (Index arc = 0; arc < op.neighbors.size(); ++arc) {
    require(op.neighbors[arc] >= 0 && op.neighbors[arc] < op.size(), "a neighbor out of range");
  }
}

void read_stored_completion(const std::string& path) {
  const CompletedGraph graph = read_completed_graph(alone(), path).graph;
  for (Index p = 0; p < graph.size(); ++p) {
    for (Index a = graph.starts[p]; a < graph.starts[p + 1]; ++a) {
      require(graph.heads[a] >= 0 && graph.heads[a] < p, "an arc of the completion");
      require(graph.up[a] >= 0 && (!graph.directed || graph.down[a] >= 0), "a length of the completion");
    }
  }
}

}  // namespace

void read_hdf5_data(std::string_view input) {
  const char choice = take_choice(input);
  const std::string& path = file_of(hdf5_of(input));
  if (choice == 'p') return read_points_and_labels(path);
  if (choice == 'm') return read_matrix(path);
  if (choice == 'g') return check(read_graph(alone(), {.path = path, .format = "hdf5"}));
  if (choice == 'G') return check(read_graph(alone(), {.path = path, .format = "hdf5", .weighted = false}));
  if (choice == 'l') {
    Phases phases;
    MemoryLedger ledger;
    const NumberedObjects objects(RowPartition(100, 1), 0);
    (void)read_landmarks<double>({alone(), phases, ledger}, objects, path, 0);
  }
}

void read_hdf5_stored(std::string_view input) {
  const char choice = take_choice(input);
  const std::string& path = file_of(hdf5_of(input));
  if (choice == 'r') return read_stored_result(path);
  if (choice == 'd') {
    const ResultShape shape = read_result_shape(alone(), path);
    if (shape.precision == "single") return read_stored_distances<float>(path, shape);
    return read_stored_distances<double>(path, shape);
  }
  if (choice == 'o') return read_stored_operator(path);
  if (choice == 'm') (void)read_model(alone(), path);
  if (choice == 'c') (void)read_classifier(alone(), path);
  if (choice == 'g') (void)read_process(alone(), path);
  if (choice == 'v') (void)read_vecchia(alone(), path);
  if (choice == 'w') return read_stored_completion(path);
  if (choice == 'e') (void)read_embedding_description(alone(), path);
  if (choice == 't') (void)read_transport_description(alone(), path);
  if (choice == 'f') (void)read_fields_description(alone(), path);
}

// The bytes as they are: what HDF5, too, makes of damage.
void read_hdf5_bytes(std::string_view input) {
  const char choice = take_choice(input);
  const std::string& path = file_of(input);
  if (choice == 'P') return read_points_and_labels(path);
  if (choice == 'g') return check(read_graph(alone(), {.path = path, .format = "hdf5"}));
  if (choice == 'r') return read_stored_result(path);
  if (choice == 'o') return read_stored_operator(path);
  if (choice == 'm') (void)read_model(alone(), path);
}

}  // namespace cairn::fuzz

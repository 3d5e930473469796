// Writes a result: rank 0 lays out the file and writes its small parts, then all ranks write their rows into it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/hdf5/array_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/seal_file.hpp"
#include "cairn/store/hdf5/shared_table.hpp"
#include "cairn/store/hdf5/sparse_factor.hpp"
#include "cairn/store/hdf5/tiles_file.hpp"
#include "cairn/store/result/counts_file.hpp"
#include "cairn/store/result/description.hpp"
#include "cairn/store/result/hierarchy_file.hpp"
#include "cairn/store/result/near_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/result/trees_file.hpp"

namespace cairn {

namespace {

using hdf5::Handle;

// A dense factor in the numbers in which it is held.
template <class T>
SharedTable dense_table(const Communicator& communicator, const std::string& name, const TallMatrix<T>& factor) {
  return factor.visit([&](const auto& rows) { return factor_table(communicator, name, rows); });
}

template <class T>
std::vector<SharedTable> tables_of(const Execution& execution, const Approximation<T>& approximation,
                                   const RowTexts& texts, const std::vector<Index>& numbers, Compression compression,
                                   const KeptParts<T>& kept, const std::vector<std::string>& right_labels) {
  const Communicator& communicator = execution.communicator;
  std::vector<SharedTable> tables;
  if (approximation.trees != nullptr) {
    tables = tree_tables(communicator, approximation.left.sparse(), *approximation.trees);
  } else if (approximation.left.is_sparse()) {
    tables = sparse_factor_tables(communicator, layout::left, approximation.left.sparse());
  } else if (approximation.left.is_stored()) {
    tables.push_back(dense_table(communicator, layout::left, approximation.left.tall()));
  }
  if (const auto* dense = std::get_if<DenseCore>(&approximation.core_matrix)) {
    tables.push_back(matrix_table(communicator, layout::core_matrix, dense->matrix));
  } else if (const auto* tiles = std::get_if<TiledCore>(&approximation.core_matrix)) {
    tables.push_back(tiles_table(communicator, layout::core_matrix, tiles->matrix, compression, execution.threads));
  }
  if (approximation.right) tables.push_back(dense_table(communicator, layout::right, approximation.right->tall()));
  const auto add_map = [&](const std::optional<FactorOrigin>& origin, const std::string& group) {
    if (origin && origin->map)
      tables.push_back(matrix_table(communicator, layout::in(group, layout::map), *origin->map));
  };
  add_map(approximation.left_origin, layout::landmarks);
  add_map(approximation.right_origin, layout::right_landmarks);
  for (const auto& [name, own] :
       {std::pair(layout::labels, texts.labels), std::pair(layout::splits, texts.splits),
        std::pair(layout::groups, texts.groups), std::pair(layout::identifiers, texts.identifiers),
        std::pair(layout::texts, texts.texts)}) {
    if (auto table = label_table(communicator, name, approximation.left.partition(), *own))
      tables.push_back(std::move(*table));
  }
  if (approximation.rectangular) {
    auto table = label_table(communicator, layout::right_labels, approximation.right->partition(), right_labels);
    if (table) tables.push_back(std::move(*table));
  }
  if (communicator.maximum(static_cast<Index>(numbers.size())) > 0) {
    tables.push_back(consecutive_rows(communicator, layout::numbers, -1, std::span<const Index>(numbers)));
  }
  const auto append = [&](std::vector<SharedTable> more) { std::ranges::move(more, std::back_inserter(tables)); };
  if (const StoredDistances<T>* const distances = kept.distances; distances != nullptr) {
    tables.push_back(factor_table(communicator, layout::in(layout::base, layout::columns), distances->columns));
    if (!distances->sample.empty()) {
      tables.push_back(factor_table(communicator, layout::in(layout::base, layout::sample), distances->block));
    }
  }
  if (kept.counts != nullptr) append(count_tables(communicator, *kept.counts));
  if (kept.hierarchy != nullptr) append(hierarchy_tables(communicator, *kept.hierarchy));
  if (kept.near != nullptr) append(sparse_factor_tables(communicator, layout::near, kept.near->rows));
  return tables;
}

const ObjectBlock* objects_of(const std::optional<FactorOrigin>& origin) {
  return origin ? origin->objects.get() : nullptr;
}

// Null: the landmarks of the factors have no common data.
template <class T>
std::unique_ptr<CommonObjects> common_objects(const Approximation<T>& approximation) {
  const ObjectBlock *left = objects_of(approximation.left_origin), *right = objects_of(approximation.right_origin);
  if (left != nullptr) return left->common_with(right);
  return right != nullptr ? right->common_with(nullptr) : nullptr;
}

Index object_bytes(const std::optional<FactorOrigin>& origin, const CommonObjects* common) {
  if (!origin) return 0;
  ArrayBytes arrays;
  if (origin->objects != nullptr) origin->objects->write(arrays, common);
  if (origin->features) origin->features->write(arrays);
  return std::ssize(origin->indices) * static_cast<Index>(sizeof(Index)) + arrays.bytes();
}

Index common_bytes(const CommonObjects* common) {
  ArrayBytes arrays;
  if (common != nullptr) common->write(arrays);
  return arrays.bytes();
}

void write_origin(const Handle& group, const FactorOrigin& origin, const CommonObjects* common) {
  hdf5::write_numbers(group, layout::indices, std::span<const Index>(origin.indices));
  if (origin.features) {
    const Handle features = hdf5::create_group(group, layout::features);
    hdf5::write_attribute(features, "kind", origin.features->kind());
    ArrayFileWriter arrays(features, "");
    origin.features->write(arrays);
  }
  if (origin.objects == nullptr) return;
  ArrayFileWriter arrays(group, layout::objects);
  origin.objects->write(arrays, common);
}

// Writes layout and shape of the core matrix, and its values if they are few. The table of a large one already exists.
void write_core(const Handle& file, const CoreMatrix& core_matrix) {
  if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) {
    hdf5::write_numbers(file, layout::core_matrix, std::span<const double>(diagonal->values));
  } else if (std::holds_alternative<IdentityCore>(core_matrix)) {
    hdf5::write_numbers(file, layout::core_matrix, std::span<const double>());
  }
  const Handle table = hdf5::open_table(file, layout::core_matrix);
  hdf5::write_attribute(table, "layout", std::string(core_layout(core_matrix)));
  hdf5::write_attribute(table, "rows", core_matrix_rows(core_matrix));
  hdf5::write_attribute(table, "columns", core_matrix_columns(core_matrix));
  if (const auto* tiles = std::get_if<TiledCore>(&core_matrix)) write_tile_attributes(table, tiles->matrix);
}

bool has_sparse_objects(const std::optional<FactorOrigin>& origin) {
  const ObjectBlock* const objects = objects_of(origin);
  const auto* single = dynamic_cast<const PointBlock<float>*>(objects);
  const auto* whole = dynamic_cast<const PointBlock<double>*>(objects);
  return (single != nullptr && single->sparse != nullptr) || (whole != nullptr && whole->sparse != nullptr);
}

template <class T>
bool is_integral(const Factor<T>& factor) {
  return factor.is_stored() && !factor.is_sparse() && factor.tall().is_integral();
}

// Lowest version that a reader must know.
template <class T>
int version_of(const Approximation<T>& approximation, const ResultDescription& description) {
  if (!approximation.left.is_stored()) return layout::newest_format_version;
  const bool moved = description.scaling == "none" && !description.scaling_shift.empty();
  if (is_integral(approximation.left) || (approximation.right && is_integral(*approximation.right))) {
    return layout::integral_format_version;
  }
  if (moved || has_sparse_objects(approximation.left_origin) || has_sparse_objects(approximation.right_origin)) {
    return layout::sparse_landmarks_format_version;
  }
  if (approximation.trees != nullptr) return result_format_version;
  return approximation.rectangular ? rectangular_format_version : square_format_version;
}

// Writes everything but the rows that all ranks write. Rank 0 only.
template <class T>
void lay_out(const std::string& path, const Approximation<T>& approximation, const ResultDescription& description,
             const CommonObjects* common, const std::vector<SharedTable>& tables, const KeptParts<T>& kept) {
  const StoredDistances<T>* const distances = kept.distances;
  Handle file = hdf5::create_file(path);
  hdf5::write_attribute(file, "format", std::string(layout::format));
  hdf5::write_attribute(file, "format_version", static_cast<Index>(version_of(approximation, description)));
  hdf5::write_attribute(file, "transform", std::string(approximation.transform == Transform::sqrt ? "sqrt" : "none"));
  hdf5::write_attribute(file, "meaning",
                        std::string(approximation.meaning == Meaning::distance ? "distance" : "similarity"));
  hdf5::write_flag(file, "symmetric", approximation.symmetric);
  hdf5::write_flag(file, "symmetrize", approximation.symmetrize);
  if (approximation.rectangular) hdf5::write_flag(file, "rectangular", true);
  if (!approximation.left.is_stored()) hdf5::write_attribute(file, layout::rows, approximation.left.rows());
  write_description(file, description);
  write_report(file, approximation.report, description);
  {
    const Handle group = hdf5::create_group(file, layout::landmarks);
    const Index population = description.landmark_population;
    hdf5::write_attribute(group, "selection", description.landmark_selection);
    hdf5::write_attribute(group, "population", population > 0 ? population : approximation.left.rows());
    if (approximation.left_origin) write_origin(group, *approximation.left_origin, common);
  }
  if (approximation.right_origin) {
    write_origin(hdf5::create_group(file, layout::right_landmarks), *approximation.right_origin, common);
  }
  if (common != nullptr) {
    ArrayFileWriter arrays(file, "");
    common->write(arrays);
  }
  if (approximation.trees != nullptr) {
    create_tree_groups(file, approximation.left.columns(), *approximation.trees);
  } else if (approximation.left.is_sparse()) {
    create_sparse_group(file, layout::left, approximation.left.rows(), approximation.left.columns());
  }
  if (distances != nullptr) {
    const Handle group = hdf5::create_group(file, layout::base);
    hdf5::write_attribute(group, "distance", distances->distance);
    hdf5::write_numbers(group, layout::indices, std::span<const Index>(distances->indices));
    if (distances->random) {
      hdf5::write_attribute(group, "random_seed", distances->random->seed);
      hdf5::write_attribute(group, "random_longest", distances->random->longest);
    }
    if (!distances->sample.empty()) {
      hdf5::write_numbers(group, layout::sample_indices, std::span<const Index>(distances->sample));
    }
  }
  if (kept.counts != nullptr) create_counts_group(file, *kept.counts);
  if (kept.hierarchy != nullptr) static_cast<void>(hdf5::create_group(file, layout::hierarchy));
  if (kept.near != nullptr) create_near_group(file, kept.near->near, kept.near->rows.rows());
  create_tables(file, tables);
  write_core(file, approximation.core_matrix);
  hdf5::seal(file, path);
  place_tiles(file, tables);
  hdf5::close_file(std::move(file));
}

template <class T>
void check_precision(const ResultDescription& description) {
  if (description.precision != (std::is_same_v<T, float> ? "single" : "double")) {
    throw Error(ErrorKind::internal,
                fmt::format("the description says precision {}, the factors have {} bytes a number",
                            description.precision, sizeof(T)));
  }
}

}  // namespace

template <class T>
void write_result(const Execution& execution, const OutputPath& path, const Approximation<T>& approximation,
                  const ResultDescription& description, const RowTexts& texts, Compression compression,
                  const std::vector<Index>& numbers, const KeptParts<T>& kept,
                  const std::vector<std::string>& right_labels) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  check_precision<T>(description);
  const std::vector<SharedTable> tables =
      tables_of(execution, approximation, texts, numbers, compression, kept, right_labels);
  const std::unique_ptr<CommonObjects> common = common_objects(approximation);

  AtomicFile target(communicator, path);
  Index bytes = description_bytes(description, approximation.report) +
                object_bytes(approximation.left_origin, common.get()) +
                object_bytes(approximation.right_origin, common.get()) + common_bytes(common.get());
  if (kept.distances != nullptr) {
    bytes += static_cast<Index>((kept.distances->indices.size() + kept.distances->sample.size()) * sizeof(Index));
  }
  for (const SharedTable& table : tables) bytes += table.bytes();
  target.require_space(bytes);
  collectively(communicator, [&] {
    if (communicator.is_root()) lay_out(target.partial_path(), approximation, description, common.get(), tables, kept);
  });
  target.reserve();

  phase.count_bytes(write_tables(communicator, target.partial_path(), tables));
  target.commit();
}

template void write_result(const Execution&, const OutputPath&, const Approximation<float>&, const ResultDescription&,
                           const RowTexts&, Compression, const std::vector<Index>&, const KeptParts<float>&,
                           const std::vector<std::string>&);
template void write_result(const Execution&, const OutputPath&, const Approximation<double>&, const ResultDescription&,
                           const RowTexts&, Compression, const std::vector<Index>&, const KeptParts<double>&,
                           const std::vector<std::string>&);

}  // namespace cairn

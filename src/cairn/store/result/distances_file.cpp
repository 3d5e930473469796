// /base of a result: the distances from which its similarities were computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

using hdf5::InputFile;
using hdf5::TableShape;

// Objects of the data and, with `random`, leading random documents (negative ids).
std::vector<Index> read_objects(const InputFile& file, const std::string& name, bool random, Index population) {
  std::vector<Index> objects = file.indices(name);
  const Index least = random ? -std::ranges::count_if(objects, [](Index id) { return id < 0; }) : 0;
  std::vector<Index> sorted = objects;
  std::ranges::sort(sorted);
  const bool outside = !sorted.empty() && (sorted.front() < least || sorted.back() >= population);
  if (outside || std::ranges::adjacent_find(sorted) != sorted.end()) {
    file.refuse(fmt::format("/{} holds objects twice, or others than {} to {}", name, least, population - 1));
  }
  return objects;
}

std::optional<RandomDocuments> read_random_documents(const InputFile& file) {
  if (!file.has_attribute(layout::base, "random_seed")) return std::nullopt;
  const RandomDocuments random{file.unsigned_attribute(layout::base, "random_seed"),
                               file.index_attribute(layout::base, "random_longest")};
  if (random.longest < 1) file.refuse(fmt::format("random_longest of /{} is {}", layout::base, random.longest));
  return random;
}

void require_distances(const InputFile& file, const std::string& path, const KeyNames& keys) {
  if (file.has(layout::base)) return;
  throw Error(ErrorKind::input,
              fmt::format("{} holds no distances: make it again with {} = true", path, keys("distances")));
}

void check_table(const InputFile& file, const std::string& name, const TableShape& expected) {
  const TableShape shape = file.table(name);
  if (shape.rows == expected.rows && shape.columns == expected.columns && shape.type.kind == expected.type.kind) return;
  file.refuse(fmt::format("/{} is not {} x {} numbers of the precision that the file says", name, expected.rows,
                          expected.columns));
}

template <class T>
RowBlock<T> read_rows(const Communicator& communicator, const InputFile& file, const std::string& name, Index rows,
                      Index columns) {
  return collectively(communicator, [&] {
    check_table(file, name, {rows, columns, hdf5::element_type<T>()});
    RowBlock<T> block(RowPartition(rows, communicator.size()), communicator.rank(), columns);
    file.read_rows(name, {rows, columns, hdf5::element_type<T>()}, block.range(), block.local().data);
    const T* values = block.local().data;
    if (!std::all_of(values, values + block.range().size() * columns, [](T value) { return std::isfinite(value); })) {
      file.refuse(fmt::format("/{} holds a number that is not finite", name));
    }
    return block;
  });
}

}  // namespace

DistancesShape read_distances_shape(const Communicator& communicator, const std::string& path, const KeyNames& keys) {
  return collectively(communicator, [&] {
    const InputFile file(path);
    require_distances(file, path, keys);
    DistancesShape shape;
    const std::vector<Index> indices = file.indices(layout::in(layout::base, layout::indices));
    shape.columns = static_cast<Index>(indices.size());
    shape.random = std::ranges::count_if(indices, [](Index id) { return id < 0; });
    const std::string sample = layout::in(layout::base, layout::sample_indices);
    if (file.has(sample)) shape.sample = static_cast<Index>(file.indices(sample).size());
    return shape;
  });
}

template <class T>
StoredDistances<T> read_distances(const Communicator& communicator, const std::string& path, const KeyNames& keys) {
  const ResultShape shape = read_result_shape(communicator, path);
  const std::string sample_indices = layout::in(layout::base, layout::sample_indices);
  const InputFile file = collectively(communicator, [&] { return InputFile(path); });
  StoredDistances<T> distances;
  collectively(communicator, [&] {
    require_distances(file, path, keys);
    distances.distance = file.text_attribute(layout::base, "distance");
    distances.random = read_random_documents(file);
    const std::string indices = layout::in(layout::base, layout::indices);
    distances.indices = read_objects(file, indices, distances.random.has_value(), shape.rows);
    if (std::ranges::none_of(distances.indices, [](Index id) { return id < 0; })) distances.random.reset();
    if (file.has(sample_indices)) distances.sample = read_objects(file, sample_indices, false, shape.rows);
  });
  distances.columns = read_rows<T>(communicator, file, layout::in(layout::base, layout::columns), shape.rows,
                                   static_cast<Index>(distances.indices.size()));
  const auto size = static_cast<Index>(distances.sample.size());
  if (size > 0) {
    distances.block = read_rows<T>(communicator, file, layout::in(layout::base, layout::sample), size, size);
  }
  return distances;
}

template StoredDistances<float> read_distances(const Communicator&, const std::string&, const KeyNames&);
template StoredDistances<double> read_distances(const Communicator&, const std::string&, const KeyNames&);

}  // namespace cairn

#include "cairn/data/points/point_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cairn/base/error.hpp"

namespace cairn {

template <class T>
PointSet<T>::PointSet(RowBlock<T> coordinates, int rank, std::vector<std::string> labels)
    : ObjectSet(coordinates.partition(), rank),
      coordinates_(std::move(coordinates)),
      texts_{.labels = std::move(labels)} {}

template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::block(Range rows) const {
  auto block = std::make_unique<PointBlock<T>>(identity(), numbers_of(rows));
  const auto local = coordinates_.local();
  block->coordinates = {local.row(rows.begin - range_.begin), rows.size(), dimension()};
  return block;
}

template <class T>
std::vector<std::byte> PointSet<T>::pack(Range rows) const {
  const auto* begin = reinterpret_cast<const std::byte*>(coordinates_.local().row(rows.begin - range_.begin));
  return {begin, begin + rows.size() * dimension() * static_cast<Index>(sizeof(T))};
}

template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::unpack(Range rows, std::span<const std::byte> bytes) const {
  const std::span values(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  return make_point_block<T>(numbers_of(rows), dimension(), values, identity());
}

// Two exchanges: the numbers that each rank wants of each other, then the coordinates in the order of those numbers.
template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::gather(const Communicator& communicator, std::span<const Index> ids) const {
  std::vector<std::vector<Index>> wanted(static_cast<std::size_t>(communicator.size()));
  for (const Index id : ids) wanted[static_cast<std::size_t>(partition_.owner(id))].push_back(id);
  const auto asked = communicator.exchange(wanted);
  std::vector<std::vector<T>> answers(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r) {
    answers[r].reserve(asked[r].size() * static_cast<std::size_t>(dimension()));
    for (const Index id : asked[r]) {
      const std::span<const T> point = coordinates_.row(id);
      answers[r].insert(answers[r].end(), point.begin(), point.end());
    }
  }
  const auto received = communicator.exchange(answers);
  auto block = std::make_unique<PointBlock<T>>(identity(), std::vector(ids.begin(), ids.end()));
  block->owned = Buffer<T>(block->size() * dimension());
  std::vector<std::size_t> next(received.size(), 0);
  T* target = block->owned.data();
  for (const Index id : ids) {
    const auto owner = static_cast<std::size_t>(partition_.owner(id));
    target = std::copy_n(received[owner].data() + next[owner], dimension(), target);
    next[owner] += static_cast<std::size_t>(dimension());
  }
  block->coordinates = {block->owned.data(), block->size(), dimension()};
  return block;
}

template <class T>
std::unique_ptr<PointBlock<T>> make_point_block(std::vector<Index> ids, Index dimension, std::span<const T> values,
                                                SetIdentity set) {
  auto block = std::make_unique<PointBlock<T>>(set, std::move(ids));
  if (values.size() != block->ids.size() * static_cast<std::size_t>(dimension)) {
    throw Error(ErrorKind::internal, "a block of points was given coordinates of another shape");
  }
  block->owned = Buffer<T>(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), block->owned.data());
  block->coordinates = {block->owned.data(), block->size(), dimension};
  return block;
}

template <class T>
void PointBlock<T>::write(ArrayWriter& arrays, const CommonObjects* /*common*/) const {
  arrays.write_matrix<T>("", coordinates);
}

namespace {

template <class T>
void check_shape(const StoredObjects& stored, const ArrayShape& shape) {
  const ArrayReader& arrays = stored.arrays;
  const std::string name = arrays.called("");
  if (shape.columns < 0) arrays.refuse(fmt::format("{} is not a matrix", name));
  if (shape.number != ArrayNumber::float32 && shape.number != ArrayNumber::float64) {
    arrays.refuse(fmt::format("{} does not hold float32 or float64", name));
  }
  if (shape.number != array_number<T>()) {
    arrays.refuse(fmt::format("{} has numbers of another precision than the file says", name));
  }
  if (shape.rows == std::ssize(stored.indices) && shape.columns == stored.dimension) return;
  arrays.refuse(fmt::format("{} is {} x {}, but there are {} landmarks of dimension {}", name, shape.rows,
                            shape.columns, stored.indices.size(), stored.dimension));
}

}  // namespace

template <class T>
std::unique_ptr<ObjectBlock> read_point_block(const StoredObjects& stored) {
  const ArrayShape shape = stored.arrays.shape("");
  check_shape<T>(stored, shape);
  auto block = std::make_unique<PointBlock<T>>(SetIdentity(), stored.indices);
  block->owned = Buffer<T>(shape.rows * shape.columns);
  block->coordinates = {block->owned.data(), shape.rows, shape.columns};
  stored.arrays.read("", block->owned.data());
  for (Index e = 0; e < block->owned.size(); ++e) {
    if (std::isfinite(block->owned[e])) continue;
    stored.arrays.refuse(fmt::format("{} holds {} in row {}, column {}", stored.arrays.called(""), block->owned[e],
                                     e / shape.columns, e % shape.columns));
  }
  return block;
}

template struct PointBlock<float>;
template struct PointBlock<double>;
template std::unique_ptr<ObjectBlock> read_point_block<float>(const StoredObjects&);
template std::unique_ptr<ObjectBlock> read_point_block<double>(const StoredObjects&);
template class PointSet<float>;
template class PointSet<double>;
template std::unique_ptr<PointBlock<float>> make_point_block(std::vector<Index>, Index, std::span<const float>,
                                                             SetIdentity);
template std::unique_ptr<PointBlock<double>> make_point_block(std::vector<Index>, Index, std::span<const double>,
                                                              SetIdentity);

}  // namespace cairn

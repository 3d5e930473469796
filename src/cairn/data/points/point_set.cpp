#include "cairn/data/points/point_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/points/sparse_bytes.hpp"

namespace cairn {

template <class T>
PointSet<T>::PointSet(RowBlock<T> coordinates, int rank, std::vector<std::string> labels)
    : ObjectSet(coordinates.partition(), rank),
      coordinates_(std::move(coordinates)),
      texts_{.labels = std::move(labels)} {}

template <class T>
PointSet<T>::PointSet(SparseRows<T> entries, int rank, std::vector<std::string> labels)
    : ObjectSet(entries.partition(), rank),
      sparse_(true),
      entries_(std::move(entries)),
      texts_{.labels = std::move(labels)} {}

template <class T>
const RowBlock<T>& PointSet<T>::coordinates() const {
  if (sparse_) throw Error(ErrorKind::internal, "all coordinates are asked of sparse points");
  return coordinates_;
}

template <class T>
RowBlock<T>& PointSet<T>::coordinates() {
  return const_cast<RowBlock<T>&>(std::as_const(*this).coordinates());  // NOLINT: of this object, which is not const
}

template <class T>
const SparseRows<T>& PointSet<T>::entries() const {
  if (!sparse_) throw Error(ErrorKind::internal, "entries are asked of points that are not sparse");
  return entries_;
}

template <class T>
SparseRows<T>& PointSet<T>::entries() {
  return const_cast<SparseRows<T>&>(std::as_const(*this).entries());  // NOLINT: as above
}

template <class T>
template <class U>
void PointSet<T>::copy_point(Index global, std::span<U> out) const {
  if (sparse_) return spread(entries_.row(global), out);
  std::ranges::transform(coordinates_.row(global), out.begin(), [](T x) { return static_cast<U>(x); });
}

template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::block(Range rows) const {
  auto block = std::make_unique<PointBlock<T>>(identity(), numbers_of(rows));
  if (sparse_) {
    const auto starts =
        std::span(entries_.starts())
            .subspan(static_cast<std::size_t>(rows.begin - range_.begin), static_cast<std::size_t>(rows.size()) + 1);
    block->sparse = std::make_unique<const SparsePoints<T>>(dimension(), starts, entries_.indices().data(),
                                                            entries_.values().data());
    return block;
  }
  const auto local = coordinates_.local();
  block->coordinates = {local.row(rows.begin - range_.begin), rows.size(), dimension()};
  return block;
}

template <class T>
std::vector<std::byte> PointSet<T>::pack(Range rows) const {
  if (sparse_) {
    std::vector<std::byte> bytes;
    for (Index i = rows.begin; i < rows.end; ++i) append_entries(entries_.row(i), bytes);
    return bytes;
  }
  const auto* begin = reinterpret_cast<const std::byte*>(coordinates_.local().row(rows.begin - range_.begin));
  return {begin, begin + rows.size() * dimension() * static_cast<Index>(sizeof(T))};
}

template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::unpack(Range rows, std::span<const std::byte> bytes) const {
  if (sparse_) {
    EntriesOfBytes<T> taken;
    for (Index i = rows.begin; i < rows.end; ++i) taken.take(bytes);
    auto block = std::make_unique<PointBlock<T>>(identity(), numbers_of(rows));
    block->sparse = taken.points(dimension());
    return block;
  }
  const std::span values(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  return make_point_block<T>(numbers_of(rows), dimension(), values, identity());
}

// Two exchanges: the numbers that each rank wants of each other, then the coordinates in the order of those numbers.
template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::gather(const Communicator& communicator, std::span<const Index> ids) const {
  if (sparse_) return gather_entries(communicator, ids);
  const Answers<T> received = ask_owners<T>(communicator, partition_, ids, [this](std::span<const Index> asked) {
    std::vector<T> values;
    values.reserve(asked.size() * static_cast<std::size_t>(dimension()));
    for (const Index id : asked) {
      const std::span<const T> point = coordinates_.row(id);
      values.insert(values.end(), point.begin(), point.end());
    }
    return values;
  });
  return collectively(communicator, [&] {
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
    return std::unique_ptr<ObjectBlock>(std::move(block));
  });
}

template <class T>
std::unique_ptr<ObjectBlock> PointSet<T>::gather_entries(const Communicator& communicator,
                                                         std::span<const Index> ids) const {
  const auto received = ask_owners<std::byte>(communicator, partition_, ids, [this](std::span<const Index> asked) {
    std::vector<std::byte> bytes;
    for (const Index id : asked) append_entries(entries_.row(id), bytes);
    return bytes;
  });
  return collectively(communicator, [&] {
    std::vector<std::span<const std::byte>> left;
    for (std::size_t owner = 0; owner < received.size(); ++owner) left.push_back(received[owner]);
    EntriesOfBytes<T> taken;
    for (const Index id : ids) taken.take(left[static_cast<std::size_t>(partition_.owner(id))]);
    auto block = std::make_unique<PointBlock<T>>(identity(), std::vector(ids.begin(), ids.end()));
    block->sparse = taken.points(dimension());
    return std::unique_ptr<ObjectBlock>(std::move(block));
  });
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
  if (!sparse) return arrays.write_matrix<T>("", coordinates);
  write_sparse_points(*sparse, arrays);
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
  if (holds_sparse_points(stored.arrays)) {
    auto block = std::make_unique<PointBlock<T>>(SetIdentity(), stored.indices);
    block->sparse = read_sparse_points<T>(stored);
    return block;
  }
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
#define CAIRN_INSTANTIATE(T)                                            \
  template void PointSet<T>::copy_point(Index, std::span<float>) const; \
  template void PointSet<T>::copy_point(Index, std::span<double>) const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE
template std::unique_ptr<PointBlock<float>> make_point_block(std::vector<Index>, Index, std::span<const float>,
                                                             SetIdentity);
template std::unique_ptr<PointBlock<double>> make_point_block(std::vector<Index>, Index, std::span<const double>,
                                                              SetIdentity);

}  // namespace cairn

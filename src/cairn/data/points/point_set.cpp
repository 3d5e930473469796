#include "cairn/data/points/point_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/points/all_coordinates.hpp"
#include "cairn/data/points/sparse_points.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Sparse points as bytes and as arrays.

// Appends one row as bytes: number of entries, columns, values.
template <class T>
void append_entries(const SparseRow<T>& row, std::vector<std::byte>& bytes) {
  const auto count = static_cast<Index>(row.columns.size());
  const auto append = [&](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  append(std::as_bytes(std::span(&count, 1)));
  append(std::as_bytes(row.columns));
  append(std::as_bytes(row.values));
}

// Reads rows one after another from the bytes of append_entries().
template <class T>
class EntriesOfBytes {
 public:
  EntriesOfBytes() : starts_{0} {}
  void take(std::span<const std::byte>& bytes) {
    Index count = 0;
    copy(bytes, &count, 1);
    const auto begin = static_cast<std::size_t>(starts_.back()), size = static_cast<std::size_t>(count);
    starts_.push_back(starts_.back() + count);
    columns_.resize(begin + size);
    values_.resize(begin + size);
    copy(bytes, columns_.data() + begin, size);
    copy(bytes, values_.data() + begin, size);
  }
  [[nodiscard]] std::unique_ptr<const SparsePoints<T>> points(Index dimension) {
    return std::make_unique<const SparsePoints<T>>(dimension, std::move(starts_), std::move(columns_),
                                                   std::move(values_));
  }

 private:
  template <class V>
  static void copy(std::span<const std::byte>& bytes, V* to, std::size_t count) {
    if (count > 0) std::memcpy(to, bytes.data(), count * sizeof(V));
    bytes = bytes.subspan(count * sizeof(V));
  }
  std::vector<Index> starts_, columns_;
  std::vector<T> values_;
};

// Names of the arrays of sparse points.
constexpr const char* starts_name = "starts";
constexpr const char* columns_name = "columns";
constexpr const char* values_name = "values";

// @throws Error(resource) if a node does not have the memory for all coordinates in numbers of `value_bytes`.
// Collective.
template <class T>
void require_room_for_coordinates(const Communicator& communicator, const PointSet<T>& points, Index value_bytes) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index own = points.range().size(), coordinate_bytes = std::max<Index>(1, own) * value_bytes;
  const Index bytes = points.dimension() > most / coordinate_bytes ? most : points.dimension() * coordinate_bytes;
  collectively(communicator, [&] {
    ReadingBudget::require(bytes, fmt::format("all {} coordinates of {} {}points take", grouped(points.dimension()),
                                              grouped(own), points.is_sparse() ? "sparse " : ""));
  });
}

template <class T>
void say_all_coordinates(const Communicator& communicator, const PointSet<T>& points, const std::string& what,
                         Index value_bytes) {
  if (!communicator.is_root()) return;
  const double bytes = static_cast<double>(points.size()) * static_cast<double>(points.dimension() * value_bytes);
  log(LogLevel::warning,
      fmt::format("{}: all {} coordinates of the sparse points are held beside their entries, which takes {}", what,
                  grouped(points.dimension()), format_bytes(bytes)));
}

// Writes the lists starts, columns and values. One rank.
template <class T>
void write_sparse_points(const SparsePoints<T>& points, ArrayWriter& arrays) {
  std::vector<Index> starts{0}, columns;
  std::vector<T> values;
  for (Index i = 0; i < points.rows(); ++i) {
    const SparseRow<T> row = points.row(i);
    columns.insert(columns.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    starts.push_back(std::ssize(columns));
  }
  arrays.write_list<Index>(starts_name, starts);
  arrays.write_list<Index>(columns_name, columns);
  arrays.write_list<T>(values_name, values);
}

// Reads what write_sparse_points() wrote. @throws Error(input) if it is invalid. Local.
template <class T>
std::unique_ptr<const SparsePoints<T>> read_sparse_points(const StoredObjects& stored) {
  const ArrayReader& arrays = stored.arrays;
  std::vector<Index> starts = arrays.read_list<Index>(starts_name), columns = arrays.read_list<Index>(columns_name);
  std::vector<T> values = arrays.read_list<T>(values_name);
  if (starts.size() != stored.indices.size() + 1 || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
      starts.back() != std::ssize(columns)) {
    arrays.refuse(fmt::format("{} do not ascend from 0 to the {} entries of {} landmarks", arrays.called(starts_name),
                              columns.size(), stored.indices.size()));
  }
  if (columns.size() != values.size()) {
    arrays.refuse(fmt::format("{} has {} entries, and {} has {}", arrays.called(columns_name), columns.size(),
                              arrays.called(values_name), values.size()));
  }
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    for (Index e = starts[row]; e < starts[row + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      if (columns[at] < (e > starts[row] ? columns[at - 1] + 1 : 0) || columns[at] >= stored.dimension) {
        arrays.refuse(fmt::format("{} holds {} in row {}: columns ascend from 0 to {}", arrays.called(columns_name),
                                  columns[at], row, stored.dimension - 1));
      }
      if (std::isfinite(values[at])) continue;
      arrays.refuse(
          fmt::format("{} holds {} in row {}, column {}", arrays.called(values_name), values[at], row, columns[at]));
    }
  }
  return std::make_unique<const SparsePoints<T>>(stored.dimension, std::move(starts), std::move(columns),
                                                 std::move(values));
}

}  // namespace

bool holds_sparse_points(const ArrayReader& arrays) { return arrays.has(starts_name) && arrays.has(values_name); }

template <class T>
RowBlock<T> PointSet<T>::all_coordinates(const Communicator& communicator) const {
  require_room_for_coordinates(communicator, *this, static_cast<Index>(sizeof(T)));
  return collectively(communicator, [&] {
    RowBlock<T> all(partition_, communicator.rank(), dimension());
    for (Index i = range_.begin; i < range_.end; ++i) copy_point(i, all.row(i));
    return all;
  });
}

template <class T>
PointSet<T> with_all_coordinates(const Communicator& communicator, const PointSet<T>& points) {
  PointSet<T> all(points.all_coordinates(communicator), communicator.rank(), {});
  all.set_texts(texts_of(points));
  return all;
}

template <class T>
void note_all_coordinates(const Communicator& communicator, const PointSet<T>& points, const std::string& what) {
  say_all_coordinates(communicator, points, what, static_cast<Index>(sizeof(T)));
}

template <class T>
void announce_all_coordinates(const Communicator& communicator, const PointSet<T>& points, const std::string& what,
                              Index value_bytes) {
  require_room_for_coordinates(communicator, points, value_bytes);
  say_all_coordinates(communicator, points, what, value_bytes);
}

template <class T>
std::uint64_t digest_of_other_form(const Communicator& communicator, const PointSet<T>& points) {
  return data_digest(communicator, points, [&](Range rows) {
    std::vector<std::byte> bytes;
    if (!points.is_sparse()) {
      const MatrixView<const T> own = points.coordinates().local();
      for (Index i = rows.begin; i < rows.end; ++i) {
        const SparsePoints<T> point(MatrixView<const T>(own.row(i - points.range().begin), 1, own.columns));
        append_entries(point.row(0), bytes);
      }
      return bytes;
    }
    const auto width = static_cast<std::size_t>(points.dimension());
    Buffer<T> all(rows.size() * points.dimension());
    for (Index i = rows.begin; i < rows.end; ++i) {
      points.copy_point(i, all.span().subspan(static_cast<std::size_t>(i - rows.begin) * width, width));
    }
    const auto as_bytes = std::as_bytes(std::span<const T>(all.data(), static_cast<std::size_t>(all.size())));
    bytes.assign(as_bytes.begin(), as_bytes.end());
    return bytes;
  });
}

template <class T>
PointSet<T>::PointSet(RowBlock<T> coordinates, int rank, std::vector<std::string> labels)
    : ObjectSet(coordinates.partition(), rank, {.labels = std::move(labels)}), coordinates_(std::move(coordinates)) {}

template <class T>
PointSet<T>::PointSet(SparseRows<T> entries, int rank, std::vector<std::string> labels)
    : ObjectSet(entries.partition(), rank, {.labels = std::move(labels)}),
      sparse_(true),
      entries_(std::move(entries)) {}

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
        std::span(entries_.starts()).subspan(rows.begin - range_.begin, static_cast<std::size_t>(rows.size()) + 1);
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

// Two exchanges: the numbers that each rank requests from each other rank, then the coordinates in the order of the
// numbers.
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
    for (const Index id : ids) taken.take(left[partition_.owner(id)]);
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
#define CAIRN_INSTANTIATE(T)                                                                                  \
  template void PointSet<T>::copy_point(Index, std::span<float>) const;                                       \
  template void PointSet<T>::copy_point(Index, std::span<double>) const;                                      \
  template PointSet<T> with_all_coordinates(const Communicator&, const PointSet<T>&);                         \
  template void note_all_coordinates(const Communicator&, const PointSet<T>&, const std::string&);            \
  template void announce_all_coordinates(const Communicator&, const PointSet<T>&, const std::string&, Index); \
  template std::uint64_t digest_of_other_form(const Communicator&, const PointSet<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE
template std::unique_ptr<PointBlock<float>> make_point_block(std::vector<Index>, Index, std::span<const float>,
                                                             SetIdentity);
template std::unique_ptr<PointBlock<double>> make_point_block(std::vector<Index>, Index, std::span<const double>,
                                                              SetIdentity);

}  // namespace cairn

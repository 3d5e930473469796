#include "cairn/data/points/sparse_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/reading_room.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/points/all_coordinates.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Of the arrays of sparse points.
constexpr const char* starts_name = "starts";
constexpr const char* columns_name = "columns";
constexpr const char* values_name = "values";

// @throws Error(resource) if a node has no memory for all coordinates in numbers of so many bytes. Collective.
template <class T>
void require_room_for_coordinates(const Communicator& communicator, const PointSet<T>& points, Index value_bytes) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index own = points.range().size(), coordinate_bytes = std::max<Index>(1, own) * value_bytes;
  const Index bytes = points.dimension() > most / coordinate_bytes ? most : points.dimension() * coordinate_bytes;
  collectively(communicator, [&] {
    ReadingRoom::require(bytes, fmt::format("all {} coordinates of {} {}points take", grouped(points.dimension()),
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

}  // namespace

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

#define CAIRN_INSTANTIATE(T)                                                                                  \
  template void write_sparse_points(const SparsePoints<T>&, ArrayWriter&);                                    \
  template std::unique_ptr<const SparsePoints<T>> read_sparse_points<T>(const StoredObjects&);                \
  template RowBlock<T> PointSet<T>::all_coordinates(const Communicator&) const;                               \
  template PointSet<T> with_all_coordinates(const Communicator&, const PointSet<T>&);                         \
  template void note_all_coordinates(const Communicator&, const PointSet<T>&, const std::string&);            \
  template void announce_all_coordinates(const Communicator&, const PointSet<T>&, const std::string&, Index); \
  template std::uint64_t digest_of_other_form(const Communicator&, const PointSet<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

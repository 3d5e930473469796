// Sparse points as bytes and as arrays. Private to this folder.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/data/object_arrays.hpp"
#include "cairn/data/points/sparse_points.hpp"

namespace cairn {

/// One row as bytes: how many entries it has, their columns, their values.
template <class T>
void append_entries(const SparseRow<T>& row, std::vector<std::byte>& bytes) {
  const auto count = static_cast<Index>(row.columns.size());
  const auto append = [&](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  append(std::as_bytes(std::span(&count, 1)));
  append(std::as_bytes(row.columns));
  append(std::as_bytes(row.values));
}

/// Rows one after another, taken off what append_entries() has written.
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

/// As lists: starts, columns and values. One rank.
template <class T>
void write_sparse_points(const SparsePoints<T>& points, ArrayWriter& arrays);

/// What it has written. @throws Error(input) if that is not sound. Local.
template <class T>
[[nodiscard]] std::unique_ptr<const SparsePoints<T>> read_sparse_points(const StoredObjects& stored);

}  // namespace cairn

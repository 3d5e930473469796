#include "similarity/similarity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "similarity/vector_math.hpp"

namespace cairn {

namespace {

std::string object_name(Index id) {
  return id >= 0 ? fmt::format("object {}", id) : std::string("an object outside of the data set");
}

template <class T>
[[noreturn]] void throw_not_finite(const std::string& similarity, Index first, Index second, T value) {
  throw Error(ErrorKind::numeric,
              fmt::format("similarity {} of {} and {} (counted from 0) is {}; check the data for huge or missing "
                          "values and the parameters of [similarity]",
                          similarity, object_name(first), object_name(second), value));
}

}  // namespace

template <class T>
double Similarity<T>::cost(const ObjectSet& /*objects*/, Range rows) const {
  return static_cast<double>(rows.size());
}

template <class T>
void Similarity<T>::tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const {
  if (out.rows != rows.size() || out.columns != columns.size()) {
    throw Error(ErrorKind::internal, fmt::format("a tile of {} x {} values for {} x {} objects", out.rows, out.columns,
                                                 rows.size(), columns.size()));
  }
  if (rows.size() == 0 || columns.size() == 0) return;
  compute_tile(rows, columns, out);
  evaluations_.fetch_add(rows.size() * columns.size() * evaluations_per_entry(), std::memory_order_relaxed);
}

template <class T>
void Similarity<T>::pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const {
  const auto count = static_cast<Index>(out.size());
  if (first.size() != count || second.size() != count) {
    throw Error(ErrorKind::internal,
                fmt::format("{} values for pairs of {} and {} objects", count, first.size(), second.size()));
  }
  if (count == 0) return;
  compute_pairs(first, second, out);
  if (!vector_math::finite(out.data(), count)) {
    for (std::size_t a = 0; a < out.size(); ++a) {
      if (!std::isfinite(out[a])) throw_not_finite(name(), first.ids[a], second.ids[a], out[a]);
    }
  }
  evaluations_.fetch_add(count * evaluations_per_entry(), std::memory_order_relaxed);
}

template <class T>
void Similarity<T>::report_not_finite(Index row, std::span<const Index> columns, const T* values) const {
  for (std::size_t b = 0; b < columns.size(); ++b) {
    if (!std::isfinite(values[b])) throw_not_finite(name(), row, columns[b], values[b]);
  }
  throw Error(ErrorKind::internal, fmt::format("similarity {} reported finite values as not finite", name()));
}

template class Similarity<float>;
template class Similarity<double>;

}  // namespace cairn

#include "cairn/similarity/similarity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/vector_math.hpp"

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

template <class T>
void require_shape(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) {
  if (out.rows == rows.size() && out.columns == columns.size()) return;
  throw Error(ErrorKind::internal, fmt::format("a tile of {} x {} values for {} x {} objects", out.rows, out.columns,
                                               rows.size(), columns.size()));
}

template <class T>
void require_shape(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) {
  const auto count = static_cast<Index>(out.size());
  if (first.size() == count && second.size() == count) return;
  throw Error(ErrorKind::internal,
              fmt::format("{} values for pairs of {} and {} objects", count, first.size(), second.size()));
}

}  // namespace

template <class T>
Similarity<T>::Similarity(EntryTraits traits) : traits_(std::move(traits)), counts_(std::make_shared<Counts>()) {
  if constexpr (std::is_same_v<T, float>) traits_.rounds_to_single = true;
}

template <class T>
Similarity<T>::Similarity(EntryTraits traits, const Similarity& wrapped)
    : traits_(std::move(traits)), counts_(wrapped.counts_) {}

template <class T>
void Similarity<T>::require_finite(const ObjectBlock& first, const ObjectBlock& second,
                                   std::span<const T> values) const {
  if (vector_math::finite(values.data(), static_cast<Index>(values.size()))) return;
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (!std::isfinite(values[a])) throw_not_finite(traits_.name, first.ids[a], second.ids[a], values[a]);
  }
}

template <class T>
const BaseDistance<T>& Similarity<T>::base() const {
  if (const BaseDistance<T>* const distance = base_distance()) return *distance;
  throw Error(ErrorKind::internal, fmt::format("similarity {} is no function of a distance", traits_.name));
}

template <class T>
void Similarity<T>::tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const {
  require_shape(rows, columns, out);
  if (rows.size() == 0 || columns.size() == 0) return;
  compute_tile(rows, columns, out);
  count(rows.size() * columns.size());
}

template <class T>
void Similarity<T>::base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const {
  require_shape(rows, columns, out);
  if (rows.size() == 0 || columns.size() == 0) return;
  base().compute_base_tile(rows, columns, out);
  count(rows.size() * columns.size());
}

template <class T>
void Similarity<T>::pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const {
  require_shape(first, second, out);
  if (out.empty()) return;
  compute_pairs(first, second, out);
  require_finite(first, second, out);
  count(first.size());
}

template <class T>
void Similarity<T>::base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const {
  require_shape(first, second, out);
  if (out.empty()) return;
  base().compute_base_pairs(first, second, out);
  require_finite(first, second, out);
  count(first.size());
}

template <class T>
void Similarity<T>::report_not_finite(Index row, std::span<const Index> columns, const T* values) const {
  for (std::size_t b = 0; b < columns.size(); ++b) {
    if (!std::isfinite(values[b])) throw_not_finite(traits_.name, row, columns[b], values[b]);
  }
  throw Error(ErrorKind::internal, fmt::format("similarity {} reported finite values as not finite", traits_.name));
}

template class Similarity<float>;
template class Similarity<double>;

}  // namespace cairn

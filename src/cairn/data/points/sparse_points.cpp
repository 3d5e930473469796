#include "cairn/data/points/sparse_points.hpp"

#include <algorithm>
#include <utility>

namespace cairn {

template <class T>
EntriesByColumn<T>::EntriesByColumn(Index columns, std::span<const Index> starts, const Index* indices,
                                    const T* values) {
  const Index first = starts.front(), count = starts.back() - first;
  constexpr Index most_places = 4;  // per entry
  const bool by_name = columns / most_places > count;
  if (by_name) {
    named_.assign(indices + first, indices + starts.back());
    std::ranges::sort(named_);
    named_.erase(std::ranges::unique(named_).begin(), named_.end());
  }
  const auto place = [&](Index k) {
    return static_cast<std::size_t>(by_name ? std::ranges::lower_bound(named_, k) - named_.begin() : k);
  };
  std::vector<std::size_t> places(count);
  starts_.assign(by_name ? named_.size() + 1 : static_cast<std::size_t>(columns) + 1, 0);
  for (std::size_t e = 0; e < places.size(); ++e) {
    places[e] = place(indices[first + static_cast<Index>(e)]);
    ++starts_[places[e] + 1];
  }
  for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
  std::vector<Index> next(starts_.begin(), starts_.end() - 1);
  points_.resize(places.size());
  values_.resize(places.size());
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    for (Index e = starts[row]; e < starts[row + 1]; ++e) {
      const auto to = static_cast<std::size_t>(next[places[e - first]]++);
      points_[to] = static_cast<Index>(row);
      values_[to] = values[e];
    }
  }
}

template <class T>
typename EntriesByColumn<T>::Column EntriesByColumn<T>::column(Index k) const {
  auto at = static_cast<std::size_t>(k);
  if (starts_.size() == named_.size() + 1) {
    const auto found = std::ranges::lower_bound(named_, k);
    if (found == named_.end() || *found != k) return {};
    at = static_cast<std::size_t>(found - named_.begin());
  }
  const auto begin = static_cast<std::size_t>(starts_[at]), end = static_cast<std::size_t>(starts_[at + 1]);
  return {std::span(points_).subspan(begin, end - begin), std::span(values_).subspan(begin, end - begin)};
}

template <class T>
SparsePoints<T>::SparsePoints(MatrixView<const T> coordinates) : columns_(coordinates.columns) {
  own_starts_.push_back(0);
  for (Index i = 0; i < coordinates.rows; ++i) {
    for (Index k = 0; k < coordinates.columns; ++k) {
      const T value = coordinates(i, k);
      if (value == T(0)) continue;
      own_indices_.push_back(k);
      own_values_.push_back(value);
    }
    own_starts_.push_back(std::ssize(own_indices_));
  }
  starts_ = own_starts_;
  indices_ = own_indices_.data();
  values_ = own_values_.data();
}

template <class T>
const EntriesByColumn<T>& SparsePoints<T>::by_column() const {
  std::call_once(by_column_made_, [&] { by_column_.emplace(columns_, starts_, indices_, values_); });
  return *by_column_;
}

template <class T>
MatrixView<const T> SparsePoints<T>::dense() const {
  std::call_once(dense_made_, [&] {
    dense_ = Buffer<T>(rows() * columns_);
    for (Index i = 0; i < rows(); ++i) {
      spread(row(i), std::span<T>(dense_.data() + i * columns_, static_cast<std::size_t>(columns_)));
    }
  });
  return {dense_.data(), rows(), columns_};
}

bool sparse_enough(Index entries, Index points, Index dimension) {
  constexpr double most = 0.1;  // share of all coordinates
  constexpr Index few = 64;     // coordinates; up to here tiles by BLAS or panels are always faster
  return dimension > few &&
         static_cast<double>(entries) <= most * static_cast<double>(points) * static_cast<double>(dimension);
}

template class EntriesByColumn<float>;
template class EntriesByColumn<double>;
template class SparsePoints<float>;
template class SparsePoints<double>;

}  // namespace cairn

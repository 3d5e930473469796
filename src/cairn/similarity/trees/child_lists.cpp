#include "cairn/similarity/trees/child_lists.hpp"

#include <algorithm>

namespace cairn {

namespace {
constexpr std::int32_t none = -1;
}

ListComparison::ListComparison(double lambda, std::int32_t classes)
    : lambda_(lambda), first_(static_cast<std::size_t>(classes), none) {}

void ListComparison::set(std::span<const std::int32_t> classes, std::span<const double* const> deltas) {
  for (const std::int32_t c : marked_) first_[c] = none;
  marked_.clear();
  deltas_.assign(deltas.begin(), deltas.end());
  next_.assign(classes.size(), none);
  for (std::size_t k = classes.size(); k-- > 0;) {
    const std::int32_t c = classes[k];
    if (c < 0) continue;
    std::int32_t& first = first_[c];
    if (first == none) marked_.push_back(c);
    next_[k] = first;
    first = static_cast<std::int32_t>(k);
  }
}

double ListComparison::with(std::span<const ListedChild> list) {
  constexpr std::size_t few = 12;
  cells_.clear();
  std::int32_t j = 0;
  for (const ListedChild& child : list) {
    for (std::int32_t i = first_[child.of]; i != none; i = next_[i]) {
      const double delta = deltas_[i][child.member];
      if (delta == 0) continue;
      if (cells_.size() == few) return dense(list);
      cells_.push_back({i, j, delta});
    }
    ++j;
  }
  if (cells_.empty()) return 0.0;
  return cells_.size() == 1 ? cells_.front().delta : sparse();
}

double ListComparison::power(std::int32_t exponent) {
  while (std::ssize(powers_) <= exponent) powers_.push_back(powers_.back() * lambda_);
  return powers_[exponent];
}

// p of a cell is the sum over the cells before it in both lists.
double ListComparison::sparse() {
  sums_.clear();
  double total = 0;
  for (const Cell& cell : cells_) {
    double before = 1.0;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const Cell& other = cells_[k];
      if (other.j < cell.j && other.i < cell.i) before += sums_[k] * power(cell.i + cell.j - other.i - other.j - 2);
    }
    sums_.push_back(cell.delta * before);
    total += sums_.back();
  }
  return total;
}

// Computes p column by column and keeps two columns: the cells of all columns could be as many as pairs of children.
double ListComparison::dense(std::span<const ListedChild> list) {
  const std::size_t width = next_.size();
  while (first_[list.back().of] == none) list = list.first(list.size() - 1);
  before_.assign(width + 1, 0.0);
  column_.assign(width + 1, 0.0);
  double total = 0;
  for (const ListedChild& child : list) {
    std::fill(column_.begin(), column_.end(), 0.0);
    for (std::int32_t i = first_[child.of]; i != none; i = next_[i]) {
      const double delta = deltas_[i][child.member];
      if (delta == 0) continue;
      const auto place = static_cast<std::size_t>(i);
      column_[place + 1] = delta * (1.0 + before_[place]);
      total += column_[place + 1];
    }
    for (std::size_t i = 1; i <= width; ++i) {
      column_[i] += lambda_ * column_[i - 1] + lambda_ * before_[i] - lambda_ * lambda_ * before_[i - 1];
    }
    column_.swap(before_);
  }
  return total;
}

}  // namespace cairn

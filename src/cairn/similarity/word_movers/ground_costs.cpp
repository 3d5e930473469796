#include "cairn/similarity/word_movers/ground_costs.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

Range DocumentGroup::take(const WordVectors& vectors, const DocumentBlock& documents, Index begin, Index most_words,
                          std::span<std::int32_t> marks) {
  distinct_.clear();
  numbers_.clear();
  first_word_ = documents.starts[begin];
  Range taken{begin, begin};
  while (taken.end < documents.size()) {
    const std::size_t distinct_before = distinct_.size(), numbers_before = numbers_.size();
    const auto from = static_cast<std::size_t>(documents.starts[taken.end]);
    const auto to = static_cast<std::size_t>(documents.starts[static_cast<std::size_t>(taken.end) + 1]);
    for (const std::int32_t word : documents.words.subspan(from, to - from)) {
      std::int32_t& mark = marks[word];
      if (mark < 0) {
        mark = static_cast<std::int32_t>(distinct_.size());
        distinct_.push_back(word);
      }
      numbers_.push_back(mark);
    }
    if (!taken.empty() && static_cast<Index>(distinct_.size()) > most_words) {
      for (std::size_t w = distinct_before; w < distinct_.size(); ++w) {
        marks[distinct_[w]] = -1;
      }
      distinct_.resize(distinct_before);
      numbers_.resize(numbers_before);
      break;
    }
    ++taken.end;
  }
  for (const std::int32_t word : distinct_) marks[word] = -1;

  dimension_ = vectors.dimension();
  if (vectors_.size() < words() * dimension_) vectors_ = Buffer<double>(words() * dimension_);
  if (norms_.size() < words()) norms_ = Buffer<double>(words());
  for (Index w = 0; w < words(); ++w) {
    double* const to = vectors_.data() + w * dimension_;
    std::copy_n(vectors.vectors().row(distinct_[w]), dimension_, to);
    norms_[w] = vector_math::dot(to, to, dimension_);
  }
  return taken;
}

const std::int32_t* DocumentGroup::numbers(const DocumentBlock& documents, Index document) const {
  return numbers_.data() + (documents.starts[document] - first_word_);
}

void GroundCosts::compute(const DocumentGroup& rows, const DocumentGroup& columns) {
  const Index m = rows.words(), k = columns.words();
  if (room_.size() < m * k) room_ = Buffer<double>(m * k);
  costs_ = MatrixView<const double>(room_.data(), m, k);
  if (m == 0 || k == 0) return;
  multiply_add<double>(-2.0, rows.vectors(), transposed<double>(columns.vectors()), 0.0, {room_.data(), m, k});
  for (Index row = 0; row < m; ++row) finish_row(rows, columns, row);
}

// Turns -2 x.y into |x - y|. The error of the square is less than c eps (|x|^2 + |y|^2), c = 4
// (distance_similarities.cpp). If the square is at least `fraction` of that sum, the root has a relative error within
// 1.5e-13.
void GroundCosts::finish_row(const DocumentGroup& rows, const DocumentGroup& columns, Index row) {
  constexpr double fraction = 1.6e-3;
  const Index k = columns.words();
  const double norm = rows.norms()[row];
  double* const values = room_.data() + row * k;
  cancelled_.clear();
  if (vector_math::count_cancelled(norm, columns.norms(), values, fraction, k) > 0) {
    for (Index b = 0; b < k; ++b) {
      const double scale = norm + columns.norms()[b];
      if (scale + values[b] < fraction * scale) cancelled_.push_back(b);
    }
  }
  vector_math::distance(norm, columns.norms(), values, k);
  for (const Index b : cancelled_) {
    const MatrixView<const double> x = rows.vectors(), y = columns.vectors();
    values[b] = std::sqrt(vector_math::squared_distance(x.row(row), y.row(b), x.columns));
  }
}

}  // namespace cairn

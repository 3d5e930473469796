#include "cairn/similarity/word_movers/relaxed_bounds.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>

#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

using bound_kernels::lanes;

namespace {

constexpr Index round_up(Index size) { return (size + lanes - 1) / lanes * lanes; }

// Memory is kept for the next, smaller block.
void grow(Buffer<float>& buffer, Index size) {
  if (buffer.size() < size) buffer = Buffer<float>(size);
}

std::vector<float> narrow(const double* values, Index size) {
  std::vector<float> narrow(static_cast<std::size_t>(size));
  std::copy_n(values, size, narrow.data());
  return narrow;
}

// Calls work(begin, end) with parts of 0 .. size - 1.
template <class Work>
void in_parts(Index size, Index part, int threads, const Work& work) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (Index begin = 0; begin < size; begin += part) work(begin, std::min(begin + part, size));
}

}  // namespace

// A weight is the share of a word, less all later roundings: one for each word of the sum, and the error of the
// distance with which the bound is compared (1e-12, and 1e-13 of the largest distance of two words).
void RelaxedBounds::Texts::take(const DocumentGroup& group, const DocumentBlock& documents, Range taken) {
  constexpr double unit = 0x1p-24, slack = 0x1p-20;
  starts.assign(1, 0);
  words.clear();
  weights.clear();
  for (Index d = taken.begin; d < taken.end; ++d) {
    const Index from = documents.starts[d], size = documents.starts[static_cast<std::size_t>(d) + 1] - from;
    double total = 0.0;
    for (Index w = 0; w < size; ++w) total += static_cast<double>(documents.counts[from + w]);
    const double down = std::max(0.0, 1.0 - slack - 2.0 * unit * static_cast<double>(size + 8));
    const std::int32_t* const numbers = group.numbers(documents, d);
    words.insert(words.end(), numbers, numbers + size);
    for (Index w = 0; w < size; ++w) {
      weights.push_back(static_cast<float>(down * static_cast<double>(documents.counts[from + w]) / total));
    }
    starts.push_back(static_cast<Index>(words.size()));
  }
}

Range RelaxedBounds::take_queries(const DocumentBlock& documents, Index begin) {
  const WordVectors& vectors = *documents.vectors;
  if (static_cast<Index>(marks_.size()) < vectors.size()) marks_.resize(vectors.size(), -1);
  Range taken = query_group_.take(vectors, documents, begin, query_words, marks_);
  taken.end = std::min(taken.end, begin + queries);
  queries_.take(query_group_, documents, taken);
  stride_ = round_up(words());
  query_vectors_ = narrow(query_group_.vectors().data, words() * vectors.dimension());
  query_norms_ = narrow(query_group_.norms(), words());
  return taken;
}

Index RelaxedBounds::target_words(Index words) {
  return std::max<Index>(1, pairs_of_words / std::max(round_up(words), queries));
}

Range RelaxedBounds::take_targets(const DocumentBlock& documents, Index begin, Index most_words, int threads) {
  const WordVectors& vectors = *documents.vectors;
  const Range taken = target_group_.take(vectors, documents, begin, most_words, marks_);
  targets_.take(target_group_, documents, taken);
  target_vectors_ = narrow(target_group_.vectors().data, target_group_.words() * vectors.dimension());
  const BlasThreads one(1);
  compute_distances(threads);
  return taken;
}

// Of the calling thread.
std::vector<float>& RelaxedBounds::workspace(Index size) {
  std::vector<float>& own = workspaces_[static_cast<std::size_t>(omp_get_thread_num())];
  if (static_cast<Index>(own.size()) < size) own.resize(static_cast<std::size_t>(size));
  return own;
}

// The error of a product of n terms in any order is at most n u |x| |y|, u = 2^-24, and |x| |y| at most half of |x|² +
// |y|²; the product counts twice. 8 u more are for the norms, their sum and its share.
void RelaxedBounds::compute_distances(int threads) {
  const Index rows = target_group_.words(), columns = words(), dimension = target_group_.vectors().columns;
  grow(distances_, rows * stride_);
  grow(nearest_, groups() * rows * lanes);
  workspaces_.resize(std::max<std::size_t>(workspaces_.size(), static_cast<std::size_t>(threads)));
  const auto share = static_cast<float>(1.0 - 0x1p-24 * static_cast<double>(dimension + 8));
  const MatrixView<const float> right(query_vectors_.data(), columns, dimension);
  constexpr Index part = 64;
  in_parts(rows, part, threads, [&](Index begin, Index end) {
    const MatrixView<const float> left(target_vectors_.data() + begin * dimension, end - begin, dimension);
    float* const some = workspace(part * stride_).data();
    multiply_add<float>(-2.0F, left, transposed<float>(right), 0.0F, {some, end - begin, columns, stride_});
    for (Index v = begin; v < end; ++v) {
      float* const row = some + (v - begin) * stride_;
      const auto norm = static_cast<float>(target_group_.norms()[v]);
      bound_kernels::lower_distances(norm, query_norms_.data(), share, row, columns);
      std::fill(row + columns, row + stride_, std::numeric_limits<float>::max());
      take_nearest(v, row);
      for (Index u = 0; u < stride_; u += lanes) std::copy_n(row + u, lanes, distances_.data() + u * rows + v * lanes);
    }
  });
}

// nearest_[g][v][l] = min over the words of query 16 g + l of their distances to word v; 0 where there is no query.
void RelaxedBounds::take_nearest(Index word, const float* distances) {
  const Index count = std::ssize(queries_.starts) - 1, rows = target_group_.words();
  for (Index q = 0; q < groups() * lanes; ++q) {
    float least = q < count ? std::numeric_limits<float>::max() : 0.0F;
    const Index end = q < count ? queries_.starts[q + 1] : 0;
    for (Index w = q < count ? queries_.starts[q] : 0; w < end; ++w) {
      least = std::min(least, distances[queries_.words[w]]);
    }
    nearest_[(q / lanes * rows + word) * lanes + q % lanes] = least;
  }
}

Index RelaxedBounds::groups() const { return (std::ssize(queries_.starts) - 1 + lanes - 1) / lanes; }

void RelaxedBounds::prepare(Range targets, int threads) {
  prepared_ = targets;
  const Index count = std::ssize(queries_.starts) - 1, width = groups() * lanes, all = targets.size();
  grow(minima_, together * stride_);
  grow(others_, together * width);
  in_parts(stride_, lanes, threads, [&](Index begin, Index /*end*/) {
    float* const minima = workspace(together * lanes).data();
    bound_kernels::lane_minima(distances_.data() + begin * target_group_.words(),
                               targets_.starts.data() + targets.begin, targets_.words.data(), all, minima);
    for (Index t = 0; t < all; ++t) {
      float* const to = minima_.data() + (t / lanes * stride_ + begin) * lanes + t % lanes;
      for (Index l = 0; l < lanes; ++l) to[l * lanes] = minima[t * lanes + l];
    }
  });
  in_parts(all, lanes, threads, [&](Index begin, Index end) {
    float* const sums = workspace(count * lanes).data();
    bound_kernels::lane_sums(minima_.data() + begin * stride_, queries_.starts.data(), queries_.words.data(),
                             queries_.weights.data(), count, sums);
    for (Index t = begin; t < end; ++t) {
      float* const to = others_.data() + t * width;
      for (Index q = 0; q < count; ++q) to[q] = sums[q * lanes + t - begin];
      std::fill(to + count, to + width, 0.0F);
    }
  });
}

Index RelaxedBounds::near(Index group, const float* limits, float* bounds, std::int32_t* hits) const {
  const float* const table = nearest_.data() + group * target_group_.words() * lanes;
  bound_kernels::lane_sums(table, targets_.starts.data() + prepared_.begin, targets_.words.data(),
                           targets_.weights.data(), prepared_.size(), bounds);
  return bound_kernels::raise(bounds, others_.data() + group * lanes, groups() * lanes, limits, prepared_.size(), hits);
}

}  // namespace cairn

#include "cairn/approximation/column_sampling/landmark_block.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/mirror_images.hpp"

namespace cairn {

namespace {

// The first entry, in row-major order, that differs from its mirror image.
struct Difference {
  Index key = std::numeric_limits<Index>::max();
  double value = 0.0;
  double mirrored = 0.0;
};

}  // namespace

void require_mirror_image(const BlockCyclicMatrix& block, const BlockCyclicMatrix& mirrored,
                          std::span<const Index> rows, std::span<const Index> columns, bool single_precision,
                          const KeyNames& keys) {
  constexpr double roundings = 1000;  // tolerance for products of long vectors summed in a different order
  const MirrorRule rule(single_precision, largest_magnitude(block), roundings);
  Difference first;
  for (Index j = 0; j < block.local_columns(); ++j) {
    for (Index i = 0; i < block.local_rows(); ++i) {
      const double a = block.local(i, j), b = mirrored.local(i, j);
      if (rule.allows(a, b)) continue;
      const Index key = block.global_row(i) * block.columns() + block.global_column(j);
      if (key < first.key) first = {key, a, b};
    }
  }
  for (const Difference& found : block.grid().communicator().all_gather_one(first)) {
    if (found.key < first.key) first = found;
  }
  if (first.key == std::numeric_limits<Index>::max()) return;
  const Index i = rows[first.key / block.columns()];
  const Index j = columns[first.key % block.columns()];
  throw Error(ErrorKind::input,
              fmt::format("the similarity is not symmetric: K({}, {}) = {:.17g} but K({}, {}) = {:.17g}; average both "
                          "directions ({} = true) if that is what you want",
                          i, j, first.value, j, i, first.mirrored, keys("symmetrize")));
}

BlockCyclicMatrix mean_of(BlockCyclicMatrix block, const BlockCyclicMatrix& mirrored) {
  for (Index j = 0; j < block.local_columns(); ++j) {
    for (Index i = 0; i < block.local_rows(); ++i) {
      block.local(i, j) = 0.5 * (block.local(i, j) + mirrored.local(i, j));
    }
  }
  return block;
}

template <class Rows, class T>
BlockCyclicMatrix landmark_block(std::shared_ptr<const ProcessGrid> grid, const Rows& columns,
                                 std::span<const Index> indices, const Similarity<T>& similarity) {
  BlockCyclicMatrix block = select_rows(std::move(grid), columns, indices);
  const BlockCyclicMatrix mirrored = transpose(block);
  if (!similarity.traits().one_sided) {
    require_mirror_image(block, mirrored, indices, indices, similarity.traits().rounds_to_single, similarity.keys());
  }
  return mean_of(std::move(block), mirrored);
}

template <class T>
BlockCyclicMatrix intersection_block(std::shared_ptr<const ProcessGrid> grid, const TallMatrix<T>& first_columns,
                                     std::span<const Index> first, const TallMatrix<T>& second_columns,
                                     std::span<const Index> second, const Similarity<T>& similarity) {
  BlockCyclicMatrix block = select_rows(grid, first_columns, second);
  const BlockCyclicMatrix mirrored = transpose(select_rows(std::move(grid), second_columns, first));
  if (similarity.traits().one_sided) return mean_of(std::move(block), mirrored);
  require_mirror_image(block, mirrored, second, first, similarity.traits().rounds_to_single, similarity.keys());
  return block;
}

template BlockCyclicMatrix landmark_block(std::shared_ptr<const ProcessGrid>, const RowBlock<float>&,
                                          std::span<const Index>, const Similarity<float>&);
template BlockCyclicMatrix landmark_block(std::shared_ptr<const ProcessGrid>, const RowBlock<double>&,
                                          std::span<const Index>, const Similarity<double>&);
template BlockCyclicMatrix landmark_block(std::shared_ptr<const ProcessGrid>, const TallMatrix<float>&,
                                          std::span<const Index>, const Similarity<float>&);
template BlockCyclicMatrix landmark_block(std::shared_ptr<const ProcessGrid>, const TallMatrix<double>&,
                                          std::span<const Index>, const Similarity<double>&);
template BlockCyclicMatrix intersection_block(std::shared_ptr<const ProcessGrid>, const TallMatrix<float>&,
                                              std::span<const Index>, const TallMatrix<float>&, std::span<const Index>,
                                              const Similarity<float>&);
template BlockCyclicMatrix intersection_block(std::shared_ptr<const ProcessGrid>, const TallMatrix<double>&,
                                              std::span<const Index>, const TallMatrix<double>&, std::span<const Index>,
                                              const Similarity<double>&);

}  // namespace cairn

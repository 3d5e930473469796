#include "cairn/approximation/column_sampling/principal_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

Index width_of_strips(Index count, Index strips) { return std::max<Index>(1, (count + strips - 1) / strips); }

}  // namespace

Index entries_of_strips(Index count, Index strips) {
  const Index width = width_of_strips(count, strips);
  Index entries = 0;
  for (Index begin = 0; begin < count; begin += width) {
    entries += (count - begin) * std::min(width, count - begin);
  }
  return entries;
}

template <class T>
SampleBlock<T> evaluate_among(const Problem<T>& input, std::vector<Index> indices, Index strips) {
  const auto count = std::ssize(indices);
  const auto& similarity = input.similarity;
  SampleBlock<T> block{std::move(indices), count, {}};
  if (strips == 1 || similarity.distances() != nullptr) {  // which keeps whole blocks
    block.strips.push_back(evaluate_principal_submatrix(input.execution, similarity, input.objects, block.indices,
                                                        similarities_phase, "sample-beside"));
    return block;
  }
  block.width = width_of_strips(count, strips);
  const std::span<const Index> all(block.indices);
  const auto digest = static_cast<std::uint32_t>(hash_bytes(std::as_bytes(all), 3));  // a run may have several blocks
  for (Index begin = 0; begin < count; begin += block.width) {
    block.strips.push_back(evaluate_submatrix(input.execution, similarity, input.objects, all.subspan(begin),
                                              all.subspan(begin, std::min(block.width, count - begin)),
                                              similarities_phase,
                                              fmt::format("sample-beside-{}-{:08x}", begin, digest)));
  }
  return block;
}

template <class T>
SampleBlock<T> evaluate_beside(const Problem<T>& input, const std::vector<Index>& landmarks, Index count) {
  return evaluate_among(
      input,
      draw_beside(sampled_objects(input), landmarks, count, input.execution.seed, known_columns(input.similarity)), 1);
}

template <class T>
BlockCyclicMatrix principal_block(const Problem<T>& input, const TallMatrix<T>& columns,
                                  const std::vector<Index>& landmarks, const SampleBlock<T>& beside,
                                  const std::shared_ptr<const ProcessGrid>& grid) {
  const Communicator& communicator = input.execution.communicator;
  std::vector<Index> sample = landmarks;
  sample.insert(sample.end(), beside.indices.begin(), beside.indices.end());
  const auto s1 = std::ssize(landmarks), s2 = std::ssize(sample);
  const RowPartition partition(s2, communicator.size());
  const Range own = partition.range(communicator.rank());
  const Buffer<T> known =
      fetch_rows(communicator, columns, std::span<const Index>(sample).subspan(own.begin, own.size()));
  RowBlock<T> rows = collectively(communicator, [&] {
    RowBlock<T> values(partition, communicator.rank(), s2);
    for (Index r = own.begin; r < own.end; ++r) {
      T* const out = std::copy_n(known.data() + (r - own.begin) * columns.columns(), s1, values.row(r).data());
      std::fill_n(out, s2 - s1, T{0});  // what is not evaluated comes from the transpose
    }
    return values;
  });
  for (std::size_t k = 0; k < beside.strips.size(); ++k) {
    const RowBlock<T>& strip = beside.strips[k];
    const Index begin = s1 + static_cast<Index>(k) * beside.width;
    std::vector<Index> wanted;
    for (Index r = std::max(own.begin, begin); r < own.end; ++r) wanted.push_back(r - begin);
    const Buffer<T> evaluated = fetch_rows(communicator, strip, wanted);
    for (std::size_t a = 0; a < wanted.size(); ++a) {
      std::copy_n(evaluated.data() + static_cast<Index>(a) * strip.columns(), strip.columns(),
                  rows.row(begin + wanted[a]).data() + begin);
    }
  }
  BlockCyclicMatrix block = to_block_cyclic(grid, rows);
  const BlockCyclicMatrix mirrored = transpose(block);
  const auto strip_of = [&](Index place) { return place < s1 ? Index{-1} : (place - s1) / beside.width; };
  for (Index j = 0; j < block.local_columns(); ++j) {
    const Index strip = strip_of(block.global_column(j));
    for (Index i = 0; i < block.local_rows(); ++i) {
      if (strip_of(block.global_row(i)) < strip) block.local(i, j) = mirrored.local(i, j);
    }
  }
  const BlockCyclicMatrix whole_mirrored = transpose(block);
  if (input.similarity.traits().one_sided) return mean_of(std::move(block), whole_mirrored);
  require_mirror_image(block, whole_mirrored, sample, sample, input.similarity.traits().rounds_to_single,
                       input.similarity.keys());
  return block;
}

#define CAIRN_INSTANTIATE(T)                                                                                     \
  template SampleBlock<T> evaluate_among(const Problem<T>&, std::vector<Index>, Index);                          \
  template SampleBlock<T> evaluate_beside(const Problem<T>&, const std::vector<Index>&, Index);                  \
  template BlockCyclicMatrix principal_block(const Problem<T>&, const TallMatrix<T>&, const std::vector<Index>&, \
                                             const SampleBlock<T>&, const std::shared_ptr<const ProcessGrid>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

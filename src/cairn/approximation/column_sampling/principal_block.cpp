#include "cairn/approximation/column_sampling/principal_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
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
void add_to_block(const Problem<T>& input, std::span<const Index> more, SampleBlock<T>& block) {
  const auto held = std::ssize(block.indices);
  block.indices.insert(block.indices.end(), more.begin(), more.end());
  const auto count = std::ssize(block.indices);
  const Index width = width_of_strips(count, block_strips);
  for (Index begin = held, end = held; begin < count; begin = end) {
    end = std::min(count, begin + width);
    const auto rows = std::span<const Index>(block.indices).first(end);
    const auto digest = static_cast<std::uint32_t>(hash_bytes(std::as_bytes(rows), 3));  // a run may have several
    block.strips.push_back(evaluate_submatrix(input.execution, input.similarity, input.objects, rows,
                                              rows.subspan(begin), similarities_phase,
                                              fmt::format("sample-beside-{}-{:08x}", begin, digest)));
    block.ends.push_back(end);
  }
}

template <class T>
SampleBlock<T> evaluate_among(const Problem<T>& input, std::vector<Index> indices, Index strips) {
  const auto& similarity = input.similarity;
  SampleBlock<T> block;
  if (strips == 1 || similarity.distances() != nullptr) {  // which keeps whole blocks
    block.ends = {std::ssize(indices)};
    block.strips.push_back(evaluate_principal_submatrix(input.execution, similarity, input.objects, indices,
                                                        similarities_phase, "sample-beside"));
    block.indices = std::move(indices);
  } else {
    add_to_block(input, indices, block);
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
  const std::unordered_set<Index> chosen(landmarks.begin(), landmarks.end());
  std::vector<Index> sample = landmarks;
  std::vector<Index> places;  // in `beside`, of the further objects
  for (Index place = 0; place < std::ssize(beside.indices); ++place) {
    if (chosen.contains(beside.indices[place])) continue;
    places.push_back(place);
    sample.push_back(beside.indices[place]);
  }
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
  std::vector<Index> ends;  // of the strips, in the sample
  for (std::size_t k = 0; k < beside.strips.size(); ++k) {
    const RowBlock<T>& strip = beside.strips[k];
    const Index first = beside.ends[k] - strip.columns(), begin = ends.empty() ? s1 : ends.back();
    ends.push_back(s1 + (std::ranges::lower_bound(places, beside.ends[k]) - places.begin()));
    std::vector<Index> wanted;
    for (Index r = std::max(own.begin, s1); r < std::min(own.end, ends.back()); ++r) wanted.push_back(places[r - s1]);
    const Buffer<T> evaluated = fetch_rows(communicator, strip, wanted);
    for (std::size_t a = 0; a < wanted.size(); ++a) {
      const T* const entries = evaluated.data() + static_cast<Index>(a) * strip.columns();
      T* const row = rows.row(std::max(own.begin, s1) + static_cast<Index>(a)).data();
      for (Index j = begin; j < ends.back(); ++j) row[j] = entries[places[j - s1] - first];
    }
  }
  BlockCyclicMatrix block = to_block_cyclic(grid, rows);
  const BlockCyclicMatrix mirrored = transpose(block);
  // The end of the rows that are evaluated in this column.
  const auto end_of_rows = [&](Index column) { return *std::ranges::upper_bound(ends, column); };
  for (Index j = 0; j < block.local_columns(); ++j) {
    const Index column = block.global_column(j);
    if (column < s1) continue;
    const Index end = end_of_rows(column);
    for (Index i = 0; i < block.local_rows(); ++i) {
      const Index row = block.global_row(i);
      if (row < s1 || row >= end) block.local(i, j) = mirrored.local(i, j);
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
  template void add_to_block(const Problem<T>&, std::span<const Index>, SampleBlock<T>&);                        \
  template SampleBlock<T> evaluate_beside(const Problem<T>&, const std::vector<Index>&, Index);                  \
  template BlockCyclicMatrix principal_block(const Problem<T>&, const TallMatrix<T>&, const std::vector<Index>&, \
                                             const SampleBlock<T>&, const std::shared_ptr<const ProcessGrid>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

#include "cairn/data/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit changes every output bit with probability 1/2.
std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t start) {
  std::uint64_t state = mix_bits(start + bytes.size());
  for (std::size_t offset = 0; offset < bytes.size(); offset += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + offset, std::min(sizeof word, bytes.size() - offset));
    state = mix_bits(state ^ word) + 0x9e3779b97f4a7c15ULL;
  }
  return state;
}

std::uint64_t data_digest(const Communicator& communicator, const ObjectSet& objects) {
  return data_digest(communicator, objects, [&](Range rows) { return objects.pack(rows); });
}

std::uint64_t data_digest(const Communicator& communicator, const ObjectSet& objects,
                          const std::function<std::vector<std::byte>(Range)>& pack) {
  const Index unit = RowPartition::unit(objects.size());
  const Range own = objects.range();
  std::uint64_t sum = 0;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    sum += hash_bytes(pack({begin, std::min(begin + unit, own.end)}), static_cast<std::uint64_t>(begin / unit) + 1);
  }
  return mix_bits(communicator.sum(sum) + static_cast<std::uint64_t>(objects.size()));
}

// Each rank hashes its share of the words.
std::uint64_t data_digest(const Communicator& communicator, const DocumentSet& documents) {
  const std::uint64_t bags = data_digest(communicator, static_cast<const ObjectSet&>(documents));
  const WordVectors* vectors = documents.vectors();
  if (vectors == nullptr) return bags;
  const MatrixView<const float> values = vectors->vectors();
  const Range own = RowPartition(vectors->size(), communicator.size()).range(communicator.rank());
  std::uint64_t sum = 0;
  for (Index w = own.begin; w < own.end; ++w) {
    const std::uint64_t word =
        hash_bytes(std::as_bytes(std::span(vectors->word(w))), static_cast<std::uint64_t>(w) + 1);
    sum += hash_bytes(std::as_bytes(std::span(values.row(w), static_cast<std::size_t>(values.columns))), word);
  }
  return mix_bits(bags ^ (communicator.sum(sum) + static_cast<std::uint64_t>(vectors->size())));
}

std::uint64_t data_digest(const Communicator& communicator, const DenseMatrix& matrix) {
  constexpr std::uint64_t entries = 1000;
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  const std::uint64_t mine = collectively(communicator, [&] {
    std::uint64_t sum = 0;
    for (auto k = static_cast<std::uint64_t>(communicator.rank()); k < entries; k += ranks) {
      const auto row = static_cast<Index>(mix_bits(2 * k + 1) % static_cast<std::uint64_t>(matrix.rows()));
      const auto column = static_cast<Index>(mix_bits(2 * k + 2) % static_cast<std::uint64_t>(matrix.columns()));
      double value = 0;
      matrix.read(std::span(&row, 1), std::span(&column, 1), MatrixView<double>(&value, 1, 1));
      sum += mix_bits(mix_bits(k + 1) ^ std::bit_cast<std::uint64_t>(value));
    }
    return sum;
  });
  return mix_bits(communicator.sum(mine) + static_cast<std::uint64_t>(matrix.rows()));
}

std::uint64_t data_digest(const Communicator& communicator, const Graph& graph) {
  const Index unit = RowPartition::unit(graph.size());
  const Range own = graph.range();
  const auto start_of = [&](Index vertex) { return graph.starts()[static_cast<std::size_t>(vertex - own.begin)]; };
  std::uint64_t sum = 0;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    const Index end = std::min(begin + unit, own.end);
    std::vector<Index> counts;
    for (Index vertex = begin; vertex < end; ++vertex) counts.push_back(start_of(vertex + 1) - start_of(vertex));
    const auto first = static_cast<std::size_t>(start_of(begin));
    const auto arcs = static_cast<std::size_t>(start_of(end)) - first;
    std::uint64_t state = hash_bytes(std::as_bytes(std::span(counts)), static_cast<std::uint64_t>(begin / unit) + 1);
    state = hash_bytes(std::as_bytes(std::span(graph.neighbours()).subspan(first, arcs)), state);
    if (graph.weighted()) state = hash_bytes(std::as_bytes(std::span(graph.lengths()).subspan(first, arcs)), state);
    sum += state;
  }
  return mix_bits(communicator.sum(sum) + static_cast<std::uint64_t>(graph.size()));
}

}  // namespace cairn

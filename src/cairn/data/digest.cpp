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

}  // namespace cairn

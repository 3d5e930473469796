#include "cairn/base/random.hpp"

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <unordered_map>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

std::array<std::uint64_t, 4> philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t i, std::uint64_t j) {
  const r123::Philox4x64::ctr_type counter{{i, j, 0, 0}};
  const r123::Philox4x64::key_type key{{seed, stream}};
  const auto block = r123::Philox4x64{}(counter, key);
  return {block[0], block[1], block[2], block[3]};
}

double to_unit_interval(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

}  // namespace

std::array<std::uint64_t, 4> Random::block(std::uint64_t i, std::uint64_t j) const {
  return philox(seed_, stream_, i, j);
}

std::uint64_t Random::bits(std::uint64_t i, std::uint64_t j) const { return block(i, j)[0]; }

double Random::uniform(std::uint64_t i, std::uint64_t j) const { return to_unit_interval(bits(i, j)); }

Index Random::below(Index bound, std::uint64_t i, std::uint64_t j) const {
  __extension__ using Wide = unsigned __int128;  // multiply-high: Lemire 2019
  return static_cast<Index>(static_cast<Wide>(bits(i, j)) * static_cast<std::uint64_t>(bound) >> 64);
}

double Random::normal(std::uint64_t i, std::uint64_t j) const {
  const auto block = philox(seed_, stream_, i, j);
  const double radius = std::sqrt(-2.0 * std::log(1.0 - to_unit_interval(block[0])));
  return radius * std::cos(2.0 * std::numbers::pi * to_unit_interval(block[1]));
}

std::vector<Index> sample_without_replacement(Index population, Index count, const Random& random) {
  if (count < 0 || count > population) {
    throw Error(ErrorKind::usage,
                "cannot draw " + std::to_string(count) + " different items from " + std::to_string(population));
  }
  std::unordered_map<Index, Index> moved;  // position -> value, if they differ
  moved.reserve(count);
  const auto value_at = [&](Index position) {
    const auto found = moved.find(position);
    return found == moved.end() ? position : found->second;
  };
  std::vector<Index> sample;
  sample.reserve(count);
  for (Index i = 0; i < count; ++i) {
    const Index pick = i + random.below(population - i, static_cast<std::uint64_t>(i));
    sample.push_back(value_at(pick));
    moved[pick] = value_at(i);
  }
  return sample;
}

}  // namespace cairn

#include "cairn/data/points/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

constexpr Index components = 10;
constexpr std::uint64_t point_address = 0;                           // second address word of coordinates / 4
constexpr std::uint64_t component_address = std::uint64_t{1} << 62;  // second address word of components
constexpr std::uint64_t centre_address = std::uint64_t{1} << 63;     // first address word of centers

double to_unit_interval(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

std::array<double, 4> four_uniforms(const Random& random, std::uint64_t i, std::uint64_t block) {
  const auto words = random.block(i, block);
  return {to_unit_interval(words[0]), to_unit_interval(words[1]), to_unit_interval(words[2]),
          to_unit_interval(words[3])};
}

// Box-Muller on two pairs of uniforms.
std::array<double, 4> four_normals(const Random& random, std::uint64_t i, std::uint64_t block) {
  const auto u = four_uniforms(random, i, block);
  std::array<double, 4> normals{};
  for (std::size_t k = 0; k < 4; k += 2) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - u[k]));
    const double angle = 2.0 * std::numbers::pi * u[k + 1];
    normals[k] = radius * std::cos(angle);
    normals[k + 1] = radius * std::sin(angle);
  }
  return normals;
}

// Coordinates of point i, four per block.
template <class T, class Four>
void fill(std::span<T> point, const Random& random, std::uint64_t i, Four four) {
  for (std::size_t j = 0; j < point.size(); j += 4) {
    const auto values = four(random, i, point_address + j / 4);
    for (std::size_t k = 0; k < std::min<std::size_t>(4, point.size() - j); ++k)
      point[j + k] = static_cast<T>(values[k]);
  }
}

template <class T>
void fill_swiss_roll(std::span<T> point, const Random& random, std::uint64_t i) {
  const auto u = four_uniforms(random, i, point_address);
  const double t = 1.5 * std::numbers::pi * (1.0 + 2.0 * u[0]);
  point[0] = static_cast<T>(t * std::cos(t));
  point[1] = static_cast<T>(21.0 * u[1]);
  point[2] = static_cast<T>(t * std::sin(t));
}

std::vector<double> mixture_centres(const Random& random, Index dimension) {
  std::vector<double> centres(components * dimension);
  for (Index c = 0; c < components; ++c) {
    const std::span centre(centres.data() + c * dimension, static_cast<std::size_t>(dimension));
    fill(centre, random, centre_address + static_cast<std::uint64_t>(c), four_normals);
    for (double& x : centre) x *= 2.0;
  }
  return centres;
}

}  // namespace

Index generated_dimension(const std::string& kind, Index dimension, const KeyNames& keys) {
  if (kind != "gaussian-mixture" && kind != "swiss-roll" && kind != "uniform" && kind != "normal") {
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known; there are gaussian-mixture, swiss-roll, "
                                              "uniform and normal",
                                              keys("generate"), kind));
  }
  if (kind == "swiss-roll") {
    if (dimension != 0 && dimension != 3) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: a swiss roll has 3 coordinates, not {}", keys("dimension"), dimension));
    }
    return 3;
  }
  if (dimension < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} must be at least 1, not {}", keys("dimension"), dimension));
  }
  return dimension;
}

template <class T>
RowBlock<T> generate_points(const std::string& kind, const RowPartition& partition, int rank, Index dimension,
                            std::uint64_t seed, const KeyNames& keys) {
  const Index d = generated_dimension(kind, dimension, keys);
  if (partition.rows() < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} must be at least 1, not {}", keys("points"), partition.rows()));
  }
  const Random random(seed, Stream::generator);
  const bool mixture = kind == "gaussian-mixture";
  const std::vector<double> centres = mixture ? mixture_centres(random, d) : std::vector<double>{};
  RowBlock<T> points(partition, rank, d);
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    const auto address = static_cast<std::uint64_t>(i);
    const std::span<T> point = points.row(i);
    if (kind == "swiss-roll")
      fill_swiss_roll(point, random, address);
    else if (kind == "uniform")
      fill(point, random, address, four_uniforms);
    else
      fill(point, random, address, four_normals);
    if (!mixture) continue;
    const Index component = random.below(components, address, component_address);
    for (Index j = 0; j < d; ++j) {
      point[j] += static_cast<T>(centres[component * d + j]);
    }
  }
  return points;
}

template RowBlock<float> generate_points(const std::string&, const RowPartition&, int, Index, std::uint64_t,
                                         const KeyNames&);
template RowBlock<double> generate_points(const std::string&, const RowPartition&, int, Index, std::uint64_t,
                                          const KeyNames&);

}  // namespace cairn

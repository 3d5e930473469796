#include "cairn/approximation/random_features/degrees/complex_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "cairn/base/each_level.hpp"

namespace cairn {

namespace {

// x <- H x, H the Hadamard matrix of Sylvester, unscaled. @param order  a power of two
template <class T>
[[gnu::always_inline]] inline void transform_as(T* x, Index order) {
  for (Index half = 1; half < order; half *= 2) {
    for (Index begin = 0; begin < order; begin += 2 * half) {
      T* low = x + begin;
      T* high = low + half;
#pragma omp simd
      for (Index k = 0; k < half; ++k) {
        const T a = low[k], b = high[k];
        low[k] = a + b;
        high[k] = a - b;
      }
    }
  }
}
CAIRN_EACH_LEVEL void transform(double* x, Index order) { transform_as(x, order); }
CAIRN_EACH_LEVEL void transform(float* x, Index order) { transform_as(x, order); }

}  // namespace

Index ComplexSketch::order_for(Index dimension) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(std::max<Index>(1, dimension))));
}

Index ComplexSketch::blocks_for(Index dimension, Index columns) {
  const Index order = order_for(dimension);
  return (columns / 2 + order - 1) / order;
}

ComplexSketch::ComplexSketch(Index dimension, Index degree, Index columns, Draws draws)
    : DegreeFeatures(degree, dimension, columns), draws_(std::move(draws)) {}

template <class T>
void ComplexSketch::apply_as(MatrixView<const T> points, MatrixView<T> out) const {
  const Index order = order_for(dimension()), half = columns() / 2, blocks = blocks_for(dimension(), columns());
  const T scale = static_cast<T>(std::sqrt(1.0 / static_cast<double>(half)));
  Buffer<T> projected(2 * order);
  T* real = projected.data();
  T* imaginary = real + order;
  for (Index a = 0; a < points.rows; ++a) {
    const T* point = points.row(a);
    T* row = out.row(a);
    for (Index i = 0; i < degree(); ++i) {
      for (Index block = 0; block < blocks; ++block) {
        std::fill_n(real, 2 * order, T(0));
        const std::uint8_t* units = draws_.units.data() + (i * blocks + block) * dimension();
        for (Index k = 0; k < dimension(); ++k) {
          (units[k] % 2 == 0 ? real : imaginary)[k] = units[k] < 2 ? point[k] : -point[k];
        }
        transform(real, order);
        transform(imaginary, order);
        const std::int32_t* rows = draws_.rows.data() + i * half;
        for (Index k = block * order; k < std::min(half, (block + 1) * order); ++k) {
          const T x = real[rows[k]], y = imaginary[rows[k]];
          T& u = row[2 * k];
          T& v = row[2 * k + 1];
          if (i == 0) {
            u = scale * x;
            v = scale * y;
          } else {
            const T product = u * x - v * y;
            v = u * y + v * x;
            u = product;
          }
        }
      }
    }
  }
}

void ComplexSketch::apply(MatrixView<const float> points, MatrixView<float> out) const { apply_as(points, out); }
void ComplexSketch::apply(MatrixView<const double> points, MatrixView<double> out) const { apply_as(points, out); }

void ComplexSketch::write(ArrayWriter& arrays, const std::string& place) const {
  const std::vector<std::int32_t> units(draws_.units.begin(), draws_.units.end());
  arrays.write_list(place + "units", std::span<const std::int32_t>(units));
  arrays.write_list(place + "rows", std::span<const std::int32_t>(draws_.rows));
}

std::unique_ptr<DegreeFeatures> ComplexSketch::read(Index degree, Index dimension, Index columns,
                                                    const ArrayReader& arrays, const std::string& place) {
  const std::vector<std::int32_t> units = arrays.read_list<std::int32_t>(place + "units");
  Draws draws{{}, arrays.read_list<std::int32_t>(place + "rows")};
  const auto below = [](Index end) { return [end](std::int32_t value) { return value >= 0 && value < end; }; };
  const bool sound = columns % 2 == 0 && std::ssize(units) == degree * blocks_for(dimension, columns) * dimension &&
                     std::ssize(draws.rows) == degree * columns / 2 && std::ranges::all_of(units, below(4)) &&
                     std::ranges::all_of(draws.rows, below(order_for(dimension)));
  if (!sound) {
    arrays.refuse(fmt::format("{} and the rows beside it are not {} products of projections of {} coordinates",
                              arrays.called(place + "units"), columns, dimension));
  }
  draws.units.assign(units.begin(), units.end());
  return std::make_unique<ComplexSketch>(dimension, degree, columns, std::move(draws));
}

// Rows without replacement in each block, so that columns of a block are as little alike as they can be.
std::unique_ptr<DegreeFeatures> draw_complex_sketch(Index dimension, Index degree, Index columns, const Random& random,
                                                    Index first) {
  const Index order = ComplexSketch::order_for(dimension), blocks = ComplexSketch::blocks_for(dimension, columns);
  ComplexSketch::Draws draws;
  for (Index i = 0; i < degree; ++i) {
    const auto hash = static_cast<std::uint64_t>(first + i);
    for (Index k = 0; k < blocks * dimension; ++k) {
      draws.units.push_back(static_cast<std::uint8_t>(random.bits(hash, static_cast<std::uint64_t>(2 * k)) & 3U));
    }
    for (Index block = 0; block < blocks; ++block) {
      const Index count = std::min(order, columns / 2 - block * order);
      const std::uint64_t seed = random.bits(hash, static_cast<std::uint64_t>(2 * block + 1));
      for (const Index row : sample_without_replacement(order, count, Random(seed, Stream::landmarks))) {
        draws.rows.push_back(static_cast<std::int32_t>(row));
      }
    }
  }
  return std::make_unique<ComplexSketch>(dimension, degree, columns, std::move(draws));
}

}  // namespace cairn

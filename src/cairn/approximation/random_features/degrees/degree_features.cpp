#include "cairn/approximation/random_features/degrees/degree_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/random_features/degrees/tensor_sketch.hpp"
#include "cairn/approximation/random_features/degrees/tree_sketch.hpp"
#include "cairn/base/each_level.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

// Products of random projections in complex numbers.

// Columns 2 k and 2 k + 1 are the real and the imaginary part of √(2/m) prod_i (w_ik · x), w_ik row rows[i, k] of a
// Hadamard matrix times a diagonal of random units 1, -1, i, -i: as many blocks of both as the columns require.
class ComplexSketch final : public DegreeFeatures {
 public:
  static constexpr const char* name = "complex";

  struct Draws {
    std::vector<std::uint8_t> units;  ///< degree x blocks x dimension: w = i^unit
    std::vector<std::int32_t> rows;   ///< degree x columns / 2: row of the Hadamard matrix of the column's block
  };

  /// @param columns  even
  ComplexSketch(Index dimension, Index degree, Index columns, Draws draws);
  [[nodiscard]] static std::unique_ptr<DegreeFeatures> read(Index degree, Index dimension, Index columns,
                                                            const ArrayReader& arrays, const std::string& place);

  /// Number of rows of the Hadamard matrix: the smallest power of two that is not below the dimension.
  [[nodiscard]] static Index order_for(Index dimension);
  /// Number of blocks for this number of columns.
  [[nodiscard]] static Index blocks_for(Index dimension, Index columns);

  [[nodiscard]] std::string kind() const override { return name; }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override;
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  void write(ArrayWriter& arrays, const std::string& place) const override;

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const;

  Draws draws_;
};

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

}  // namespace

// Rows are drawn without replacement in each block, so that columns of a block have as little in common as possible.
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

namespace {

class Monomials final : public DegreeFeatures {
 public:
  static constexpr const char* name = "monomials";

  Monomials(Index dimension, Index degree, std::vector<std::int32_t> factors)
      : DegreeFeatures(degree, dimension, std::ssize(factors) / degree), factors_(std::move(factors)) {
    const auto size = static_cast<std::size_t>(degree);
    for (std::size_t first = 0; first < factors_.size(); first += size) {
      weights_.push_back(std::sqrt(count_orders(std::span(factors_).subspan(first, size))));
    }
  }
  [[nodiscard]] std::string kind() const override { return name; }
  void write(ArrayWriter& arrays, const std::string& place) const override {
    arrays.write_list(place + "factors", std::span<const std::int32_t>(factors_));
  }

  void apply(MatrixView<const float> points, MatrixView<float> out) const override { apply_as(points, out); }
  void apply(MatrixView<const double> points, MatrixView<double> out) const override { apply_as(points, out); }

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const {
    const auto degree = static_cast<std::size_t>(this->degree());
    for (Index a = 0; a < points.rows; ++a) {
      const T* point = points.row(a);
      T* row = out.row(a);
      const std::int32_t* factor = factors_.data();
      for (std::size_t c = 0; c < weights_.size(); ++c) {
        T product = static_cast<T>(weights_[c]);
        for (std::size_t k = 0; k < degree; ++k) product *= point[*factor++];
        row[c] = product;
      }
    }
  }

  std::vector<std::int32_t> factors_;  // coordinates, `degree` per monomial
  std::vector<double> weights_;
};

class Projection final : public DegreeFeatures {
 public:
  static constexpr const char* name = "projection";

  Projection(Index dimension, Buffer<double> basis)
      : DegreeFeatures(1, dimension, basis.size() / dimension), basis_(std::move(basis)), single_(basis_.size()) {
    std::copy_n(basis_.data(), basis_.size(), single_.data());
  }
  [[nodiscard]] std::string kind() const override { return name; }
  void write(ArrayWriter& arrays, const std::string& place) const override {
    arrays.write_matrix(place + "basis", MatrixView<const double>(basis_.data(), dimension(), columns()));
  }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override {
    multiply<float>(points, {single_.data(), dimension(), columns()}, out);
  }
  void apply(MatrixView<const double> points, MatrixView<double> out) const override {
    multiply<double>(points, {basis_.data(), dimension(), columns()}, out);
  }

 private:
  Buffer<double> basis_;
  Buffer<float> single_;  // basis_ in single precision
};

}  // namespace

Index count_monomials(Index dimension, Index degree) {
  Index count = 1;
  for (Index k = 1; k <= degree; ++k) {
    count = count * (dimension + k - 1) / k;  // C(dimension + k - 1, k): an integer
    if (count > most_monomials) return most_monomials + 1;
  }
  return count;
}

double count_orders(std::span<const std::int32_t> factors) {
  double orders = 1;  // degree! / (repeats of each factor)!
  for (std::size_t k = 0, same = 0; k < factors.size(); ++k) {
    same = k > 0 && factors[k] == factors[k - 1] ? same + 1 : 1;
    orders *= static_cast<double>(k + 1) / static_cast<double>(same);
  }
  return orders;
}

std::unique_ptr<DegreeFeatures> make_monomials(Index dimension, Index degree) {
  const auto size = static_cast<std::size_t>(degree);
  std::vector<std::int32_t> factors, own(size, 0);
  for (bool more = dimension > 0; more;) {
    factors.insert(factors.end(), own.begin(), own.end());
    std::size_t at = size;  // the last factor that can grow
    while (at > 0 && own[at - 1] == dimension - 1) --at;
    more = at > 0;
    if (more) std::fill(own.begin() + static_cast<std::ptrdiff_t>(at - 1), own.end(), own[at - 1] + 1);
  }
  return std::make_unique<Monomials>(dimension, degree, std::move(factors));
}

std::unique_ptr<DegreeFeatures> make_monomials(Index dimension, Index degree, std::vector<std::int32_t> factors) {
  return std::make_unique<Monomials>(dimension, degree, std::move(factors));
}

std::unique_ptr<DegreeFeatures> make_projection(Index dimension, Buffer<double> basis) {
  return std::make_unique<Projection>(dimension, std::move(basis));
}

std::unique_ptr<DegreeFeatures> draw_tensor_sketch(Index dimension, Index degree, Index columns, const Random& random,
                                                   Index first) {
  SketchHashes hashes;
  for (Index k = 0; k < degree; ++k) {
    draw_hash(hashes, dimension, columns, random, static_cast<std::uint64_t>(first + k));
  }
  return std::make_unique<TensorSketch>(dimension, degree, columns, std::move(hashes));
}

std::unique_ptr<DegreeFeatures> draw_tree_sketch(Index dimension, Index degree, Index columns, const Random& random,
                                                 Index first) {
  SketchHashes leaves, nodes;
  for (Index k = 0; k < tree_hashes(degree); ++k) {
    const auto hash = static_cast<std::uint64_t>(first + k);
    k < degree ? draw_hash(leaves, dimension, columns, random, hash) : draw_hash(nodes, columns, columns, random, hash);
  }
  return std::make_unique<TreeSketch>(dimension, degree, columns, std::move(leaves), std::move(nodes));
}

bool is_smooth(Index length) {
  for (const Index prime : {2, 3, 5, 7}) {
    while (length % prime == 0) length /= prime;
  }
  return length == 1;
}

std::unique_ptr<DegreeFeatures> read_degree_features(const std::string& kind, Index degree, Index dimension,
                                                     Index columns, const ArrayReader& arrays,
                                                     const std::string& place) {
  if (kind == Monomials::name) {
    std::vector<std::int32_t> factors = arrays.read_list<std::int32_t>(place + "factors");
    const auto in_range = [&](std::int32_t factor) { return factor >= 0 && factor < dimension; };
    if (std::ssize(factors) != degree * columns || !std::ranges::all_of(factors, in_range)) {
      arrays.refuse(fmt::format("{} does not hold {} products of {} of {} coordinates",
                                arrays.called(place + "factors"), columns, degree, dimension));
    }
    return make_monomials(dimension, degree, std::move(factors));
  }
  if (kind == Projection::name && degree == 1) {
    const ArrayShape expected{ArrayNumber::float64, dimension, columns};
    if (arrays.shape(place + "basis") != expected) {
      arrays.refuse(fmt::format("{} is not {} x {}", arrays.called(place + "basis"), dimension, columns));
    }
    Buffer<double> basis(dimension * columns);
    arrays.read(place + "basis", basis.data());
    return make_projection(dimension, std::move(basis));
  }
  if (kind == TreeSketch::name) return TreeSketch::read(degree, dimension, columns, arrays, place);
  if (kind == ComplexSketch::name) return ComplexSketch::read(degree, dimension, columns, arrays, place);
  if (kind != TensorSketch::name) {
    arrays.refuse(fmt::format("{} says that {} columns of degree {} are of the kind '{}'", arrays.called(""), columns,
                              degree, kind));
  }
  return TensorSketch::read(degree, dimension, columns, arrays, place);
}

}  // namespace cairn

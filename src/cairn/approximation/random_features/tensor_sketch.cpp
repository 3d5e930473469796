#include "cairn/approximation/random_features/tensor_sketch.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <mutex>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

// x times y in place of x, as pairs of real and imaginary parts.
void multiply(std::complex<double>* x, const std::complex<double>* y, Index count) {
  auto* a = reinterpret_cast<double*>(x);
  const auto* b = reinterpret_cast<const double*>(y);
  for (Index k = 0; k < 2 * count; k += 2) {
    const double real = a[k] * b[k] - a[k + 1] * b[k + 1], imaginary = a[k] * b[k + 1] + a[k + 1] * b[k];
    a[k] = real;
    a[k + 1] = imaginary;
  }
}

std::mutex& planner() {  // FFTW makes plans on one thread at a time
  static std::mutex mutex;
  return mutex;
}

}  // namespace

// Of real rows of one length: to length / 2 + 1 complex numbers and back, unscaled.
class TensorSketch::Transforms {
 public:
  using Complex = std::complex<double>;

  explicit Transforms(Index length) : complex_length_(length / 2 + 1) {
    const int n = to_library_int(length, "columns of a sketch");
    Buffer<double> real(length);
    Buffer<Complex> half(complex_length_);
    const std::lock_guard lock(planner());
    // The result does not depend on the alignment of rows.
    constexpr unsigned options = FFTW_ESTIMATE | FFTW_UNALIGNED;
    forward_ = fftw_plan_dft_r2c_1d(n, real.data(), raw(half.data()), options);
    backward_ = fftw_plan_dft_c2r_1d(n, raw(half.data()), real.data(), options | FFTW_DESTROY_INPUT);
    if (forward_ == nullptr || backward_ == nullptr) {
      throw Error(ErrorKind::internal, fmt::format("FFTW has no transform of length {}", length));
    }
  }
  ~Transforms() {
    const std::lock_guard lock(planner());
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
  }
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  [[nodiscard]] Index complex_length() const { return complex_length_; }
  void forward(double* row, Complex* out) const { fftw_execute_dft_r2c(forward_, row, raw(out)); }
  // Destroys its input.
  void backward(Complex* row, double* out) const { fftw_execute_dft_c2r(backward_, raw(row), out); }

 private:
  static fftw_complex* raw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

  Index complex_length_;
  fftw_plan forward_ = nullptr, backward_ = nullptr;
};

TensorSketch::TensorSketch(Index dimension, Index degree, Index columns, Hashes hashes)
    : DegreeFeatures(degree, dimension, columns),
      hashes_(std::move(hashes)),
      transforms_(degree > 1 ? std::make_unique<Transforms>(columns) : nullptr) {}

TensorSketch::~TensorSketch() = default;

void TensorSketch::count(const double* point, Index hash, double* out) const {
  std::fill_n(out, columns(), 0.0);
  const auto begin = static_cast<std::size_t>(hash * dimension());
  const std::int32_t* places = hashes_.places.data() + begin;
  const float* signs = hashes_.signs.data() + begin;
  for (Index i = 0; i < dimension(); ++i) out[places[i]] += static_cast<double>(signs[i]) * point[i];
}

void TensorSketch::apply(MatrixView<const double> points, MatrixView<double> out) const {
  if (!transforms_) {
    for (Index a = 0; a < points.rows; ++a) count(points.row(a), 0, out.row(a));
    return;
  }
  Buffer<double> real(columns());
  Buffer<Transforms::Complex> product(transforms_->complex_length()), factor(transforms_->complex_length());
  const double scale = 1.0 / static_cast<double>(columns());  // of the way back
  for (Index a = 0; a < points.rows; ++a) {
    for (Index hash = 0; hash < degree(); ++hash) {
      count(points.row(a), hash, real.data());
      transforms_->forward(real.data(), hash == 0 ? product.data() : factor.data());
      if (hash == 0) continue;
      multiply(product.data(), factor.data(), product.size());
    }
    double* const row = out.row(a);
    transforms_->backward(product.data(), row);
    for (Index k = 0; k < columns(); ++k) row[k] *= scale;
  }
}

void TensorSketch::write(ArrayWriter& arrays, const std::string& place) const {
  arrays.write_list(place + "places", std::span<const std::int32_t>(hashes_.places));
  arrays.write_list(place + "signs", std::span<const float>(hashes_.signs));
}

std::unique_ptr<DegreeFeatures> TensorSketch::read(Index degree, Index dimension, Index columns,
                                                   const ArrayReader& arrays, const std::string& place) {
  Hashes hashes{arrays.read_list<std::int32_t>(place + "places"), arrays.read_list<float>(place + "signs")};
  const auto in_range = [&](std::int32_t column) { return column >= 0 && column < columns; };
  const bool sound = std::ssize(hashes.places) == degree * dimension && hashes.signs.size() == hashes.places.size() &&
                     std::ranges::all_of(hashes.places, in_range) &&
                     std::ranges::all_of(hashes.signs, [](float sign) { return sign == 1.0F || sign == -1.0F; });
  if (!sound) {
    arrays.refuse(fmt::format("{} and the signs beside it are not {} hashes of {} coordinates to {} columns",
                              arrays.called(place + "places"), degree, dimension, columns));
  }
  return std::make_unique<TensorSketch>(dimension, degree, columns, std::move(hashes));
}

}  // namespace cairn

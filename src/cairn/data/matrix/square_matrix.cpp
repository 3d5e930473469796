#include "cairn/data/matrix/square_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"

namespace cairn {

namespace {

// Entry (i, j) is in the file if i < j, or else at the position of (j, i): for a lower triangle at (larger, smaller),
// for a condensed matrix at its number among the entries above the diagonal.
class MirroredMatrix final : public DenseMatrix {
 public:
  MirroredMatrix(std::shared_ptr<const DenseMatrix> file, Index size, Triangle triangle, bool condensed)
      : DenseMatrix(file->path(), size, size, file->dataset()),
        file_(std::move(file)),
        triangle_(triangle),
        condensed_(condensed) {}

  // First reads the entries that are in the file's row of i, then for each j those in the row of j.
  void read(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out) const override {
    for (std::size_t a = 0; a < rows.size(); ++a) {
      take(rows[a], columns,
           [&](std::size_t b, double value) { out(static_cast<Index>(a), static_cast<Index>(b)) = value; });
    }
    for (std::size_t b = 0; b < columns.size(); ++b) {
      take(columns[b], rows,
           [&](std::size_t a, double value) { out(static_cast<Index>(a), static_cast<Index>(b)) = value; });
    }
  }

 private:
  // Calls put(position in `others`, value) for the entries of row i that are themselves in the file.
  template <class Put>
  void take(Index i, std::span<const Index> others, const Put& put) const {
    std::vector<std::size_t> places;
    std::vector<Index> numbers;
    for (std::size_t p = 0; p < others.size(); ++p) {
      const Index j = others[p];
      if (j == i && condensed_) put(p, 0.0);
      if (triangle_ == Triangle::lower ? j > i : j < i || (j == i && condensed_)) continue;
      places.push_back(p);
      numbers.push_back(condensed_ ? i * rows_ - i * (i + 1) / 2 + j - i - 1 : j);
    }
    if (places.empty()) return;
    Buffer<double> values(std::ssize(numbers));
    if (condensed_) {
      constexpr Index first = 0;
      const bool down = file_->columns() == 1;
      const MatrixView<double> view = down ? MatrixView<double>(values.data(), std::ssize(numbers), 1)
                                           : MatrixView<double>(values.data(), 1, std::ssize(numbers));
      if (down) {
        file_->read(numbers, {&first, 1}, view);
      } else {
        file_->read({&first, 1}, numbers, view);
      }
    } else {
      file_->read({&i, 1}, numbers, MatrixView<double>(values.data(), 1, std::ssize(numbers)));
    }
    for (std::size_t k = 0; k < places.size(); ++k) put(places[k], values.data()[k]);
  }

  std::shared_ptr<const DenseMatrix> file_;
  Triangle triangle_;
  bool condensed_;
};

// n with n (n - 1) / 2 = count, or 0.
Index size_of_condensed(Index count) {
  const auto n = static_cast<Index>(std::llround((1 + std::sqrt(1 + 8 * static_cast<double>(count))) / 2));
  const Index pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  return n >= 3 && pairs == count ? n : 0;
}

}  // namespace

Parameter triangle_parameter() {
  return {.name = "triangle",
          .value = "TRIANGLE",
          .type = ValueType::choice,
          .help =
              "Read the upper or the lower triangle alone, with the diagonal, and take the other one for its mirror "
              "image; by default both are read, and must agree.",
          .choices = {"upper", "lower"}};
}

Triangle triangle_of(const Values& values) {
  const std::string& text = values.text("triangle");
  return text.empty() ? Triangle::both : text == "upper" ? Triangle::upper : Triangle::lower;
}

SquareMatrix open_square_matrix(const std::string& path, const std::string& format, const std::string& dataset,
                                Triangle triangle, const KeyNames& keys) {
  auto file = DenseMatrix::open(path, format, dataset, keys);
  const Index rows = file->rows(), columns = file->columns();
  SquareMatrix square{.matrix = file, .shape = fmt::format("{} x {}", rows, columns)};
  const Index condensed = rows == 1 || columns == 1 ? size_of_condensed(rows * columns) : 0;
  if (triangle != Triangle::both && (condensed > 0 || rows != columns)) {
    throw Error(ErrorKind::input, fmt::format("{} is {}: {} has an effect only for a square matrix", path, square.shape,
                                              keys("triangle")));
  }
  if (condensed > 0) {
    square.matrix = std::make_shared<MirroredMatrix>(std::move(file), condensed, Triangle::upper, true);
  } else if (triangle != Triangle::both) {
    square.matrix = std::make_shared<MirroredMatrix>(std::move(file), rows, triangle, false);
  }
  square.condensed = condensed > 0;
  square.mirrored = square.condensed || triangle != Triangle::both;
  return square;
}

Triangle MatrixSample::only_triangle() const {
  const Index enough = std::clamp<Index>(pairs / 4, 1, 10);
  if (below == 0 && above >= enough) return Triangle::upper;
  return above == 0 && below >= enough ? Triangle::lower : Triangle::both;
}

MatrixSample sample_of(const DenseMatrix& matrix) {
  constexpr Index most = 64;
  const Index count = std::min(matrix.rows(), most);
  std::vector<Index> ids(count);
  for (Index k = 0; k < count; ++k) ids[k] = k * matrix.rows() / count;
  Buffer<double> values(count * count);
  matrix.read(ids, ids, MatrixView<double>(values.data(), count, count));
  MatrixSample sample{.pairs = count * (count - 1) / 2};
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const double value = values[a * count + b];
      sample.largest = std::max(sample.largest, std::abs(value));
      if (value == 0.0 || a == b) continue;
      ++(a < b ? sample.above : sample.below);
    }
  }
  return sample;
}

}  // namespace cairn

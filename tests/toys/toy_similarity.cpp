// A similarity of a program that uses the library: one file, and one line that puts it in the table.
#include <fmt/format.h>

#include <cmath>

#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/points/gram_similarity.hpp"

namespace cairn {
namespace {

// 1 / (1 + |x - y|² / width²).
template <class T>
class Cauchy final : public Similarity<T> {
 public:
  Cauchy(Index dimension, double width) : Similarity<T>({.name = "toy-cauchy"}), dimension_(dimension), width_(width) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"toy-width", fmt::format("{:.17g}", width_)}};
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    const auto x = points_of<T>(rows, dimension_).coordinates, y = points_of<T>(columns, dimension_).coordinates;
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = value(x.row(a), y.row(b));
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const auto x = points_of<T>(first, dimension_).coordinates, y = points_of<T>(second, dimension_).coordinates;
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a] = value(x.row(static_cast<Index>(a)), y.row(static_cast<Index>(a)));
    }
  }

 private:
  template <class Row>
  [[nodiscard]] T value(const Row& x, const Row& y) const {
    double squares = 0;
    for (Index k = 0; k < dimension_; ++k) {
      const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
      squares += difference * difference;
    }
    return static_cast<T>(1 / (1 + squares / (width_ * width_)));
  }

  Index dimension_;
  double width_;
};

template <class T>
std::unique_ptr<Similarity<T>> make(const SimilarityInput<T>& input) {
  return std::make_unique<Cauchy<T>>(points_in(input).dimension(), input.choice.values.number("toy-width"));
}

const SimilarityDescriptor& toy_similarity() {
  static const SimilarityDescriptor similarity{.name = "toy-cauchy",
                                               .summary = "A toy: 1 / (1 + |x - y|² / width²).",
                                               .parameters = {{.name = "toy-width",
                                                               .value = "NUMBER",
                                                               .type = ValueType::number,
                                                               .fallback = "1",
                                                               .help = "The width, above 0.",
                                                               .above = 0}},
                                               .objects = {objects::points},
                                               .traits = {.definite = true, .whole_rows = true, .part = true},
                                               .make_single = make<float>,
                                               .make_double = make<double>};
  return similarity;
}

[[maybe_unused]] const bool added = (add_similarity(toy_similarity()), true);

}  // namespace
}  // namespace cairn

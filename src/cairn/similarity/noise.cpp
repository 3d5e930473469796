// Symmetric random matrices, for tests of robustness.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/numbered_similarities.hpp"

namespace cairn {

namespace {

template <class T>
class Noise final : public Similarity<T> {
 public:
  Noise(std::uint64_t seed, double mean, double sigma, double sigma_diagonal)
      : Similarity<T>({.name = "noise", .defined_for_unseen = false}),
        seed_(seed),
        random_(seed, Stream::noise),
        mean_(mean),
        sigma_(sigma),
        sigma_diagonal_(sigma_diagonal) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"seed", fmt::format("{}", seed_)},
            {"mean", fmt::format("{:.17g}", mean_)},
            {"sigma", fmt::format("{:.17g}", sigma_)},
            {"sigma-diagonal", fmt::format("{:.17g}", sigma_diagonal_)}};
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = entry(rows.ids[a], columns.ids[b]);
      }
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = entry(first.ids[a], second.ids[a]);
  }

 private:
  [[nodiscard]] T entry(Index i, Index j) const {
    if (i < 0 || j < 0) throw Error(ErrorKind::usage, "noise is not defined for out-of-sample objects");
    const auto low = static_cast<std::uint64_t>(std::min(i, j));
    const auto high = static_cast<std::uint64_t>(std::max(i, j));
    return static_cast<T>(mean_ + (i == j ? sigma_diagonal_ : sigma_) * random_.normal(low, high));
  }

  std::uint64_t seed_;
  Random random_;
  double mean_;
  double sigma_;
  double sigma_diagonal_;
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_noise(std::uint64_t seed, double sigma, double sigma_diagonal, double mean) {
  return std::make_unique<Noise<T>>(seed, mean, sigma, sigma_diagonal);
}

template std::unique_ptr<Similarity<float>> make_noise<float>(std::uint64_t, double, double, double);
template std::unique_ptr<Similarity<double>> make_noise<double>(std::uint64_t, double, double, double);

namespace {

template <class T>
std::unique_ptr<Similarity<T>> noise_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  const double sigma = values.number("sigma");
  const auto seed = values.given("seed") ? static_cast<std::uint64_t>(values.integer("seed")) : input.execution.seed;
  return make_noise<T>(seed, sigma, values.number_or("sigma-diagonal", sigma * std::numbers::sqrt2),
                       values.number("mean"));
}

}  // namespace

const SimilarityDescriptor& noise_similarity() {
  using enum ValueType;
  static const SimilarityDescriptor similarity{
      .name = "noise",
      .summary =
          "A symmetric matrix of normal random numbers, to be added to another similarity (sum), or multiplied with it "
          "(product, mean = 1).",
      .parameters =
          {{.name = "mean", .value = "NUMBER", .type = number, .fallback = "0", .help = "The mean of each entry."},
           {.name = "sigma",
            .value = "NUMBER",
            .type = number,
            .fallback = "1",
            .help = "The standard deviation off the diagonal.",
            .lowest = 0},
           {.name = "sigma-diagonal",
            .value = "NUMBER",
            .type = number,
            .help = "The standard deviation on the diagonal; by default sigma times the square root of 2.",
            .lowest = 0},
           {.name = "seed", .value = "N", .type = integer, .help = "Its seed; by default run.seed.", .lowest = 0}},
      .objects = {objects::points, objects::documents, objects::mesh_vertices, objects::matrix_rows, objects::numbers},
      .traits = {.part = true},
      .make_single = noise_of<float>,
      .make_double = noise_of<double>};
  return similarity;
}

}  // namespace cairn

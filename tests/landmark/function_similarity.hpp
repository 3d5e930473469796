// A similarity given by a function of two object numbers, so that a test knows every entry of K.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "cairn/base/random.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn::test {

using EntryFunction = std::function<double(Index, Index)>;

template <class T>
class FunctionSimilarity final : public Similarity<T> {
 public:
  explicit FunctionSimilarity(EntryFunction entry, Meaning meaning = Meaning::similarity)
      : Similarity<T>({.name = "function", .meaning = meaning}), entry_(std::move(entry)) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }
  [[nodiscard]] double entry(Index i, Index j) const { return entry_(i, j); }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    for (Index a = 0; a < rows.size(); ++a)
      for (Index b = 0; b < columns.size(); ++b) out(a, b) = static_cast<T>(entry_(rows.ids[a], columns.ids[b]));
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = static_cast<T>(entry_(first.ids[a], second.ids[a]));
  }

 private:
  EntryFunction entry_;
};

/// Points in `dimension` coordinates, the same on every rank: object i is standard normal around a centre of its
/// cluster; cluster sizes fall by half. One cluster: standard normal around 0.
class TestPoints {
 public:
  TestPoints(Index n, Index dimension, Index clusters = 1, double spread = 1.0) : dimension_(dimension) {
    const Random random(7, Stream::test);
    for (Index i = 0; i < n; ++i) {
      Index cluster = 0;
      for (Index first = 0, size = (n + 1) / 2; cluster + 1 < clusters && i >= first + size; ++cluster) {
        first += size;
        size = (n - first + 1) / 2;
      }
      for (Index c = 0; c < dimension; ++c) {
        const double centre =
            clusters == 1 ? 0.0 : 10.0 * random.normal(static_cast<std::uint64_t>(1'000'000 + cluster), address(c));
        values_.push_back(centre + spread * random.normal(address(i), address(c)));
      }
    }
  }

  [[nodiscard]] double dot(Index i, Index j) const {
    double sum = 0.0;
    for (Index c = 0; c < dimension_; ++c) sum += at(i, c) * at(j, c);
    return sum;
  }
  [[nodiscard]] double squared_distance(Index i, Index j) const {
    double sum = 0.0;
    for (Index c = 0; c < dimension_; ++c) sum += (at(i, c) - at(j, c)) * (at(i, c) - at(j, c));
    return sum;
  }

 private:
  static std::uint64_t address(Index i) { return static_cast<std::uint64_t>(i); }
  [[nodiscard]] double at(Index i, Index c) const { return values_[i * dimension_ + c]; }

  Index dimension_;
  std::vector<double> values_;
};

inline EntryFunction rbf(const TestPoints& points, double gamma) {
  return [points, gamma](Index i, Index j) { return std::exp(-gamma * points.squared_distance(i, j)); };
}

}  // namespace cairn::test

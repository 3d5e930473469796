#include "cairn/run/planning/landmark_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

constexpr Index sampled_objects_of_plan = 2000, sampled_objects_of_program = 300, samples = 3;

// K among m objects, which every rank holds.
template <class T>
class SampledEntries final : public Similarity<T> {
 public:
  SampledEntries(EntryTraits traits, Index size, std::vector<T> values)
      : Similarity<T>(std::move(traits)), size_(size), values_(std::move(values)) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }
  [[nodiscard]] double at(Index i, Index j) const { return static_cast<double>(values_[i * size_ + j]); }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    for (Index a = 0; a < rows.size(); ++a) {
      for (Index b = 0; b < columns.size(); ++b) out(a, b) = values_[rows.ids[a] * size_ + columns.ids[b]];
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = values_[first.ids[a] * size_ + second.ids[a]];
  }

 private:
  Index size_;
  std::vector<T> values_;
};

template <class T>
double error_on(const Execution& execution, const Approximation<T>& approximation, const SampledEntries<T>& entries) {
  std::vector<Index> all(static_cast<std::size_t>(approximation.left.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const RowBlock<double> approximate = approximate_columns(execution, approximation, all);
  double sums[] = {0.0, 0.0};
  for (Index i = approximate.range().begin; i < approximate.range().end; ++i) {
    for (const Index j : all) {
      const double exact = entries.at(i, j), error = approximate.row(i)[j] - exact;
      sums[0] += error * error;
      sums[1] += exact * exact;
    }
  }
  execution.communicator.sum(std::span<double>(sums));
  return sums[1] > 0.0 ? std::sqrt(sums[0] / sums[1]) : 0.0;
}

// The number of landmarks for one sample; `beyond` is set if half of the sample does not suffice.
template <class T>
Index landmarks_of_sample(const Execution& execution, const ExactMatrix<T>& exact, const MethodChoice& method,
                          const std::vector<Index>& sample, bool& beyond) {
  const Communicator& communicator = execution.communicator;
  const Index m = std::ssize(sample), n = exact.objects->size();
  const RowBlock<T> rows = evaluate_principal_submatrix(execution, *exact.entries, *exact.objects, sample,
                                                        "similarities", "landmark-forecast");
  const MatrixView<const T> own = rows.local();
  EntryTraits traits = exact.entries->traits();
  traits.base.clear();
  traits.one_sided = false;
  // The block of geodesics has both directions, which differ.
  std::vector<T> values = communicator.all_gather(std::span<const T>(own.data, static_cast<std::size_t>(own.rows * m)));
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < i; ++j) values[i * m + j] = values[j * m + i] = (values[i * m + j] + values[j * m + i]) / 2;
  }
  const SampledEntries<T> entries(std::move(traits), m, std::move(values));
  const NumberedObjects objects(RowPartition(m, communicator.size()), communicator.rank());
  const Values plain(method.selection().parameters);  // without a split: the sample has none
  const auto growth =
      growth_of<T>(method.selection(),
                   {.execution = execution, .objects = objects, .entries = entries, .count = 0, .values = plain});
  const double goal = error_goal(method)->error;
  const Index most = m < n ? std::max<Index>(1, m / 2) : m;
  for (Index count = std::min(first_grown_landmarks, most);;) {
    const bool known = !growth->grow(count);
    const Index s = growth->count();
    Approximation<T> approximation = approximate(
        nystrom_method(),
        Problem<T>{.execution = execution,
                   .similarity = entries,
                   .objects = objects,
                   .landmarks = growth->take(),
                   .parameters = values_for_goal(method, exact.traits, n, s, m).with("embedding", "false")});
    const auto left = [&](Index of) { return of == s ? 1.0 : 1.0 - static_cast<double>(s) / static_cast<double>(of); };
    const double error = error_on(execution, approximation, entries) * left(n) / left(m);
    if (error <= goal || known) return s;
    if (s == most) {
      beyond = m < n;
      return s;
    }
    growth->give_back(std::move(approximation.left.dense()));
    count = std::min(most, next_landmarks(s, error, goal));
  }
}

}  // namespace

template <class T>
LandmarkForecast forecast_landmarks(const Execution& execution, const ExactMatrix<T>& exact,
                                    const MethodChoice& method) {
  const Index n = exact.objects->size();
  LandmarkForecast forecast;
  forecast.sample_size = std::min(n, exact.traits.runs_program ? sampled_objects_of_program : sampled_objects_of_plan);
  forecast.samples = forecast.sample_size < n ? samples : 1;
  forecast.ignores_split = method.landmarks.given(landmark_split().name);
  const Index before = exact.evaluations();
  std::vector<Index> counts;
  for (Index k = 0; k < forecast.samples; ++k) {
    Execution other = execution;
    other.seed = execution.seed + static_cast<std::uint64_t>(k);
    const std::vector<Index> sample =
        sample_without_replacement(n, forecast.sample_size, Random(other.seed, Stream::evaluation_rows));
    counts.push_back(landmarks_of_sample(other, exact, method, sample, forecast.beyond));
  }
  std::ranges::sort(counts);
  forecast.least = counts.front();
  forecast.expected = counts[counts.size() / 2];
  forecast.most = counts.back();
  forecast.evaluations = execution.communicator.sum(exact.evaluations() - before);
  return forecast;
}

template LandmarkForecast forecast_landmarks(const Execution&, const ExactMatrix<float>&, const MethodChoice&);
template LandmarkForecast forecast_landmarks(const Execution&, const ExactMatrix<double>&, const MethodChoice&);

}  // namespace cairn

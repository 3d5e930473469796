#include "cairn/task/classification/classification_score.hpp"

#include <cmath>
#include <numeric>

#include "cairn/task/classification/classes.hpp"

namespace cairn {

Index Confusion::rows() const { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

double Confusion::accuracy() const {
  Index right = 0;
  for (Index c = 0; c < classes; ++c) right += at(c, c);
  const Index all = rows();
  return all > 0 ? static_cast<double>(right) / static_cast<double>(all) : 0.0;
}

namespace {

// Number of rows with true class c plus number of rows with predicted class c.
Index occurrences(const Confusion& confusion, Index c) {
  Index sum = 0;
  for (Index other = 0; other < confusion.classes; ++other) sum += confusion.at(c, other) + confusion.at(other, c);
  return sum;
}

}  // namespace

std::vector<double> Confusion::f1() const {
  std::vector<double> values;
  for (Index c = 0; c < classes; ++c) {
    const Index all = occurrences(*this, c);
    values.push_back(all > 0 ? 2.0 * static_cast<double>(at(c, c)) / static_cast<double>(all) : 0.0);
  }
  return values;
}

double Confusion::macro_f1() const {
  const std::vector<double> each = f1();
  Index present = 0;
  for (Index c = 0; c < classes; ++c) present += occurrences(*this, c) > 0 ? 1 : 0;
  return present > 0 ? std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(present) : 0.0;
}

Confusion confusion_of(const Communicator& communicator, Index classes, std::span<const std::int32_t> truth,
                       std::span<const std::int32_t> predicted) {
  Confusion confusion(classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != no_class) ++confusion.at(truth[i], predicted[i]);
  }
  communicator.sum(std::span(confusion.counts));
  return confusion;
}

MeanAndDeviation mean_and_deviation(std::span<const double> values) {
  MeanAndDeviation result;
  if (values.empty()) return result;
  const auto count = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(squares / (count - 1.0));
  return result;
}

}  // namespace cairn

#include "cairn/task/classification/linear_classifier.hpp"

#include <algorithm>

#include "cairn/task/regression/kernel_ridge.hpp"

namespace cairn {

namespace {

std::vector<double> votes_of(const std::vector<double>& values, std::size_t classes) {
  const std::size_t rows = values.size() / pairs_of(classes);
  std::vector<double> votes(rows * classes, 0.0);
  auto value = values.begin();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = a + 1; b < classes; ++b) votes[row * classes + (*value++ > 0 ? a : b)] += 1;
    }
  }
  return votes;
}

}  // namespace

template <class T>
std::vector<double> class_scores(const Execution& execution, const Factor<T>& left, const LinearClassifier& classifier,
                                 std::span<const Index> rows) {
  // Planes have many more values than votes, so rows are processed in blocks.
  constexpr std::size_t rows_at_once = 4096;
  const std::size_t planes = classifier.planes();
  std::vector<double> scores;
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_at_once) {
    const auto block = rows.subspan(begin, std::min(rows_at_once, rows.size() - begin));
    std::vector<double> values = predict(execution, left, classifier.coefficients, static_cast<Index>(planes), block);
    for (std::size_t at = 0; at < values.size(); ++at) values[at] += classifier.intercepts[at % planes];
    if (classifier.pairs) values = votes_of(values, classifier.classes.size());
    scores.insert(scores.end(), values.begin(), values.end());
  }
  return scores;
}

template std::vector<double> class_scores(const Execution&, const Factor<float>&, const LinearClassifier&,
                                          std::span<const Index>);
template std::vector<double> class_scores(const Execution&, const Factor<double>&, const LinearClassifier&,
                                          std::span<const Index>);

std::vector<std::int32_t> largest_classes(const LinearClassifier& classifier, std::span<const double> scores) {
  const std::size_t count = classifier.classes.size();
  std::vector<std::int32_t> result;
  for (std::size_t begin = 0; begin < scores.size(); begin += count) {
    const std::span<const double> row = scores.subspan(begin, count);
    result.push_back(classifier.classes[std::max_element(row.begin(), row.end()) - row.begin()]);
  }
  return result;
}

}  // namespace cairn

#include "cairn/task/classification/linear_classifier.hpp"

#include <algorithm>

#include "cairn/task/regression/kernel_ridge.hpp"

namespace cairn {

template <class T>
std::vector<double> class_scores(const Execution& execution, const Factor<T>& left, const LinearClassifier& classifier,
                                 std::span<const Index> rows) {
  const std::size_t count = classifier.classes.size();
  std::vector<double> scores = predict(execution, left, classifier.coefficients, static_cast<Index>(count), rows);
  for (std::size_t at = 0; at < scores.size(); ++at) scores[at] += classifier.intercepts[at % count];
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
    result.push_back(
        classifier.classes[static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin())]);
  }
  return result;
}

}  // namespace cairn

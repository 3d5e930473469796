// Linear functions of an object's features for each class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/schedule/execution.hpp"

namespace cairn {

/// Planes x · column + intercept. Either one per class, whose values are the scores of the classes; or one for each
/// pair of classes a < b, in the order (0, 1), (0, 2), ..., (1, 2), ..., which votes for a if its value is above 0,
/// else for b, and the votes are the scores. The class with the largest score is predicted, the first of equal ones.
struct LinearClassifier {
  std::vector<std::int32_t> classes;  ///< classes that occurred in training, ascending
  Index columns = 0;
  std::vector<double> coefficients;  ///< columns x planes, row-major
  std::vector<double> intercepts;    ///< one per plane
  Index stopped = 0;                 ///< number of planes whose training stopped early
  bool pairs = false;                ///< each plane separates two classes

  [[nodiscard]] std::size_t planes() const { return intercepts.size(); }
};

/// Number of pairs of `classes` classes. Local.
[[nodiscard]] constexpr std::size_t pairs_of(std::size_t classes) { return classes * (classes - 1) / 2; }

/// Scores of own rows (global numbers): rows x classes, row-major. Local.
template <class T>
[[nodiscard]] std::vector<double> class_scores(const Execution& execution, const Factor<T>& left,
                                               const LinearClassifier& classifier, std::span<const Index> rows);
/// The class with the largest score for each row. Local.
[[nodiscard]] std::vector<std::int32_t> largest_classes(const LinearClassifier& classifier,
                                                        std::span<const double> scores);

}  // namespace cairn

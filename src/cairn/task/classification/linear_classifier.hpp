// A linear function of an object's features for each class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/execution.hpp"

namespace cairn {

/// score(x, class) = x · column of the class + its intercept; the class with the largest score is predicted, the first
/// of equal ones.
struct LinearClassifier {
  std::vector<std::int32_t> classes;  ///< those that occurred in training, ascending
  Index columns = 0;
  std::vector<double> coefficients;  ///< columns x classes.size(), row-major
  std::vector<double> intercepts;    ///< one a class
  Index stopped = 0;                 ///< planes whose training stopped early
};

/// Scores of own rows (global numbers): rows x classes, row-major. Local.
template <class T>
[[nodiscard]] std::vector<double> class_scores(const Execution& execution, const Factor<T>& left,
                                               const LinearClassifier& classifier, std::span<const Index> rows);
/// The class of each row with the largest score. Local.
[[nodiscard]] std::vector<std::int32_t> largest_classes(const LinearClassifier& classifier,
                                                        std::span<const double> scores);

}  // namespace cairn

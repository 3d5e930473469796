// What the tasks that train support vector machines are asked for.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/task/classification/linear_svm.hpp"

namespace cairn::app {

/// The Cs to choose from, ascending. @throws Error(usage) if one is not a number above 0, or a duplicate. Local.
[[nodiscard]] std::vector<double> costs_of(const Settings& settings);

[[nodiscard]] SvmOptions svm_options(const Settings& settings);

/// True where something is to be chosen, or --folds asks for the score of the one candidate. Local.
[[nodiscard]] bool wants_validation(const Settings& settings, std::size_t candidates);

/// Sentences on labels of tested rows that no training row has, and the other way round. @param sizes  rows of each
/// label that are trained on @param tested  the same that are tested. Local.
[[nodiscard]] std::vector<std::string> label_notices(const std::vector<std::string>& labels,
                                                     const std::vector<Index>& sizes, const std::vector<Index>& tested);

}  // namespace cairn::app

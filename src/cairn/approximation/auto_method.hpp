// Choosing among the family by what it does to the data at hand.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/method.hpp"

namespace cairn {

/// Tries nystrom (default tolerance; tolerance 1e-3; positive part), sms-nystrom, sicur and stacur, each within the
/// same budget of evaluations (parameters.budget; 0: n * landmarks), compares them on a validation probe
/// (Stream::validation_probe, which no other estimate uses; ValidationColumns where K comes by source), and returns the
/// one with the smallest error; ties (see smallest_error) go to the first in this list. The report says what was tried,
/// with which error.
///
/// All share K S, s = budget / n columns: nystrom and stacur use it whole, sicur takes S2 = S and the first half as S1,
/// sms-nystrom takes the first s' columns with n s' + s'² = budget, and s'² evaluations more. What is evaluated in all
/// is therefore n s + s'² and the probe. Every candidate is tried as K S J (K S)ᵀ with its own J, so that no second
/// tall block exists before the choice is made. Collective.
/// @throws Error as approximate(); a candidate whose joining matrix fails is left out and named
template <class T>
[[nodiscard]] Approximation<T> choose_method(Problem<T> input);

[[nodiscard]] const MethodDescriptor& auto_method();

/// The position of the smallest error, or of the first one that rounding cannot tell from it: within 1e-9 of its value,
/// or within 1e-12, as errors relative to |K| are not known better. Sums over ranks round differently with their
/// number; the choice must not. Nothing if no candidate has an error. Local.
[[nodiscard]] std::optional<std::size_t> smallest_error(const std::vector<std::optional<double>>& errors);

}  // namespace cairn

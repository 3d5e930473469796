// Chooses among the methods of the Nystrom and CUR family by their errors on the data.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/method.hpp"

namespace cairn {

/// Tries nystrom (default tolerance; tolerance 1e-3; positive part), sms-nystrom, sicur and stacur, each within the
/// same budget of evaluations (parameters.budget; 0: n * landmarks), compares them on a validation probe
/// (Stream::validation_probe, which no other estimate uses; ValidationColumns where K is a row oracle), and returns the
/// one with the smallest error; ties (see smallest_error) go to the first in this list. The report lists the candidates
/// with their errors.
///
/// All share K S, s = budget / n columns: nystrom and stacur use all of it, sicur takes S2 = S and the first half as
/// S1, sms-nystrom takes the first s' columns with n s' + s'² = budget, and s'² more evaluations. The total is
/// therefore n s + s'² evaluations and the probe. Every candidate is tried as K S J (K S)ᵀ with its own J, so that no
/// second tall block exists before the choice is made. Collective.
/// @throws Error as approximate(); a candidate whose core matrix fails is skipped and named
template <class T>
[[nodiscard]] Approximation<T> choose_method(Problem<T> input);

[[nodiscard]] const MethodDescriptor& auto_method();

/// The position of the smallest error, or of the first one that equals it up to rounding: within 1e-9 of its value, or
/// within 1e-12, because errors relative to |K| are not known more accurately. Sums over ranks round differently with
/// the number of ranks; the choice must not depend on it. Empty if no candidate has an error. Local.
[[nodiscard]] std::optional<std::size_t> smallest_error(const std::vector<std::optional<double>>& errors);

}  // namespace cairn

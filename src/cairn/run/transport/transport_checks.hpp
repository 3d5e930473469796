// What a transport refuses before it is computed and after. Private to this folder.
#pragma once

#include <span>
#include <string>

#include "cairn/parameters/values.hpp"
#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// @param weights  of this rank's `rows`, or none on any rank: all are equal @param file  that they were read from, or
/// nothing
/// @throws Error(input) for weights that are negative, not finite, or all 0; the same on every rank. Collective.
void require_weights(const Communicator& communicator, std::span<const double> weights, const std::string& file,
                     const Range& rows, Side side);

/// Marginals under the kernel itself that are off by more are a warning, by weights that sum to 1.
inline constexpr double warned_violation = 0.01;
/// Marginals under any kernel that are off by more are an error: at 2 no mass is where it should be.
inline constexpr double refused_violation = 1.0;

/// @param values  of transport_parameters(): a tolerance above refused_violation takes its place
/// @param what  "under the kernel itself the marginals" @param remedy  what to do
/// @throws Error(numeric) if the marginals of a side are off by more, or by what is no number. Local.
void require_marginals(const Values& values, const std::string& what, double source, double target,
                       const std::string& remedy);

}  // namespace cairn

// A plan for people: rows of tables, and lines below them.
#pragma once

#include <string>
#include <vector>

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// "Plan for 2 ranks: 1,000 objects, 50 landmarks" and an empty line. Local, as all of these.
[[nodiscard]] std::string plan_heading(const PlanInput& input);
/// With a heading and a last row of the sum.
[[nodiscard]] std::vector<std::vector<std::string>> memory_rows(const Plan& plan);
[[nodiscard]] std::vector<std::vector<std::string>> seconds_rows(const std::vector<PlanPhase>& phases);

/// Evaluations, and bytes of the file. @param what  of the file's bytes; empty: nothing
[[nodiscard]] std::string size_notes(const PlanInput& input, const Plan& plan, const std::string& what = {});
/// These and what the seconds are made from. @param assumed  beside the disk; empty: nothing
[[nodiscard]] std::string rate_notes(const PlanInput& input, const Plan& plan, const PlanRates& rates,
                                     const std::string& assumed);
/// The same of biharmonic interpolation. @param compressed  W is
[[nodiscard]] std::string interpolation_notes(const PlanInput& input, const Plan& plan, bool compressed);

}  // namespace cairn

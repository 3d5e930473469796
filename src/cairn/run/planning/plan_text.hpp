// A plan for people: table rows, and lines below them.
#pragma once

#include <string>
#include <vector>

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// "Plan for 2 ranks: 1,000 objects, 50 landmarks" and an empty line. Local, as all functions here.
[[nodiscard]] std::string plan_heading(const PlanInput& input);
/// Rows with a heading and a last row for the sum.
[[nodiscard]] std::vector<std::vector<std::string>> memory_rows(const Plan& plan);
[[nodiscard]] std::vector<std::vector<std::string>> seconds_rows(const std::vector<PlanPhase>& phases);

/// Evaluations, and bytes of the file. @param what  remark on the bytes; may be empty
[[nodiscard]] std::string size_notes(const PlanInput& input, const Plan& plan, const std::string& what = {});
/// These and the rates behind the seconds. @param assumed  assumptions besides the disk; may be empty
[[nodiscard]] std::string rate_notes(const PlanInput& input, const Plan& plan, const PlanRates& rates,
                                     const std::string& assumed);
/// The same for biharmonic interpolation. @param compressed  true if W is compressed
[[nodiscard]] std::string interpolation_notes(const PlanInput& input, const Plan& plan, bool compressed);

}  // namespace cairn

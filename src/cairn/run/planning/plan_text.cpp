#include "cairn/run/planning/plan_text.hpp"

#include <fmt/format.h>

#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

std::string bytes_text(Index bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string evaluations_text(const PlanInput& input, const Plan& plan) {
  const double share = static_cast<double>(plan.evaluations) / static_cast<double>(input.data.objects) /
                       static_cast<double>(input.data.columns());
  return fmt::format("  evaluations    {} ({:.3g} % of the matrix) and {}{} for the error\n", grouped(plan.evaluations),
                     100 * share, input.estimate.fixed ? "" : "at most ", grouped(plan.probe_evaluations));
}

}  // namespace

std::string plan_heading(const PlanInput& input) {
  const bool takes_objects = input.method->needs.landmarks || input.method->default_count == nullptr;
  const std::string landmarks = takes_objects ? ", " + grouped(input.landmarks) + " landmarks" : "";
  return fmt::format(
      "Plan for {} rank{}: {} objects{}\n\n", input.ranks, input.ranks == 1 ? "" : "s",
      grouped(input.data.objects) + (input.data.right_objects > 0 ? " x " + grouped(input.data.right_objects) : ""),
      landmarks);
}

std::vector<std::vector<std::string>> memory_rows(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {{"memory of the largest rank", "bytes"}};
  for (const CostItem& item : plan.items) rows.push_back({item.name, bytes_text(item.bytes)});
  rows.push_back({fmt::format("peak, in the phase {}", plan.peak_phase), bytes_text(plan.peak_bytes)});
  return rows;
}

std::vector<std::vector<std::string>> seconds_rows(const std::vector<PlanPhase>& phases) {
  std::vector<std::vector<std::string>> rows = {{"phase", "seconds"}};
  double total = 0;
  for (const PlanPhase& phase : phases) {
    total += phase.seconds;
    rows.push_back({phase.name, fmt::format("{:.3g}", phase.seconds)});
  }
  rows.push_back({"total", fmt::format("{:.3g}", total)});
  return rows;
}

std::string size_notes(const PlanInput& input, const Plan& plan, const std::string& what) {
  return fmt::format("{}  result file    {}{}{}\n", evaluations_text(input, plan), bytes_text(plan.result_bytes),
                     what.empty() ? "" : ", ", what);
}

std::string rate_notes(const PlanInput& input, const Plan& plan, const PlanRates& rates, const std::string& assumed) {
  return size_notes(input, plan) + fmt::format(
                                       "  measured here  {:.3g} evaluations/s a rank\n"
                                       "  products       {:.3g} GFLOP/s a rank\n"
                                       "  disk           {}/s read, {}/s written{}\n{}{}",
                                       rates.evaluations, rates.flops / 1e9, format_bytes(rates.read_bytes),
                                       format_bytes(rates.write_bytes), rates.disk_measured ? "" : ": assumed",
                                       method_cost(input).cholesky
                                           ? "  assumed        a Cholesky factor of the core matrix (an "
                                             "eigen-decomposition takes longer)\n"
                                           : "",
                                       assumed.empty() ? "" : fmt::format("  assumed        {}\n", assumed));
}

std::string interpolation_notes(const PlanInput& input, const Plan& plan, bool compressed) {
  return fmt::format(
      "{}"
      "  all ranks      {}, if they share a node\n"
      "  result file    {}, W {}\n{}"
      "  assumed        factors and hierarchies as road networks and surfaces have them; {} bytes for a number of W\n",
      evaluations_text(input, plan), bytes_text(plan.node_bytes), bytes_text(plan.result_bytes),
      compressed ? fmt::format("compressed to {:.0f} %", 100 * input.deflated_share) : "not compressed",
      plan.core_on_disk
          ? fmt::format("  scratch file   {} of W, while the program runs\n", bytes_text(plan.scratch_bytes))
          : "",
      input.rows.value_bytes);
}

}  // namespace cairn

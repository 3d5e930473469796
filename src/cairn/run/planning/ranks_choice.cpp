#include "cairn/run/planning/ranks_choice.hpp"

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

bool usable(const RanksRow& row) { return row.possible && row.fits; }

}  // namespace

std::vector<RanksRow> rows_by_ranks(
    const PlanInput& input, const NodeLayout& places, Index there,
    const std::function<double(const PlanInput&, const Plan&, const NodeLayout&)>& seconds) {
  std::vector<int> counts;
  for (Index ranks = 1; ranks < places.ranks; ranks *= 2) counts.push_back(static_cast<int>(ranks));
  counts.push_back(places.ranks);
  std::vector<RanksRow> rows;
  for (const int ranks : counts) {
    RanksRow& row = rows.emplace_back();
    row.places = {ranks, (ranks + places.on_a_node() - 1) / places.on_a_node()};
    PlanInput of = input;
    of.ranks = ranks;
    try {
      const Plan plan = plan_memory(of);
      row.node_bytes = (plan.peak_bytes - plan.shared_bytes) * row.places.on_a_node() + plan.shared_bytes;
      row.rank_bytes = plan.peak_bytes;
      row.fits = row.node_bytes <= there;
      row.seconds = seconds(of, plan, row.places);
      row.node_hours = row.seconds * row.places.nodes / 3600;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resource) throw;
      row.possible = false;
    }
  }
  return rows;
}

const RanksRow* recommended(const std::vector<RanksRow>& rows) {
  double least = -1;
  for (const RanksRow& row : rows) {
    if (usable(row) && (least < 0 || row.node_hours < least)) least = row.node_hours;
  }
  const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](const RanksRow& row) {
    return usable(row) && row.node_hours <= most_node_hours * least;
  });
  return last != rows.rend() ? &*last : nullptr;
}

const RanksRow* smallest_fit(const std::vector<RanksRow>& rows) {
  const auto first = std::ranges::find_if(rows, usable);
  return first != rows.end() ? &*first : nullptr;
}

}  // namespace cairn

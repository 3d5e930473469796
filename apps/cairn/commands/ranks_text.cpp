#include "commands/ranks_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/parameters/units.hpp"

namespace cairn::app {

std::string bytes_text(Index bytes) { return format_bytes(static_cast<double>(bytes)); }

std::vector<std::vector<std::string>> ranks_table(const std::vector<RanksRow>& rows) {
  std::vector<std::vector<std::string>> cells = {{"ranks", "nodes", "seconds", "node hours", "bytes of a node", ""}};
  for (const RanksRow& row : rows) {
    const std::vector<std::string> places = {grouped(row.places.ranks), grouped(row.places.nodes)};
    cells.push_back(places);
    if (!row.possible) {
      cells.back().insert(cells.back().end(), {"", "", "", "a matrix of a rank is too large for ScaLAPACK"});
      continue;
    }
    cells.back().insert(cells.back().end(), {fmt::format("{:.3g}", row.seconds), fmt::format("{:.3g}", row.node_hours),
                                             bytes_text(row.node_bytes), row.fits ? "" : "does not fit"});
  }
  return cells;
}

nlohmann::ordered_json ranks_json(const std::vector<RanksRow>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const RanksRow& row : rows) {
    all.push_back({{"ranks", row.places.ranks}, {"nodes", row.places.nodes}, {"possible", row.possible}});
    if (!row.possible) continue;
    all.back().update(
        {{"seconds", row.seconds}, {"node_hours", row.node_hours}, {"node_bytes", row.node_bytes}, {"fits", row.fits}});
  }
  return all;
}

std::string sbatch_options(const RanksRow& row, int threads) {
  const double most = std::max(static_cast<double>(row.node_bytes),
                               static_cast<double>(row.rank_bytes) * static_cast<double>(row.places.on_a_node()));
  constexpr double start_minutes = 5;  // of the job, and of the warning before its end
  const double megabytes = std::ceil(1.25 * most / 1e6), minutes = std::ceil(2 * row.seconds / 60) + start_minutes;
  return fmt::format("--nodes={} --ntasks={} --ntasks-per-node={} --cpus-per-task={} --mem={:.0f}M --time={:.0f}",
                     row.places.nodes, row.places.ranks, row.places.on_a_node(), threads, megabytes, minutes);
}

std::string recommendation_text(const std::vector<RanksRow>& rows, Index there, int threads) {
  const RanksRow* const best = recommended(rows);
  if (best == nullptr)
    return fmt::format("  recommended    none: a node has {}, and needs more with each of these\n", bytes_text(there));
  const RanksRow* const least = smallest_fit(rows);
  const std::string fitting =
      least == &rows.front() ? "" : fmt::format("; the smallest that fit are {}", grouped(least->places.ranks));
  return fmt::format(
      "  recommended    {} rank{} on {} node{}: the most that take at most {} x the node hours of the cheapest{}\n"
      "  sbatch         {}\n",
      grouped(best->places.ranks), best->places.ranks == 1 ? "" : "s", best->places.nodes,
      best->places.nodes == 1 ? "" : "s", most_node_hours, fitting, sbatch_options(*best, threads));
}

}  // namespace cairn::app

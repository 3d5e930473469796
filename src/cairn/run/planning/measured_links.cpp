#include "cairn/run/planning/measured_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cairn/parameters/units.hpp"
#include "cairn/run/planning/measured_seconds.hpp"

namespace cairn {

namespace {

constexpr Index exchanged_bytes = Index{4} << 20;
constexpr int sums = 200, calls = 5;

// Seconds of a sum of one number.
double seconds_of_sum(const Communicator& all, const Communicator& communicator) {
  const auto work = [&] {
    for (int k = 0; k < sums; ++k) static_cast<void>(communicator.sum(1.0));
  };
  return seconds_of(all, work, calls) / sums;
}

// Seconds in which each rank sends exchanged_bytes to one rank, and gets as many. @param partner  -1: none
double seconds_of_exchange(const Communicator& communicator, int partner) {
  std::vector<std::vector<char>> sent(static_cast<std::size_t>(communicator.size()));
  if (partner >= 0) sent[static_cast<std::size_t>(partner)].resize(static_cast<std::size_t>(exchanged_bytes));
  ReusedArrays<char> received;
  return seconds_of(
      communicator, [&] { communicator.exchange(sent, received); }, calls);
}

// The ranks of each node, in the order of their first ones.
std::vector<std::vector<int>> ranks_of_nodes(const Communicator& communicator) {
  int first = communicator.rank();
  communicator.node().broadcast(std::span(&first, 1), 0);
  const std::vector<int> firsts = communicator.all_gather_one(first);
  std::vector<std::vector<int>> nodes;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const int of = firsts[static_cast<std::size_t>(rank)];
    const auto known = std::ranges::find_if(nodes, [&](const std::vector<int>& node) { return node.front() == of; });
    if (known != nodes.end())
      known->push_back(rank);
    else
      nodes.push_back({rank});
  }
  return nodes;
}

}  // namespace

std::string text_of(const MeasuredLinks& measured) {
  const auto line = [](const char* name, const Link& link, const char* of, bool known) {
    return fmt::format("  {:<14} {:.3g} us a message, {}/s a {}{}\n", name, 1e6 * link.latency,
                       format_bytes(link.bytes), of, known ? "" : ": assumed");
  };
  return line("in a node", measured.links.inside, "rank", measured.inside) +
         line("between nodes", measured.links.between, "node", measured.between);
}

MeasuredLinks measure_links(const Communicator& communicator) {
  MeasuredLinks measured;
  if (communicator.size() == 1) return measured;
  const std::vector<std::vector<int>> nodes = ranks_of_nodes(communicator);
  measured.layout = {communicator.size(), static_cast<int>(nodes.size())};
  const int rank = communicator.rank();
  std::size_t own = 0, place = 0, most = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    most = std::max(most, nodes[k].size());
    const auto found = std::ranges::find(nodes[k], rank);
    if (found == nodes[k].end()) continue;
    own = k;
    place = static_cast<std::size_t>(found - nodes[k].begin());
  }
  double inside_rounds = 0;
  if (most > 1) {
    const std::vector<int>& here = nodes[own];
    inside_rounds = communicator.maximum(seconds_of_sum(communicator, communicator.node()));
    const int partner = here.size() > 1 ? here[(place + 1) % here.size()] : -1;
    measured.links.inside = {inside_rounds / doublings(static_cast<int>(most)),
                             static_cast<double>(exchanged_bytes) / seconds_of_exchange(communicator, partner)};
    measured.inside = true;
  }
  if (nodes.size() > 1) {
    const std::vector<int>& there = nodes[(own + 1) % nodes.size()];
    const double rounds = seconds_of_sum(communicator, communicator) - inside_rounds;
    const double seconds = seconds_of_exchange(communicator, place < there.size() ? there[place] : -1);
    measured.links.between = {std::max(rounds, inside_rounds) / doublings(static_cast<int>(nodes.size())),
                              static_cast<double>(exchanged_bytes) * static_cast<double>(most) / seconds};
    measured.between = true;
  }
  return measured;
}

}  // namespace cairn

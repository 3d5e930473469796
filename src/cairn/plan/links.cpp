#include "cairn/plan/links.hpp"

namespace cairn {

double doublings(int places) {
  double count = 0;
  for (Index reached = 1; reached < places; reached *= 2) ++count;
  return count;
}

double traffic_seconds(const Traffic& traffic, const NodeLayout& places, const Links& links) {
  if (places.ranks == 1) return 0;
  const double ranks = places.ranks, here = places.on_a_node();
  const double outside = (ranks - here) / (ranks - 1);  // share of the other ranks that are on other nodes
  const double rounds =
      doublings(places.on_a_node()) * links.inside.latency + doublings(places.nodes) * links.between.latency;
  double seconds = static_cast<double>(traffic.collectives) * rounds;
  const auto collective = static_cast<double>(traffic.collective_bytes),
             single = static_cast<double>(traffic.message_bytes);
  if (places.on_a_node() > 1) seconds += collective / links.inside.bytes;
  if (places.nodes > 1) seconds += collective / links.between.bytes;
  seconds +=
      static_cast<double>(traffic.messages) * ((1 - outside) * links.inside.latency + outside * links.between.latency);
  return seconds + single * ((1 - outside) / links.inside.bytes + outside * here / links.between.bytes);
}

}  // namespace cairn

// Single-source similarities of points.
#pragma once

#include <memory>

#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_cost.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// SourceTraits::batch of similarities of points: rows for which a tile is fast.
inline constexpr Index point_sources_batch = 64;

/// `similarity` of one point with many, for methods that take whole rows of K. It must be a function of coordinates
/// alone. Values are computed in precision T.
///
/// Memory: all points once per node, and their numbers on every rank: 8 n bytes. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<SourceSimilarity> make_point_sources(const Communicator& communicator,
                                                                   std::unique_ptr<Similarity<T>> similarity,
                                                                   const PointSet<T>& points);

/// Cost of its rows. Local.
[[nodiscard]] inline SourceCost point_source_cost(const SourceCostInput& input) {
  return {.batch = point_sources_batch,
          .value_bytes = input.value_bytes,
          .shared = {{"points and their numbers, once per node", input.points_bytes + 8 * input.objects}},
          .search_bytes = 4 * input.objects,
          .search_row_bytes = input.objects * input.value_bytes};
}

}  // namespace cairn

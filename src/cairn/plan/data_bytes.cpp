#include "cairn/plan/data_bytes.hpp"

#include <algorithm>

#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/plan/staged_plan.hpp"

namespace cairn {

namespace {

Index length_bytes(const PlanInput& input) { return input.data.weighted ? 8 : 0; }

}  // namespace

Index object_bytes(const PlanInput& input) {
  return input.data.document_bytes > 0 ? input.data.document_bytes : point_bytes(input);
}

Index object_part_bytes(const PlanInput& input) {
  const Index rows = own_rows(input), right_rows = (input.data.right_objects + input.ranks - 1) / input.ranks;
  return (rows + right_rows) * object_bytes(input) + input.data.row_texts * rows * label_bytes;
}

Index graph_part_bytes(const PlanInput& input) {
  return own_rows(input) * 8 + input.data.arcs / input.ranks * (8 + length_bytes(input));
}

Index whole_graph_bytes(const PlanInput& input) {
  return input.data.objects * 8 + input.data.arcs * (4 + length_bytes(input));
}

Index own_pairs(const PlanInput& input) {
  const auto parts = static_cast<Index>(input.data.row_pairs.size());
  if (parts == 0) return 0;
  const RowPartition partition(input.data.objects, input.ranks);
  double most = 0;
  for (int rank = 0; rank < input.ranks; ++rank) {
    const Range rows = partition.range(rank);
    double own = 0;
    for (Index part = 0; part < parts; ++part) {
      const auto share = [&](Index row) {
        const double place = static_cast<double>(row * parts) / static_cast<double>(input.data.objects);
        return std::clamp(place - static_cast<double>(part), 0.0, 1.0);
      };
      own += (share(rows.end) - share(rows.begin)) * static_cast<double>(input.data.row_pairs[part]);
    }
    most = std::max(most, own);
  }
  return static_cast<Index>(most);
}

Index vocabulary_bytes(const PlanInput& input) {
  return input.data.objects * (label_bytes + 8 + 8) + own_rows(input) * (label_bytes + 8);
}

Index held_data_bytes(const PlanInput& input) {
  if (input.method->staged_cost != nullptr) return staged_data_bytes(input);
  const Index graph = input.data.arcs > 0 ? graph_part_bytes(input) + whole_graph_bytes(input) / input.ranks : 0;
  const bool counted = input.data.count_pairs > 0 && input.data.tokens == 0;
  const Index words = counted ? own_pairs(input) * pair_bytes_of_counts + vocabulary_bytes(input) : 0;
  return object_part_bytes(input) + graph + words + input.data.word_bytes / input.ranks;
}

}  // namespace cairn

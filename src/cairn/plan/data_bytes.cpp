#include "cairn/plan/data_bytes.hpp"

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

Index held_data_bytes(const PlanInput& input) {
  if (input.method->staged_cost != nullptr) return staged_data_bytes(input);
  const Index graph = input.data.arcs > 0 ? graph_part_bytes(input) + whole_graph_bytes(input) / input.ranks : 0;
  return object_part_bytes(input) + graph + input.data.word_bytes / input.ranks;
}

}  // namespace cairn

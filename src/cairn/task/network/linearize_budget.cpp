#include "cairn/task/network/linearize_budget.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

std::vector<CostStage> linearize_stages(const LinearizeSizes& sizes) {
  constexpr Index eight = sizeof(double);
  const Index coordinates = (sizes.components > 0 ? sizes.components : sizes.inputs) + 1;
  const Index second = sizes.components > 0 ? sizes.inputs * sizes.inputs * eight : 0;
  const CostItem features{fmt::format("{} features of each row", grouped(sizes.features)),
                          sizes.rows * sizes.features * sizes.number_bytes};
  std::vector<CostStage> stages = {
      {"components", {{"second moments of the inputs, inputs x inputs", second}}},
      {"features", {{"the changed points, twice", sizes.rows * coordinates * (eight + sizes.number_bytes)}, features}}};
  // Sums over all rows, sums over the held-out rows, the equations and their factor.
  const Index matrices = sizes.several ? 4 : 3;
  const Index squares = sizes.equations ? matrices * sizes.features * sizes.features * eight : 0;
  stages.push_back({"tuning",
                    {features,
                     {"targets of each row", sizes.rows * sizes.outputs * eight},
                     {fmt::format("{} matrices features x features", matrices), squares}}});
  return stages;
}

void require_linearize_budget(const Communicator& communicator, const MemoryLimit& memory,
                              const LinearizeSizes& sizes) {
  const Index budget = memory.budget_of_rank(communicator, 0.9);
  for (const CostStage& stage : linearize_stages(sizes)) {
    const Index needed = communicator.maximum(total(stage.own));
    if (!memory.refuses(static_cast<double>(needed), budget)) continue;
    const CostItem& most = *std::ranges::max_element(stage.own, {}, &CostItem::bytes);
    throw Error(
        ErrorKind::resource,
        fmt::format("linearizing takes {} of a rank for its stage {}, most of it for {}, and a rank has {}; take "
                    "fewer features{}, or more ranks",
                    format_bytes(static_cast<double>(needed)), stage.name, most.name, memory.budget_text(budget),
                    memory.bytes > 0 ? ", raise " + memory.name() : ""));
  }
}

}  // namespace cairn

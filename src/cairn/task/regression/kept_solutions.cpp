#include "cairn/task/regression/kept_solutions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cairn/data/digest.hpp"

namespace cairn {

KeptSolutions::KeptSolutions(const Execution& execution, std::string name, const RowPartition& partition,
                             const std::vector<Index>& rows, std::size_t columns)
    : rows_(rows), columns_(static_cast<Index>(columns)), kept_(execution, std::move(name), partition, columns) {}

Range KeptSolutions::places(Range unit) const {
  const auto place = [&](Index row) {
    return static_cast<Index>(std::ranges::lower_bound(rows_, row) - rows_.begin());
  };
  return {place(unit.begin), place(unit.end)};
}

GradientPoint KeptSolutions::restore() {
  const IterationState state =
      kept_.restore([&](Range unit) { return static_cast<std::size_t>(places(unit).size() * columns_); });
  GradientPoint point{.iteration = state.iterations};
  for (const double count : state.head) point.iterations.push_back(static_cast<Index>(count));
  for (const auto& values : state.units) point.x.insert(point.x.end(), values.begin(), values.end());
  return point;
}

void KeptSolutions::keep(Index iteration, const std::vector<double>& x, const std::vector<Index>& iterations) {
  IterationState state{.iterations = iteration, .head = {iterations.begin(), iterations.end()}};
  for (const Range unit : kept_.own_units()) {
    const Range own = places(unit);
    state.units.emplace_back(x.begin() + own.begin * columns_, x.begin() + own.end * columns_);
  }
  kept_.keep(state);
}

ReportText restored_text(Index iteration) {
  return ReportText().note(fmt::format("an earlier run made {} iterations; this one goes on from there", iteration));
}

std::uint64_t training_digest(const Communicator& communicator, std::uint64_t columns, std::uint64_t data,
                              const ChosenRows& chosen) {
  const std::size_t targets = chosen.targets.names.size();
  std::uint64_t sum = 0, use = 0;
  for (const TargetRows* part : {&chosen.training, &chosen.held_out}) {
    ++use;
    for (std::size_t i = 0; i < part->rows.size(); ++i) {
      const std::span values(part->targets.data() + i * targets, targets);
      sum += hash_bytes(std::as_bytes(values), mix_bits(static_cast<std::uint64_t>(part->rows[i]) + use) + use);
    }
  }
  return mix_bits(mix_bits(communicator.sum(sum) + columns) + data);
}

}  // namespace cairn

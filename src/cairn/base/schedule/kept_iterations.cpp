#include "cairn/base/schedule/kept_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

constexpr Index places = 2;  // of heads: one is whole while the other is written

}  // namespace

KeptIterations::KeptIterations(const Execution& execution, std::string name, const RowPartition& rows, std::size_t head)
    : execution_(execution), name_(std::move(name)), rows_(rows.rows()), head_(head) {
  const Range own = rows.range(execution.communicator.rank());
  const Index unit = RowPartition::unit(rows_);
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    own_.push_back({begin, std::min(begin + unit, own.end)});
  }
}

void KeptIterations::begin_heads() const {
  execution_.ledger.begin(fmt::format("{}, kept iterations", name_).c_str(), places);
}

void KeptIterations::begin_state(Index iterations) const {
  const Index unit = RowPartition::unit(rows_);
  execution_.ledger.begin(fmt::format("{}, iteration {}", name_, iterations).c_str(), (rows_ + unit - 1) / unit);
}

bool KeptIterations::restore_units(const std::function<std::size_t(Range unit)>& numbers, IterationState& state) const {
  bool whole = true;
  collectively(execution_.communicator, [&] {
    begin_state(state.iterations);
    for (const Range unit : own_) {
      std::vector<double>& values = state.units.emplace_back(numbers(unit));
      const Index number = unit.begin / RowPartition::unit(rows_);
      whole = whole && execution_.ledger.get(number, std::as_writable_bytes(std::span(values)));
    }
  });
  return execution_.communicator.maximum(whole ? 0 : 1) == 0;
}

IterationState KeptIterations::restore(const std::function<std::size_t(Range unit)>& numbers) {
  const Communicator& communicator = execution_.communicator;
  std::vector<std::vector<double>> heads(places, std::vector<double>(head_ + 1, 0.0));  // each with its iteration
  collectively(communicator, [&] {
    begin_heads();
    for (Index place = 0; communicator.is_root() && place < places; ++place) {
      std::vector<double>& head = heads[static_cast<std::size_t>(place)];
      if (!execution_.ledger.get(place, std::as_writable_bytes(std::span(head)))) head[0] = 0.0;
    }
  });
  for (std::vector<double>& head : heads) communicator.broadcast(std::span(head), 0);
  std::vector<Index> order = {0, 1};
  if (heads[1][0] > heads[0][0]) std::swap(order[0], order[1]);
  for (const Index place : order) {
    const std::vector<double>& head = heads[static_cast<std::size_t>(place)];
    IterationState state{.iterations = static_cast<Index>(head[0]), .head = {head.begin() + 1, head.end()}};
    if (state.iterations == 0 || !restore_units(numbers, state)) continue;
    place_ = 1 - place;
    return state;
  }
  return {};
}

bool KeptIterations::due() {
  // Asking takes a message; an iteration may take less time.
  constexpr std::chrono::milliseconds pause{200};
  const Communicator& communicator = execution_.communicator;
  const auto now = Clock::now();
  int ask = now - asked_ > pause ? 1 : 0;
  if (communicator.size() > 1) communicator.broadcast(std::span(&ask, 1), 0);
  if (ask == 0) return false;
  asked_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  return communicator.maximum(execution_.ledger.due(seconds) ? 1 : 0) > 0;
}

void KeptIterations::keep(const IterationState& state) {
  const Communicator& communicator = execution_.communicator;
  collectively(communicator, [&] {
    begin_state(state.iterations);
    for (std::size_t k = 0; k < own_.size(); ++k) {
      execution_.ledger.keep(own_[k].begin / RowPartition::unit(rows_), std::as_bytes(std::span(state.units[k])));
    }
  });
  collectively(communicator, [&] {
    std::vector<double> head = {static_cast<double>(state.iterations)};
    head.insert(head.end(), state.head.begin(), state.head.end());
    begin_heads();
    if (communicator.is_root()) execution_.ledger.keep(place_, std::as_bytes(std::span(head)));
    begin_state(state.iterations);  // a stop message then refers to the iteration
  });
  place_ = 1 - place_;
}

void KeptIterations::settle() const {
  collectively(execution_.communicator, [&] { execution_.ledger.settle(); });
}

}  // namespace cairn

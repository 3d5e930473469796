#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_fit.hpp"

namespace cairn {

VecchiaPredictor::VecchiaPredictor(const Execution& execution, const VecchiaRows& rows,
                                   const NodeArray<double>& targets, const ColumnCovariance& covariance,
                                   std::vector<double> coefficients, Index neighbors)
    : execution_(execution),
      rows_(rows),
      covariance_(covariance),
      coefficients_(std::move(coefficients)),
      shape_{.neighbors = std::min(neighbors, rows.count()),
             .columns = rows.points.columns,
             .one_length = rows.one_length,
             .linear = coefficients_.size() > 1},
      tree_(execution, rows.points, search_lengths(covariance, rows.points.columns)),
      placed_targets_(execution.communicator, rows.count()) {
  const Communicator& node = placed_targets_.node();
  for (Index place = node.rank(); place < rows.count(); place += node.size()) {
    placed_targets_.writable()[place] = targets[tree_.number(place)];
  }
  placed_targets_.publish();
}

// @param fill  fill(filler, search, batch, lane, i) writes prediction i and its neighbors into a lane and returns the
// mean of the prediction
template <class Fill>
std::vector<Normal> VecchiaPredictor::predict_each(Index count, const Fill& fill) const {
  constexpr Index lanes = Conditional::lanes;
  return collectively(execution_.communicator, [&] {
    std::vector<Normal> predicted(static_cast<std::size_t>(count));
    const LaneFiller filler(tree_, placed_targets_.values(), covariance_, coefficients_, shape_);
    std::vector<Conditional> batches;
    for (int t = 0; t < execution_.threads; ++t) batches.emplace_back(shape_);
    Index undefined = 0;
#pragma omp parallel num_threads(execution_.threads) reduction(+ : undefined)
    {
      Conditional& batch = batches[static_cast<std::size_t>(omp_get_thread_num())];
      NeighborTree::Search search;
      std::vector<double> position(static_cast<std::size_t>(shape_.columns));
      double means[lanes];
#pragma omp for schedule(dynamic, 32)
      for (Index block = 0; block < (count + lanes - 1) / lanes; ++block) {
        const Index first = block * lanes, here = std::min(lanes, count - first);
        for (Index l = 0; l < lanes; ++l) {
          means[l] = fill(filler, search, position, batch, l, first + std::min(l, here - 1));
        }
        if (!batch.condition(covariance_)) {
          ++undefined;
          continue;
        }
        for (Index l = 0; l < here; ++l) {
          predicted[first + l] = {means[l] - batch.error()[l], std::sqrt(batch.variance()[l])};
        }
        if (block % 256 == 0) Watchdog::beat();
      }
    }
    if (undefined > 0) {
      throw Error(ErrorKind::numeric,
                  fmt::format("a covariance matrix of {} training rows is not positive definite to rounding: the "
                              "noise, {:g}, is too small beside sigma, {:g}",
                              shape_.neighbors, covariance_.noise, covariance_.sigma));
    }
    return predicted;
  });
}

std::vector<Normal> VecchiaPredictor::predict(std::span<const double> own) const {
  const Index columns = shape_.columns;
  return predict_each(std::ssize(own) / columns,
                      [&](const LaneFiller& filler, NeighborTree::Search& search, std::vector<double>& position,
                          Conditional& batch, Index lane, Index i) {
                        for (Index c = 0; c < columns; ++c) {
                          position[c] = (own[i * columns + c] - rows_.center[c]) / rows_.unit[c] / tree_.lengths()[c];
                        }
                        const auto found = tree_.nearest(search, position.data(), shape_.neighbors, NeighborTree::all);
                        for (Index j = 0; j < shape_.neighbors; ++j)
                          filler.put(batch, lane, j, j < std::ssize(found) ? found[j] : -1);
                        return filler.put_new(batch, lane, shape_.neighbors, position.data());
                      });
}

VecchiaPredictor::LeftOut VecchiaPredictor::leave_one_out() const {
  const Communicator& communicator = execution_.communicator;
  const Range own = tree_.range(communicator.rank(), communicator.size());
  LeftOut left_out;
  left_out.distributions =
      predict_each(own.size(), [&](const LaneFiller& filler, NeighborTree::Search& search,
                                   std::vector<double>& position, Conditional& batch, Index lane, Index i) {
        const Index place = own.begin + i;
        for (Index c = 0; c < shape_.columns; ++c) position[c] = tree_.coordinate(place, c);
        const auto found = tree_.nearest(search, position.data(), shape_.neighbors, NeighborTree::all, place);
        for (Index j = 0; j < shape_.neighbors; ++j) filler.put(batch, lane, j, j < std::ssize(found) ? found[j] : -1);
        return filler.put_new(batch, lane, shape_.neighbors, position.data());
      });
  const auto targets =
      placed_targets_.values().subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.size()));
  left_out.targets.assign(targets.begin(), targets.end());
  return left_out;
}

}  // namespace cairn

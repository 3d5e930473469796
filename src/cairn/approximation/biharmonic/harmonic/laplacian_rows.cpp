#include "cairn/approximation/biharmonic/harmonic/laplacian_rows.hpp"

#include <algorithm>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

LaplacianRows::LaplacianRows(const Communicator& communicator, const OperatorView& op, int threads)
    : communicator_(communicator),
      op_(op),
      threads_(threads),
      partition_(op.size, communicator.size()),
      range_(partition_.range(communicator.rank())) {
  std::vector<std::vector<std::int32_t>> ask(communicator.size());
  collectively(communicator, [&] {
    find_ghosts();
    for (const std::int32_t ghost : ghosts_) ask[partition_.owner(ghost)].push_back(ghost);
  });
  wanted_ = communicator.exchange(ask);
  for (std::vector<std::int32_t>& places : wanted_) {
    for (std::int32_t& place : places) place -= static_cast<std::int32_t>(range_.begin);
  }
}

void LaplacianRows::find_ghosts() {
  const Index begin = op_.starts[range_.begin], end = op_.starts[range_.end];
  for (Index arc = begin; arc < end; ++arc) {
    if (!range_.contains(op_.neighbors[arc])) ghosts_.push_back(op_.neighbors[arc]);
  }
  std::ranges::sort(ghosts_);
  const auto repeated = std::ranges::unique(ghosts_);
  ghosts_.erase(repeated.begin(), repeated.end());
  neighbors_.reserve(end - begin);
  for (Index arc = begin; arc < end; ++arc) {
    const std::int32_t vertex = op_.neighbors[arc];
    const Index place = range_.contains(vertex)
                            ? vertex - range_.begin
                            : range_.size() + (std::ranges::lower_bound(ghosts_, vertex) - ghosts_.begin());
    neighbors_.push_back(static_cast<std::int32_t>(place));
  }
}

void LaplacianRows::multiply(MatrixView<const double> x, MatrixView<double> y) const {
  const Index width = x.columns, own_rows = range_.size();
  std::vector<std::vector<double>> send(wanted_.size());
  collectively(communicator_, [&] {
    for (std::size_t r = 0; r < wanted_.size(); ++r) {
      send[r].reserve(wanted_[r].size() * static_cast<std::size_t>(width));
      for (const std::int32_t place : wanted_[r]) send[r].insert(send[r].end(), x.row(place), x.row(place) + width);
    }
  });
  std::vector<double> ghosts;  // owners are ascending, as ghosts are
  const auto received = communicator_.exchange(send);
  collectively(communicator_, [&] {
    ghosts.reserve(ghosts_.size() * static_cast<std::size_t>(width));
    for (const std::vector<double>& part : received) ghosts.insert(ghosts.end(), part.begin(), part.end());
  });
  const Index first = op_.starts[range_.begin];
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (Index v = range_.begin; v < range_.end; ++v) {
    const double* const own = x.row(v - range_.begin);
    double* const out = y.row(v - range_.begin);
    std::fill_n(out, width, 0.0);
    for (Index arc = op_.starts[v]; arc < op_.starts[v + 1]; ++arc) {
      const Index place = neighbors_[arc - first];
      const double* const other = place < own_rows ? x.row(place) : ghosts.data() + (place - own_rows) * width;
      const double weight = op_.weight(arc);
      for (Index k = 0; k < width; ++k) out[k] += weight * (own[k] - other[k]);
    }
  }
  Watchdog::beat();
}

}  // namespace cairn

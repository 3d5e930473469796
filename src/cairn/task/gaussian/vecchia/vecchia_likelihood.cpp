#include "cairn/task/gaussian/vecchia/vecchia_likelihood.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

constexpr Index lanes = Conditional::lanes;

// What the terms of a unit add up to, as one list of numbers, which lies elsewhere.
class Accumulated {
 public:
  Accumulated(const ConditionalShape& shape, double* sums)
      : parameters_(shape.parameters()), means_(shape.means()), sums_(sums) {}

  static Index numbers(const ConditionalShape& shape) { return 2 + count(shape.parameters()) + count(shape.means()); }

  void undefined() { sums_[1] += 1.0; }

  // @param rows  of the batch that count
  void add(const Conditional& batch, Index rows, bool derivatives) {
    double inverse[lanes], error[lanes];
    const double *errors = batch.error(), *variances = batch.variance();
    for (Index l = 0; l < lanes; ++l) {
      inverse[l] = l < rows ? 1.0 / variances[l] : 0.0;
      error[l] = errors[l] * inverse[l];
      if (l < rows) {
        sums_[0] -= 0.5 * (std::log(2.0 * std::numbers::pi * variances[l]) + errors[l] * error[l]);
      }
    }
    double* at = sums_ + 2;
    for (Index k = 0; k < parameters_; ++k) {
      double* row = at + parameters_ + k * (k + 1) / 2;
      if (!derivatives) break;
      const double *variance = batch.variance_slope(k), *slope = batch.error_slope(k);
      double gradient = 0.0;
      for (Index l = 0; l < lanes; ++l) {
        gradient -= 0.5 * variance[l] * (inverse[l] - error[l] * error[l]) + error[l] * slope[l];
      }
      at[k] += gradient;
      for (Index j = 0; j <= k; ++j) {
        const double *other = batch.variance_slope(j), *product = batch.slope_product(k, j);
        double information = 0.0;
        for (Index l = 0; l < lanes; ++l) {
          information += inverse[l] * (0.5 * variance[l] * other[l] * inverse[l] + product[l]);
        }
        row[j] += information;
      }
    }
    at += count(parameters_);
    for (Index p = 0; p < means_; ++p) {
      const double* own = batch.mean_error(p);
      double* row = at + means_ + p * (p + 1) / 2;
      for (Index l = 0; l < lanes; ++l) at[p] += own[l] * error[l];
      for (Index j = 0; j <= p; ++j) {
        const double* other = batch.mean_error(j);
        for (Index l = 0; l < lanes; ++l) row[j] += own[l] * other[l] * inverse[l];
      }
    }
  }

  // @param lengths  of the columns, in which the batches had their coordinates
  [[nodiscard]] VecchiaSums result(const std::vector<double>& lengths) const {
    VecchiaSums sums{.defined = sums_[1] == 0.0, .value = sums_[0]};
    const double* at = sums_ + 2;
    take(at, parameters_, sums.gradient, sums.information);
    take(at + count(parameters_), means_, sums.mean_gradient, sums.mean_information);
    for (Index p = 1; p < means_; ++p) {
      sums.mean_gradient[p] *= lengths[p - 1];
      for (Index j = 0; j < means_; ++j) {
        sums.mean_information[p * means_ + j] *= lengths[p - 1];
        sums.mean_information[j * means_ + p] *= lengths[p - 1];
      }
    }
    return sums;
  }

 private:
  // A gradient and the lower triangle of a matrix.
  static Index count(Index n) { return n + n * (n + 1) / 2; }

  static void take(const double* at, Index n, std::vector<double>& gradient, std::vector<double>& matrix) {
    gradient.assign(at, at + n);
    matrix.resize(n * n);
    for (Index k = 0; k < n; ++k) {
      for (Index j = 0; j <= k; ++j) matrix[k * n + j] = matrix[j * n + k] = at[n + k * (k + 1) / 2 + j];
    }
  }

  Index parameters_, means_;
  double* sums_;  // log p, undefined batches, gradients and matrices
};

}  // namespace

LaneFiller::LaneFiller(const NeighborTree& tree, std::span<const double> targets, const ColumnCovariance& covariance,
                       std::span<const double> coefficients, const ConditionalShape& shape)
    : tree_(tree),
      targets_(targets),
      columns_(shape.columns),
      linear_(shape.linear),
      constant_(coefficients[0]),
      ratios_(shape.columns),
      slopes_(shape.columns, 0.0) {
  for (Index c = 0; c < columns_; ++c) {
    ratios_[c] = tree.lengths()[c] / covariance.length(c);
    if (linear_) slopes_[c] = coefficients[c + 1] * covariance.length(c);
  }
}

void LaneFiller::put(Conditional& batch, Index lane, Index j, Index place) const {
  batch.present(j)[lane] = place < 0 ? 0.0 : 1.0;
  batch.residual(j)[lane] = 0.0;
  if (place < 0) {
    for (Index c = 0; c < columns_; ++c) batch.coordinate(j, c)[lane] = 0.0;
    return;
  }
  double mean = constant_;
  double* out = batch.coordinate(j, 0) + lane;
  const Index stride = columns_ > 1 ? batch.coordinate(j, 1) - batch.coordinate(j, 0) : 0;
  for (Index c = 0; c < columns_; ++c) {
    const double own = tree_.coordinate(place, c) * ratios_[c];
    out[c * stride] = own;
    mean += slopes_[c] * own;
  }
  batch.residual(j)[lane] = targets_[place] - mean;
}

double LaneFiller::put_new(Conditional& batch, Index lane, Index j, const double* position) const {
  batch.present(j)[lane] = 1.0;
  batch.residual(j)[lane] = 0.0;
  double mean = constant_;
  for (Index c = 0; c < columns_; ++c) {
    const double own = position[c] * ratios_[c];
    batch.coordinate(j, c)[lane] = own;
    mean += slopes_[c] * own;
  }
  return mean;
}

VecchiaLikelihood::VecchiaLikelihood(const Execution& execution, const OrderedPoints& points,
                                     const NodeArray<double>& targets, const ConditionalShape& shape)
    : execution_(execution), points_(points), targets_(targets), shape_(shape) {}

void VecchiaLikelihood::find_neighbors(const std::vector<double>& lengths) {
  const Communicator& communicator = execution_.communicator;
  tree_.reset();
  placed_targets_ = {};
  neighbors_ = {};
  std::vector<double> of_columns(shape_.columns);
  for (Index c = 0; c < shape_.columns; ++c) of_columns[c] = lengths[shape_.one_length ? 0 : c];
  tree_.emplace(execution_, points_, std::move(of_columns));
  own_ = tree_->range(communicator.rank(), communicator.size());
  placed_targets_ = NodeArray<double>(communicator, points_.count());
  const Communicator& node = placed_targets_.node();
  for (Index place = node.rank(); place < points_.count(); place += node.size()) {
    placed_targets_.writable()[place] = targets_[tree_->number(place)];
  }
  placed_targets_.publish();
  collectively(communicator, [&] {
    const Index m = shape_.neighbors, columns = shape_.columns;
    neighbors_ = Buffer<std::int32_t>(own_.size() * m);
#pragma omp parallel num_threads(execution_.threads)
    {
      NeighborTree::Search search;
      std::vector<double> position(columns);
#pragma omp for schedule(dynamic, 256)
      for (Index place = own_.begin; place < own_.end; ++place) {
        for (Index c = 0; c < columns; ++c) position[c] = tree_->coordinate(place, c);
        const auto found = tree_->nearest(search, position.data(), m, tree_->key(place));
        std::int32_t* out = neighbors_.data() + (place - own_.begin) * m;
        std::fill(std::copy(found.begin(), found.end(), out), out + m, -1);
        if (place % 256 == 0) Watchdog::beat();
      }
    }
  });
}

VecchiaSums VecchiaLikelihood::at(const ColumnCovariance& covariance, const std::vector<double>& coefficients,
                                  bool derivatives) const {
  const Communicator& communicator = execution_.communicator;
  const Index width = Accumulated::numbers(shape_), units = tree_->units();
  std::vector<double> sums = collectively(communicator, [&] {
    const Index m = shape_.neighbors;
    const LaneFiller filler(*tree_, placed_targets_.values(), covariance, coefficients, shape_);
    const Range mine = tree_->units_of(communicator.rank(), communicator.size());
    std::vector<double> of_units(static_cast<std::size_t>(units * width), 0.0);
    std::vector<Conditional> batches;
    for (int t = 0; t < execution_.threads; ++t) batches.emplace_back(shape_);
#pragma omp parallel for num_threads(execution_.threads) schedule(dynamic, 1)
    for (Index unit = mine.begin; unit < mine.end; ++unit) {
      Conditional& batch = batches[static_cast<std::size_t>(omp_get_thread_num())];
      Accumulated part(shape_, of_units.data() + unit * width);
      const Range places = tree_->unit(unit);
      for (Index first = places.begin; first < places.end; first += lanes) {
        const Index rows = std::min(lanes, places.end - first);
        for (Index l = 0; l < lanes; ++l) {
          const Index place = first + std::min(l, rows - 1);
          const std::int32_t* near = neighbors_.data() + (place - own_.begin) * m;
          for (Index j = 0; j < m; ++j) filler.put(batch, l, j, near[j]);
          filler.put(batch, l, m, place);
        }
        if (!batch.condition(covariance)) {
          part.undefined();
          continue;
        }
        batch.regress();
        if (derivatives) batch.differentiate(covariance);
        part.add(batch, rows, derivatives);
      }
      Watchdog::beat();
    }
    return of_units;
  });
  communicator.sum(std::span<double>(sums));
  for (Index unit = 1; unit < units; ++unit) {
    for (Index i = 0; i < width; ++i) sums[i] += sums[unit * width + i];
  }
  const Accumulated all(shape_, sums.data());
  std::vector<double> lengths(shape_.columns);
  for (Index c = 0; c < shape_.columns; ++c) lengths[c] = covariance.length(c);
  return all.result(lengths);
}

}  // namespace cairn

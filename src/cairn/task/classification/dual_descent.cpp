#include "cairn/task/classification/dual_descent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

CAIRN_EACH_LEVEL double product(const double* x, const double* w, Index size) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (Index k = 0; k < size; ++k) sum += x[k] * w[k];
  return sum;
}

CAIRN_EACH_LEVEL void add(const double* x, double factor, double* w, Index size) {
#pragma omp simd
  for (Index k = 0; k < size; ++k) w[k] += factor * x[k];
}

// Own rows, stored one after the other.
struct OwnRows {
  std::vector<double> values, squares;
  std::vector<std::int32_t> places;
  std::vector<Index> lengths;
};

template <class T>
OwnRows own_rows(const Factor<T>& left, std::span<const Index> rows, double bias) {
  OwnRows own;
  own.squares.reserve(rows.size());
  if (!left.is_sparse()) own.values.reserve(rows.size() * static_cast<std::size_t>(left.columns()));
  for (const Index row : rows) {
    const std::size_t begin = own.values.size();
    if (left.is_sparse()) {
      const SparseRow<T> entries = left.sparse().row(row);
      for (std::size_t e = 0; e < entries.columns.size(); ++e) {
        if (entries.values[e] == T(0)) continue;
        own.places.push_back(static_cast<std::int32_t>(entries.columns[e]));
        own.values.push_back(static_cast<double>(entries.values[e]));
      }
      own.lengths.push_back(static_cast<Index>(own.values.size() - begin));
    } else {
      own.values.resize(begin + static_cast<std::size_t>(left.columns()));
      left.tall().copy_row(row, own.values.data() + begin);
    }
    const std::span<const double> values = std::span(own.values).subspan(begin);
    own.squares.push_back(std::inner_product(values.begin(), values.end(), values.begin(), bias * bias));
  }
  return own;
}

constexpr double largest_gap = 0.2;  // as a share of the primal objective, after the last pass

// The order of the members in each pass.
class PassOrder {
 public:
  PassOrder(std::size_t members, std::uint64_t seed) : random_(seed, Stream::descent), order_(members) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  // Order of pass number `pass`, computed from that of the preceding pass.
  const std::vector<std::size_t>& shuffle(Index pass) {
    std::array<std::uint64_t, 4> words{};
    for (std::size_t left = order_.size(); left > 1; --left) {
      const std::size_t draw = order_.size() - left;
      if (draw % words.size() == 0) words = random_.block(draw / words.size(), static_cast<std::uint64_t>(pass));
      // The upper half of the product is below `left`.
      const auto other = static_cast<std::size_t>(
          (static_cast<unsigned __int128>(words[draw % words.size()]) * static_cast<unsigned __int128>(left)) >> 64);
      std::swap(order_[left - 1], order_[other]);
    }
    return order_;
  }

 private:
  Random random_;
  std::vector<std::size_t> order_;
};

}  // namespace

// Training of one plane: w = sum of y a x, w0 = sum of y a bias. Each step optimizes the dual variable a of one row.
class DescentRows::Descent {
 public:
  Descent(const DescentRows& rows, const PlaneMembers& members, const SvmOptions& options)
      : rows_(rows),
        members_(members),
        squared_(options.loss == SvmLoss::squared_hinge),
        weights_(static_cast<std::size_t>(rows.columns_), 0.0),
        dual_(members.rows.size(), 0.0) {}

  // Prefetches the row of member m, which the next step uses.
  void expect(std::size_t m) const {
    if (rows_.sparse_) return;
    constexpr Index line = 8, most = 64 * line;  // numbers
    const double* row = &rows_.values_[members_.rows[m] * rows_.columns_];
    for (Index k = 0; k < std::min(rows_.columns_, most); k += line) __builtin_prefetch(row + k);
  }

  void step(std::size_t m) {
    const Index row = members_.rows[m];
    const bool positive = members_.positive[m] != 0;
    const double y = positive ? 1.0 : -1.0, cost = positive ? members_.cost_positive : members_.cost_negative;
    const double diagonal = squared_ ? 0.5 / cost : 0.0;
    const double curvature = rows_.squares_[row] + diagonal;
    if (curvature <= 0.0) {  // a row of zeros without bias: its margin is 0 for every w
      dual_[m] = cost;
      return;
    }
    const double gradient = y * (margin(row) + intercept_ * rows_.bias_) - 1.0 + diagonal * dual_[m];
    const double highest = squared_ ? std::numeric_limits<double>::infinity() : cost;
    const double next = std::clamp(dual_[m] - gradient / curvature, 0.0, highest);
    const double change = y * (next - dual_[m]);
    if (change == 0.0) return;
    dual_[m] = next;
    move(row, change);
    intercept_ += change * rows_.bias_;
  }

  SvmPlane take() && {
    const double gap = relative_gap();
    return {std::move(weights_), intercept_ * rows_.bias_, gap <= largest_gap, gap};
  }

 private:
  // Gap between the primal and the dual objective, as a share of the primal one; 0 at the optimum.
  [[nodiscard]] double relative_gap() const {
    double half_square = 0.5 * intercept_ * intercept_, losses = 0.0, duals = 0.0;
    for (const double weight : weights_) half_square += 0.5 * weight * weight;
    for (std::size_t m = 0; m < dual_.size(); ++m) {
      const bool positive = members_.positive[m] != 0;
      const double cost = positive ? members_.cost_positive : members_.cost_negative;
      const double at = margin(members_.rows[m]) + intercept_ * rows_.bias_;
      const double missed = std::max(0.0, 1.0 - (positive ? at : -at));
      losses += cost * (squared_ ? missed * missed : missed);
      duals += dual_[m] - (squared_ ? 0.25 * dual_[m] * dual_[m] / cost : 0.0);
    }
    const double primal = half_square + losses;
    return primal > 0.0 ? (primal - (duals - half_square)) / primal : 0.0;
  }

  [[nodiscard]] double margin(Index row) const {
    if (!rows_.sparse_) return product(&rows_.values_[row * rows_.columns_], weights_.data(), rows_.columns_);
    double sum = 0.0;
    for (Index e = rows_.starts_[row]; e < rows_.starts_[row + 1]; ++e) {
      sum += rows_.values_[e] * weights_[rows_.places_[e]];
    }
    return sum;
  }
  void move(Index row, double change) {
    if (!rows_.sparse_) return add(&rows_.values_[row * rows_.columns_], change, weights_.data(), rows_.columns_);
    for (Index e = rows_.starts_[row]; e < rows_.starts_[row + 1]; ++e) {
      weights_[rows_.places_[e]] += change * rows_.values_[e];
    }
  }

  const DescentRows& rows_;
  const PlaneMembers& members_;
  bool squared_;
  std::vector<double> weights_, dual_;
  double intercept_ = 0.0;
};

template <class T>
DescentRows::DescentRows(const Execution& execution, const Factor<T>& left, std::span<const Index> rows, double bias)
    : columns_(left.columns()), bias_(bias), sparse_(left.is_sparse()) {
  const Communicator& communicator = execution.communicator;
  if (sparse_ && columns_ > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::resource, fmt::format("columns are counted in 32 bits, and there are {}", columns_));
  }
  OwnRows own = collectively(communicator, [&] { return own_rows(left, rows, bias); });
  squares_ = replicate_on_nodes(communicator, std::span<const double>(own.squares));
  values_ = replicate_on_nodes(communicator, std::span<const double>(own.values));
  if (!sparse_) return;
  own.values = {};
  places_ = replicate_on_nodes(communicator, std::span<const std::int32_t>(own.places));
  // Each rank sends the ends of its rows; rank 0 also sends the beginning of the first one.
  const std::vector<Index> sizes = communicator.all_gather_one(static_cast<Index>(own.places.size()));
  Index end = std::accumulate(sizes.begin(), sizes.begin() + communicator.rank(), Index{0});
  std::vector<Index> ends;
  if (communicator.is_root()) ends.push_back(0);
  for (const Index length : own.lengths) ends.push_back(end += length);
  starts_ = replicate_on_nodes(communicator, std::span<const Index>(ends));
}

template DescentRows::DescentRows(const Execution&, const Factor<float>&, std::span<const Index>, double);
template DescentRows::DescentRows(const Execution&, const Factor<double>&, std::span<const Index>, double);

Index DescentRows::bytes_of(Index rows, Index entries, bool sparse) {
  constexpr auto number = static_cast<Index>(sizeof(double));
  constexpr auto place = static_cast<Index>(sizeof(std::int32_t));
  return rows * (entries * (number + (sparse ? place : 0)) + (sparse ? 2 : 1) * number);
}

SvmPlane DescentRows::train(const PlaneMembers& members, const SvmOptions& options) const {
  if (options.loss == SvmLoss::logistic) throw Error(ErrorKind::internal, "dual descent takes a hinge loss");
  Descent descent(*this, members, options);
  PassOrder order(members.rows.size(), options.seed);
  for (Index pass = 0; pass < options.passes; ++pass) {
    const std::vector<std::size_t>& members_in_order = order.shuffle(pass);
    for (std::size_t i = 0; i < members_in_order.size(); ++i) {
      if (i + 1 < members_in_order.size()) descent.expect(members_in_order[i + 1]);
      descent.step(members_in_order[i]);
    }
    Watchdog::beat();
  }
  return std::move(descent).take();
}

}  // namespace cairn

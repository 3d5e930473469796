// Conjugate gradients for a few right sides and lambdas together, preconditioned by K among the centers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/task/regression/centers/center_solver.hpp"

namespace cairn {

namespace {

constexpr double default_residual = 1e-6;
constexpr double default_residual_single = 1e-4;
/// The recursion's residual may differ from the true one by this factor where it is accepted.
constexpr double accepted_factor = 2.0;
/// A restart that gains less than this factor ends the iteration.
constexpr double least_gain = 0.5;
/// Seconds between two reports of progress.
constexpr double between_lines = 5.0;

// m x c numbers, the same on every rank, row-major.
struct Columns {
  Index rows = 0, count = 0;
  std::vector<double> values;

  Columns(Index m, Index c) : rows(m), count(c), values(static_cast<std::size_t>(m * c), 0.0) {}
  double& operator()(Index i, Index c) { return values[i * count + c]; }
  double operator()(Index i, Index c) const { return values[i * count + c]; }
  [[nodiscard]] MatrixView<const double> view() const { return {values.data(), rows, count}; }
  [[nodiscard]] double dot(const Columns& other, Index c) const {
    double sum = 0.0;
    for (Index i = 0; i < rows; ++i) sum += (*this)(i, c) * other(i, c);
    return sum;
  }
  /// Columns `pick`.
  [[nodiscard]] Columns chosen(const std::vector<Index>& pick) const {
    Columns part(rows, std::ssize(pick));
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < part.count; ++c) part(i, c) = (*this)(i, pick[c]);
    }
    return part;
  }
};

// F (n/m FᵀF + lambda I) Fᵀ for some lambdas, K_mm + e I = F Fᵀ.
class Preconditioner {
 public:
  Preconditioner(const BlockCyclicMatrix& factor, double rows, const std::vector<double>& lambdas) : factor_(factor) {
    const double weight = rows / static_cast<double>(factor.rows());
    const BlockCyclicMatrix square = multiply(factor, true, factor, false, weight);
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      BlockCyclicMatrix inner = square.copy();
      for (Index j = 0; j < inner.local_columns(); ++j) {
        for (Index i = 0; i < inner.local_rows(); ++i) {
          if (inner.global_row(i) == inner.global_column(j)) inner.local(i, j) += lambdas[k];
        }
      }
      if (!cholesky(inner)) {
        throw Error(ErrorKind::numeric,
                    fmt::format("lambda = {:g} leaves the preconditioner singular to working precision; take a larger "
                                "lambda, or the direct solver",
                                lambdas[k]));
      }
      inner_.push_back(std::move(inner));
    }
  }

  /// Its inverse times the columns `pick` of R, each for its lambda. Columns of a lambda follow one another.
  [[nodiscard]] Columns solve(const Columns& r, const std::vector<Index>& pick, Index targets) const {
    Columns z(r.rows, r.count);
    std::vector<Index> of_lambda;
    for (std::size_t k = 0; k < inner_.size(); ++k) {
      of_lambda.clear();
      for (const Index c : pick) {
        if (c / targets == static_cast<Index>(k)) of_lambda.push_back(c);
      }
      if (of_lambda.empty()) continue;
      BlockCyclicMatrix sides(factor_.shared_grid(), r.rows, std::ssize(of_lambda));
      sides.fill([&](Index i, Index c) { return r(i, of_lambda[c]); });
      solve_lower(factor_, false, sides);
      cholesky_solve(inner_[k], sides);
      solve_lower(factor_, true, sides);
      const Buffer<double> whole = replicate_columns(sides, {0, sides.columns()});
      for (Index i = 0; i < r.rows; ++i) {
        for (Index c = 0; c < sides.columns(); ++c) z(i, of_lambda[c]) = whole[i * sides.columns() + c];
      }
    }
    return z;
  }

 private:
  const BlockCyclicMatrix& factor_;
  std::vector<BlockCyclicMatrix> inner_;  // Cholesky factors
};

template <class T>
class IterativeSystem final : public CenterSystem {
 public:
  IterativeSystem(const Execution& execution, const CenterTiles<T>& tiles, const CenterRows& rows,
                  const CenterOptions& options, Index together)
      : execution_(execution),
        tiles_(tiles),
        rows_(rows),
        targets_(rows.targets),
        together_(static_cast<std::size_t>(together)),
        most_(options.most_iterations),
        target_(options.target_residual > 0.0 ? options.target_residual
                : std::is_same_v<T, double>   ? default_residual
                                              : default_residual_single),
        keys_(options.keys),
        tell_(options.tell),
        grid_(std::make_shared<const ProcessGrid>(execution.communicator)),
        factor_(factor_of_centers(*std::ranges::min_element(options.lambdas))) {}

  std::vector<CenterSolution> solve(bool all_rows, const std::vector<double>& means,
                                    const std::vector<double>& lambdas) override {
    choose_rows(all_rows);
    const auto right = tiles_.transposed_times(taken_, {sides_.data(), std::ssize(taken_), targets_ + 1});
    const std::vector<double> b = centered_sides(right, means);
    std::vector<CenterSolution> solutions;
    for (std::size_t begin = 0; begin < lambdas.size(); begin += together_) {
      const auto end = std::min(lambdas.size(), begin + together_);
      auto some = solve_some(b, {lambdas.begin() + static_cast<std::ptrdiff_t>(begin),
                                 lambdas.begin() + static_cast<std::ptrdiff_t>(end)});
      std::ranges::move(some, std::back_inserter(solutions));
    }
    return solutions;
  }

  void describe(CenterModel& model) const override {
    model.iterations = products_;
    model.residual = residual_;
  }

 private:
  // e of K_mm + e I. Rounding errors of the products, some u sqrt(n R) k for tiles of R rows, would otherwise be the
  // residual in directions in which K_mm is 0: their square there is divided by e lambda, and that of the right sides
  // is about n.
  [[nodiscard]] double least_shift(const BlockCyclicMatrix& among, double least) const {
    constexpr double rows_of_tile = 1024.0, margin = 10.0;
    const double largest = largest_magnitude(among),
                 of_entries = static_cast<double>(std::numeric_limits<T>::epsilon());
    const double unit = CenterTiles<T>::product_roundoff(targets_ * static_cast<Index>(together_));
    const double of_errors = margin * rows_of_tile * std::pow(unit * largest / target_, 2) / least;
    return std::max(of_entries * largest * static_cast<double>(among.rows()), std::min(of_errors, largest));
  }

  // F of K_mm + e I.
  BlockCyclicMatrix factor_of_centers(double least) {
    const BlockCyclicMatrix among = tiles_.among_centers(grid_);
    auto phase = execution_.phases.enter("preconditioner");
    constexpr int trials = 4;
    constexpr double growth = 10.0;
    double shift = least_shift(among, least);
    for (int trial = 0; trial < trials; ++trial, shift *= growth) {
      BlockCyclicMatrix factor = among.copy();
      for (Index j = 0; j < factor.local_columns(); ++j) {
        for (Index i = 0; i < factor.local_rows(); ++i) {
          if (factor.global_row(i) == factor.global_column(j)) factor.local(i, j) += shift;
        }
      }
      if (cholesky(factor)) return factor;
    }
    throw Error(ErrorKind::numeric,
                fmt::format("K among the centers is not positive semidefinite, and conjugate gradients need a minimum; "
                            "take {} direct",
                            keys_("solver")));
  }

  void choose_rows(bool all_rows) {
    taken_.clear();
    sides_.clear();
    const auto width = static_cast<std::ptrdiff_t>(targets_ + 1);
    for (std::size_t k = 0; k < rows_.rows.size(); ++k) {
      if (!all_rows && rows_.folds[k] != 0) continue;
      taken_.push_back(rows_.rows[k]);
      const auto from = rows_.sides.begin() + static_cast<std::ptrdiff_t>(k) * width;
      sides_.insert(sides_.end(), from, from + width);
    }
  }

  // A V of the columns `pick`, each for its lambda; 0 in the others.
  [[nodiscard]] Columns apply(const Columns& v, const std::vector<Index>& pick, const std::vector<double>& lambdas) {
    const Columns part = v.chosen(pick);
    std::vector<double> ridges;
    for (const Index c : pick) ridges.push_back(lambdas[c / targets_]);
    const std::vector<double> product = tiles_.normal_times(taken_, part.view(), ridges);
    ++products_;
    Columns result(v.rows, v.count);
    for (Index i = 0; i < v.rows; ++i) {
      for (Index c = 0; c < part.count; ++c) result(i, pick[c]) = product[i * part.count + c];
    }
    return result;
  }

  std::vector<CenterSolution> solve_some(const std::vector<double>& right, const std::vector<double>& lambdas) {
    const Index m = tiles_.size(), count = targets_ * std::ssize(lambdas);
    Columns b(m, count);
    for (Index i = 0; i < m; ++i) {
      for (Index c = 0; c < count; ++c) b(i, c) = right[i * targets_ + c % targets_];
    }
    const auto rows = static_cast<double>(execution_.communicator.sum(std::ssize(taken_)));
    const Preconditioner preconditioner = [&] {
      auto phase = execution_.phases.enter("preconditioner");
      return Preconditioner(factor_, rows, lambdas);
    }();
    begun_ = std::chrono::steady_clock::now();
    told_ = 0.0;
    Columns x(m, count);
    std::vector<Index> iterations(static_cast<std::size_t>(count), 0);
    const std::vector<double> residuals = iterate(preconditioner, b, lambdas, x, iterations);
    std::vector<CenterSolution> solutions;
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      CenterSolution solution;
      solution.candidate.lambda = lambdas[k];
      std::vector<Index> own;
      for (Index t = 0; t < targets_; ++t) {
        own.push_back(static_cast<Index>(k) * targets_ + t);
        solution.candidate.iterations = std::max(solution.candidate.iterations, iterations[own.back()]);
        solution.candidate.residual = std::max(solution.candidate.residual, residuals[own.back()]);
      }
      solution.coefficients = x.chosen(own).values;
      solutions.push_back(std::move(solution));
    }
    residual_ = *std::ranges::max_element(residuals);
    return solutions;
  }

  // Conjugate gradients from x = 0; the residual that the recursion gives is computed anew at the end of each round.
  // @return the relative residuals
  std::vector<double> iterate(const Preconditioner& preconditioner, const Columns& b,
                              const std::vector<double>& lambdas, Columns& x, std::vector<Index>& iterations) {
    std::vector<Index> open(static_cast<std::size_t>(b.count));
    std::iota(open.begin(), open.end(), Index{0});
    Columns r = b, z = preconditioner.solve(r, open, targets_);
    std::vector<double> sizes, squares(open.size()), reached(open.size(), INFINITY);
    for (const Index c : open) sizes.push_back(r.dot(z, c));
    squares = sizes;
    std::erase_if(open, [&](Index c) {  // a target that is 0
      if (sizes[c] > 0.0) return false;
      reached[c] = 0.0;
      return true;
    });
    while (!open.empty()) {
      round(preconditioner, lambdas, sizes, open, squares, x, r, z, iterations);
      const Columns product = apply(x, open, lambdas);
      for (const Index c : open) {
        for (Index i = 0; i < b.rows; ++i) r(i, c) = b(i, c) - product(i, c);
      }
      z = preconditioner.solve(r, open, targets_);
      std::vector<Index> next;
      for (const Index c : open) {
        squares[c] = r.dot(z, c);
        const double residual = std::sqrt(std::max(0.0, squares[c]) / sizes[c]);
        const bool gains = residual < least_gain * reached[c];
        reached[c] = std::min(residual, reached[c]);
        if (residual <= accepted_factor * target_) continue;
        if (!gains || iterations[c] >= most_) refuse(lambdas[c / targets_], iterations[c], residual);
        next.push_back(c);
      }
      open = std::move(next);
    }
    return reached;
  }

  // Until the recursion's residuals of the columns `open` are below the target.
  void round(const Preconditioner& preconditioner, const std::vector<double>& lambdas, const std::vector<double>& sizes,
             const std::vector<Index>& open, std::vector<double>& squares, Columns& x, Columns& r, Columns& z,
             std::vector<Index>& iterations) {
    std::vector<Index> active = open;
    Columns p = z;
    while (true) {
      std::erase_if(active,
                    [&](Index c) { return !(squares[c] > target_ * target_ * sizes[c]) || iterations[c] >= most_; });
      if (active.empty()) return;
      const Columns product = apply(p, active, lambdas);
      for (const Index c : active) {
        ++iterations[c];
        const double curvature = p.dot(product, c);
        if (!(curvature > 0.0)) {  // nothing but rounding is left
          squares[c] = 0.0;
          continue;
        }
        const double step = squares[c] / curvature;
        for (Index i = 0; i < x.rows; ++i) {
          x(i, c) += step * p(i, c);
          r(i, c) -= step * product(i, c);
        }
      }
      const Columns next = preconditioner.solve(r, active, targets_);
      for (const Index c : active) {
        if (squares[c] == 0.0) continue;
        const double square = r.dot(next, c), turn = square / squares[c];
        for (Index i = 0; i < x.rows; ++i) {
          z(i, c) = next(i, c);
          p(i, c) = next(i, c) + turn * p(i, c);
        }
        squares[c] = square;
      }
      tell(active, squares, sizes, iterations);
    }
  }

  // At most every few seconds: how far the worst of the columns is, and how long it takes at its mean rate.
  void tell(const std::vector<Index>& active, const std::vector<double>& squares, const std::vector<double>& sizes,
            const std::vector<Index>& iterations) {
    if (!tell_) return;
    const double seconds = execution_.communicator.maximum(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count());
    if (seconds - told_ < between_lines) return;
    told_ = seconds;
    CenterProgress progress{.seconds = seconds};
    for (const Index c : active) {
      progress.iteration = std::max(progress.iteration, iterations[c]);
      progress.residual = std::max(progress.residual, std::sqrt(squares[c] / sizes[c]));
    }
    if (progress.residual < 1.0) {
      progress.remaining = seconds * std::max(0.0, std::log(target_) / std::log(progress.residual) - 1.0);
    }
    tell_(progress);
  }

  [[noreturn]] void refuse(double lambda, Index iterations, double residual) const {
    throw Error(ErrorKind::numeric,
                fmt::format("lambda = {:g}: conjugate gradients reach a relative residual of {:.2g} in {} iterations, "
                            "and {:.2g} is asked for; take a larger lambda, a larger {}, or {} direct",
                            lambda, residual, iterations, target_, keys_("target-residual"), keys_("solver")));
  }

  const Execution& execution_;
  const CenterTiles<T>& tiles_;
  const CenterRows& rows_;
  Index targets_;
  std::size_t together_;
  Index most_;
  double target_;
  KeyNames keys_;
  std::function<void(const CenterProgress&)> tell_;
  std::shared_ptr<const ProcessGrid> grid_;
  BlockCyclicMatrix factor_;
  std::vector<Index> taken_;   // rows of the present system
  std::vector<double> sides_;  // of them
  Index products_ = 0;
  double residual_ = 0.0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();  // of the present lambdas
  double told_ = 0.0;
};

}  // namespace

template <class T>
std::unique_ptr<CenterSystem> make_iterative_system(const Execution& execution, const CenterTiles<T>& tiles,
                                                    const CenterRows& rows, const CenterOptions& options,
                                                    Index together) {
  return std::make_unique<IterativeSystem<T>>(execution, tiles, rows, options, together);
}

template std::unique_ptr<CenterSystem> make_iterative_system(const Execution&, const CenterTiles<float>&,
                                                             const CenterRows&, const CenterOptions&, Index);
template std::unique_ptr<CenterSystem> make_iterative_system(const Execution&, const CenterTiles<double>&,
                                                             const CenterRows&, const CenterOptions&, Index);

}  // namespace cairn

// Conjugate gradients for a few right sides and lambdas together, preconditioned by K among the centers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/task/regression/centers/center_solver.hpp"
#include "cairn/task/regression/kept_solutions.hpp"

namespace cairn {

namespace {

constexpr double default_residual = 1e-6;
constexpr double default_residual_single = 1e-3;
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

// F (n/m FᵀF + lambda I) Fᵀ for some lambdas, K_mm + e I = F Fᵀ. F is the lower triangle of an m x (m + block) matrix,
// whose upper one takes the Cholesky factor for the first lambda; those of the others have matrices of their own.
class Preconditioner {
 public:
  Preconditioner(BlockCyclicMatrix& factor, double rows, const std::vector<double>& lambdas)
      : factor_(factor), more_(further_matrices(factor, lambdas.size())) {
    const double weight = rows / static_cast<double>(factor.rows());
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      BlockCyclicMatrix& inner = k == 0 ? factor_ : more_[k - 1];
      const TrianglePlace upper = triangle_of(k);
      copy_transpose_of_lower(factor_, inner, upper.first_column);
      multiply_by_transpose(inner, upper);
      for (Index j = 0; j < inner.local_columns(); ++j) {
        const Index column = inner.global_column(j) - upper.first_column;
        for (Index i = 0; i < inner.local_rows() && inner.global_row(i) <= column; ++i) {
          inner.local(i, j) *= weight;
          if (inner.global_row(i) == column) inner.local(i, j) += lambdas[k];
        }
      }
      if (!cholesky(inner, upper)) {
        throw Error(ErrorKind::numeric,
                    fmt::format("lambda = {:g} leaves the preconditioner singular to working precision; take a larger "
                                "lambda, or the direct solver",
                                lambdas[k]));
      }
    }
  }

  /// Its inverse times the columns `pick` of R, each for its lambda. Columns of a lambda follow one another.
  [[nodiscard]] Columns solve(const Columns& r, const std::vector<Index>& pick, Index targets) const {
    Columns z(r.rows, r.count);
    std::vector<Index> of_lambda;
    for (std::size_t k = 0; k <= more_.size(); ++k) {
      of_lambda.clear();
      for (const Index c : pick) {
        if (c / targets == static_cast<Index>(k)) of_lambda.push_back(c);
      }
      if (of_lambda.empty()) continue;
      BlockCyclicMatrix sides(factor_.shared_grid(), r.rows, std::ssize(of_lambda));
      sides.fill([&](Index i, Index c) { return r(i, of_lambda[c]); });
      solve_lower(factor_, false, sides);
      cholesky_solve(k == 0 ? factor_ : more_[k - 1], sides, triangle_of(k));
      solve_lower(factor_, true, sides);
      const Buffer<double> whole = replicate_columns(sides, {0, sides.columns()});
      for (Index i = 0; i < r.rows; ++i) {
        for (Index c = 0; c < sides.columns(); ++c) z(i, of_lambda[c]) = whole[i * sides.columns() + c];
      }
    }
    return z;
  }

 private:
  static TrianglePlace triangle_of(std::size_t lambda) {
    return {.upper = true, .first_column = lambda == 0 ? BlockCyclicMatrix::block : 0};
  }
  static std::vector<BlockCyclicMatrix> further_matrices(const BlockCyclicMatrix& factor, std::size_t lambdas) {
    std::vector<BlockCyclicMatrix> matrices;
    for (std::size_t k = 1; k < lambdas; ++k) {
      matrices.emplace_back(factor.shared_grid(), factor.rows(), factor.rows());
    }
    return matrices;
  }

  BlockCyclicMatrix& factor_;
  std::vector<BlockCyclicMatrix> more_;  // of the lambdas from the second on
};

// The columns of x in the checkpoint of a run, those of each lambda apart, since memory and ranks say how many are
// iterated together. Each rank keeps some of the rows.
class KeptColumns {
 public:
  // @param name  of the system, unique in a run
  KeptColumns(const Execution& execution, const std::string& name, Index centers, Index targets,
              const std::vector<double>& lambdas)
      : communicator_(execution.communicator),
        partition_(centers, communicator_.size()),
        own_(rows_of(partition_.range(communicator_.rank()))),
        targets_(targets),
        done_(lambdas.size(), 0) {
    for (const double lambda : lambdas) {
      kept_.push_back(std::make_unique<KeptSolutions>(execution, fmt::format("{}, lambda = {}", name, lambda),
                                                      partition_, own_, static_cast<std::size_t>(targets)));
    }
  }

  // Returns the most iterations that a column has made; 0: nothing was kept. Collective.
  Index restore(Columns& x, std::vector<Index>& iterations) {
    for (std::size_t l = 0; l < kept_.size(); ++l) {
      const GradientPoint point = kept_[l]->restore();
      done_[l] = point.iteration;
      if (point.iteration == 0) continue;
      const std::vector<double> values = communicator_.all_gather(point.x);
      for (Index t = 0; t < targets_; ++t) {
        const Index column = static_cast<Index>(l) * targets_ + t;
        iterations[column] = point.iterations[t];
        for (Index i = 0; i < x.rows; ++i) x(i, column) = values[i * targets_ + t];
      }
    }
    return std::ranges::max(iterations);
  }
  // Keeps the lambdas that have gone on, if that is due. Collective.
  void keep_where_due(const Columns& x, const std::vector<Index>& iterations) {
    if (kept_.front()->due()) keep(x, iterations);
  }
  void keep(const Columns& x, const std::vector<Index>& iterations) {
    for (std::size_t l = 0; l < kept_.size(); ++l) {
      const auto first = iterations.begin() + static_cast<Index>(l) * targets_;
      const std::vector<Index> own(first, first + targets_);
      const Index made = std::ranges::max(own);
      if (made == done_[l]) continue;
      done_[l] = made;
      std::vector<double> values;
      for (const Index i : own_) {
        for (Index t = 0; t < targets_; ++t)
          values.push_back(x.values[i * x.count + static_cast<Index>(l) * targets_ + t]);
      }
      kept_[l]->keep(made, values, own);
    }
    kept_.front()->settle();
  }

 private:
  static std::vector<Index> rows_of(Range range) {
    std::vector<Index> rows(static_cast<std::size_t>(range.size()));
    std::iota(rows.begin(), rows.end(), range.begin);
    return rows;
  }

  const Communicator& communicator_;
  RowPartition partition_;
  std::vector<Index> own_;
  Index targets_;
  std::vector<Index> done_;  // iterations of each lambda that are kept
  std::vector<std::unique_ptr<KeptSolutions>> kept_;
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
        restored_(options.restored),
        grid_(std::make_shared<const ProcessGrid>(execution.communicator, GridForm::tall)),
        factor_(factor_of_centers(*std::ranges::min_element(options.lambdas))) {}

  std::vector<CenterSolution> solve(bool all_rows, const std::vector<double>& means,
                                    const std::vector<double>& lambdas) override {
    choose_rows(all_rows);
    const auto right = tiles_.transposed_times(taken_, {sides_.data(), std::ssize(taken_), targets_ + 1});
    const std::vector<double> b = centered_sides(right, means);
    std::vector<CenterSolution> solutions;
    all_lambdas_ = lambdas;
    residual_ = 0.0;
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
    model.warnings.insert(model.warnings.end(), warnings_.begin(), warnings_.end());
  }

 private:
  // Shift of K_mm in the preconditioner, at least. Rounding errors of products of R rows in single precision, some u
  // sqrt(n R) k, would otherwise be the residual in directions in which K_mm is 0: their square there is divided by
  // shift lambda, and that of the right sides is about n.
  [[nodiscard]] double shift_for_errors(double largest, double least) const {
    constexpr double rows_of_tile = 1024.0, margin = 10.0;
    const double unit = CenterTiles<T>::product_roundoff(targets_ * static_cast<Index>(together_));
    return std::min(margin * rows_of_tile * std::pow(unit * largest / target_, 2) / least, largest);
  }

  // F of K_mm + shift I. Rounding of the entries leaves K_mm with negative eigenvalues of some u sqrt(m) k, on which
  // conjugate gradients would diverge: K_mm + e I takes its place in the system, too, with an e that makes it definite.
  BlockCyclicMatrix factor_of_centers(double least) {
    const Index m = tiles_.size();
    BlockCyclicMatrix factor(grid_, m, m + BlockCyclicMatrix::block);  // and room for the preconditioner
    factor.fill([](Index, Index) { return 0.0; });
    tiles_.fill_among_centers(factor);
    auto phase = execution_.phases.enter("preconditioner");
    constexpr int trials = 4;
    constexpr double growth = 10.0, margin = 8.0;
    const double largest = largest_magnitude(factor), for_errors = shift_for_errors(largest, least);
    definite_shift_ =
        margin * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest * std::sqrt(static_cast<double>(m));
    for (int trial = 0; trial < trials; ++trial, definite_shift_ *= growth) {
      if (trial > 0) tiles_.fill_among_centers(factor);
      if (!factorized(factor, definite_shift_)) continue;
      if (trial > 0) {
        warnings_.push_back(
            fmt::format("K among the centers has negative eigenvalues beyond what rounding leaves: {:.2g} is added to "
                        "its diagonal; {} direct takes it as it is",
                        definite_shift_, keys_("solver")));
      }
      if (for_errors <= definite_shift_) return factor;
      tiles_.fill_among_centers(factor);
      if (factorized(factor, for_errors)) return factor;
    }
    throw Error(ErrorKind::numeric,
                fmt::format("K among the centers is not positive semidefinite, and conjugate gradients need a minimum; "
                            "take {} direct",
                            keys_("solver")));
  }

  // F of K_mm + shift I in place of K_mm; false if it is not definite.
  static bool factorized(BlockCyclicMatrix& among, double shift) {
    for (Index j = 0; j < among.local_columns(); ++j) {
      for (Index i = 0; i < among.local_rows(); ++i) {
        if (among.global_row(i) == among.global_column(j)) among.local(i, j) += shift;
      }
    }
    return cholesky(among);
  }

  void choose_rows(bool all_rows) {
    all_rows_ = all_rows;
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

  // A V = (K_nmᵀ K_nm + lambda (K_mm + e I)) V of the columns `pick`, each for its lambda; 0 in the others.
  [[nodiscard]] Columns apply(const Columns& v, const std::vector<Index>& pick, const std::vector<double>& lambdas) {
    const Columns part = v.chosen(pick);
    std::vector<double> ridges;
    for (const Index c : pick) ridges.push_back(lambdas[c / targets_]);
    const std::vector<double> product = tiles_.normal_times(taken_, part.view(), ridges);
    ++products_;
    Columns result(v.rows, v.count);
    for (Index i = 0; i < v.rows; ++i) {
      for (Index c = 0; c < part.count; ++c) {
        result(i, pick[c]) = product[i * part.count + c] + ridges[c] * definite_shift_ * part(i, c);
      }
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
      solution.candidate.singular = left_out_.contains(lambdas[k]);
      solution.coefficients = x.chosen(own).values;
      solutions.push_back(std::move(solution));
    }
    for (std::size_t c = 0; c < residuals.size(); ++c) {
      if (!left_out_.contains(lambdas[c / static_cast<std::size_t>(targets_)])) {
        residual_ = std::max(residual_, residuals[c]);
      }
    }
    return solutions;
  }

  // Conjugate gradients from x = 0, or from what a checkpoint keeps; the residual that the recursion gives is computed
  // anew at the end of each round. @return the relative residuals
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
    // @param accepted  residual at which a column is finished
    const auto renew = [&](double accepted) {
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
        if (residual <= accepted) continue;
        if (gains && iterations[c] < most_) {
          next.push_back(c);
        } else {
          give_up(lambdas, c, iterations[c], residual);
        }
      }
      std::erase_if(next, [&](Index c) { return left_out_.contains(lambdas[c / targets_]); });
      open = std::move(next);
    };
    KeptColumns kept(execution_,
                     fmt::format("regression on centers, {} rows", all_rows_ ? "all" : "nine tenths of the"), b.rows,
                     targets_, lambdas);
    at_start_ = 1.0;
    if (const Index iteration = kept.restore(x, iterations); iteration > 0) {
      if (restored_) restored_(iteration);
      renew(target_);
      at_start_ = std::ranges::max(reached);
      for (const Index c : open) reached[c] = INFINITY;
    }
    while (!open.empty()) {
      round(preconditioner, lambdas, sizes, open, squares, x, r, z, iterations, kept);
      renew(accepted_factor * target_);
    }
    kept.keep(x, iterations);
    return reached;
  }

  // Until the recursion's residuals of the columns `open` are below the target.
  void round(const Preconditioner& preconditioner, const std::vector<double>& lambdas, const std::vector<double>& sizes,
             const std::vector<Index>& open, std::vector<double>& squares, Columns& x, Columns& r, Columns& z,
             std::vector<Index>& iterations, KeptColumns& kept) {
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
      kept.keep_where_due(x, iterations);
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
    if (progress.residual < at_start_) {
      const double gained = std::log(at_start_ / progress.residual);
      progress.remaining = seconds * std::max(0.0, std::log(progress.residual / target_)) / gained;
    }
    tell_(progress);
  }

  // One lambda of several is left out. @throws Error(numeric) for a single one
  void give_up(const std::vector<double>& lambdas, Index column, Index iterations, double residual) {
    const double lambda = lambdas[column / targets_];
    if (!left_out_.insert(lambda).second) return;  // by another target
    const std::string reached = fmt::format(
        "lambda = {:g}: conjugate gradients reach a relative residual of {:.2g} in {} iterations, and "
        "{:.2g} is asked for",
        lambda, residual, iterations, target_);
    const std::string remedy =
        fmt::format("take a larger lambda, a larger {}, or {} direct", keys_("target-residual"), keys_("solver"));
    if (std::ranges::all_of(all_lambdas_, [&](double one) { return left_out_.contains(one); })) {
      throw Error(ErrorKind::numeric, fmt::format("{}; {}", reached, remedy));
    }
    warnings_.push_back(fmt::format("{}: it is left out; {}", reached, remedy));
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
  std::function<void(Index)> restored_;
  std::shared_ptr<const ProcessGrid> grid_;
  std::vector<std::string> warnings_;
  double definite_shift_ = 0.0;  // e of K_mm + e I in the system
  BlockCyclicMatrix factor_;
  bool all_rows_ = true;
  std::vector<Index> taken_;   // rows of the present system
  std::vector<double> sides_;  // of them
  std::vector<double> all_lambdas_;
  std::set<double> left_out_;  // lambdas whose iteration does not converge
  Index products_ = 0;
  double residual_ = 0.0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();  // of the present lambdas
  double told_ = 0.0, at_start_ = 1.0;                                              // at_start_: the largest residual
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

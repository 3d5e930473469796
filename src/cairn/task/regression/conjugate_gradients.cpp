#include "cairn/task/regression/conjugate_gradients.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

using Clock = std::chrono::steady_clock;

/// Rows of this rank by columns, row-major.
struct Block {
  Index rows = 0, columns = 0;
  std::vector<double> values;

  Block(Index own_rows, Index count)
      : rows(own_rows), columns(count), values(static_cast<std::size_t>(own_rows * count), 0.0) {}
  [[nodiscard]] MatrixView<const double> view() const { return {values.data(), rows, columns}; }
  [[nodiscard]] MatrixView<double> view() { return {values.data(), rows, columns}; }
  [[nodiscard]] double& at(Index i, Index c) { return values[static_cast<std::size_t>(i * columns + c)]; }
  [[nodiscard]] double at(Index i, Index c) const { return values[static_cast<std::size_t>(i * columns + c)]; }

  // The same with these columns only.
  [[nodiscard]] Block selected(const std::vector<Index>& keep) const {
    Block result(rows, std::ssize(keep));
    for (Index i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < keep.size(); ++k) result.at(i, static_cast<Index>(k)) = at(i, keep[k]);
    }
    return result;
  }
};

// Inner products of the columns of two blocks. Collective.
std::vector<double> inner_products(const Communicator& communicator, const Block& a, const Block& b) {
  std::vector<double> sums(static_cast<std::size_t>(a.columns), 0.0);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < a.columns; ++c) sums[static_cast<std::size_t>(c)] += a.at(i, c) * b.at(i, c);
  }
  communicator.sum(std::span(sums));
  return sums;
}

// to_c += factors_c from_c.
void add_scaled(Block& to, const std::vector<double>& factors, const Block& from) {
  for (Index i = 0; i < to.rows; ++i) {
    for (Index c = 0; c < to.columns; ++c) to.at(i, c) += factors[static_cast<std::size_t>(c)] * from.at(i, c);
  }
}

// The columns that have not converged, with their numbers in all of them.
struct Active {
  std::vector<Index> columns;
  std::vector<double> shifts, squares;  // squares: zᵀ r
  Block r, p;

  void keep(const std::vector<Index>& places) {
    std::vector<Index> kept;
    std::vector<double> of_shifts, of_squares;
    for (const Index place : places) {
      const auto k = static_cast<std::size_t>(place);
      kept.push_back(columns[k]), of_shifts.push_back(shifts[k]), of_squares.push_back(squares[k]);
    }
    columns = std::move(kept), shifts = std::move(of_shifts), squares = std::move(of_squares);
    r = r.selected(places), p = p.selected(places);
  }
};

class Gradients {
 public:
  Gradients(const Communicator& communicator, const ShiftedSystems& systems, const GradientOptions& options,
            GradientSolution& solution, GradientFailure& failure)
      : communicator_(communicator),
        systems_(systems),
        options_(options),
        solution_(solution),
        failure_(failure),
        x_(systems.rows, systems.columns()),
        b_(systems.rows, systems.columns()) {
    b_.values = systems.right_sides;
    const std::vector<double> squares = inner_products(communicator, b_, b_);
    for (const double square : squares) norms_.push_back(std::sqrt(square));
    solution.iterations.assign(norms_.size(), 0);
    if (options.start.iteration > 0) {
      x_.values = options.start.x;
      solution.iterations = options.start.iterations;
      iteration_ = options.start.iteration;
    }
    solution.residuals.assign(norms_.size(), 0.0);
  }

  bool run() {
    std::vector<Index> columns;
    for (Index c = 0; c < systems_.columns(); ++c) {
      if (norms_[static_cast<std::size_t>(c)] > 0.0) columns.push_back(c);
    }
    Block residual = b_;
    Block products(systems_.rows, systems_.columns());
    if (iteration_ > 0) {
      multiply(x_, products);
      columns = unfinished(products, residual);
      at_start_ = *std::ranges::max_element(solution_.residuals);
    }
    while (!columns.empty()) {
      if (!iterate(columns, residual)) return false;
      multiply(x_, products);
      columns = unfinished(products, residual);
    }
    solution_.x = std::move(x_.values);
    solution_.products = std::move(products.values);
    return true;
  }

 private:
  void multiply(const Block& x, Block& y) {
    systems_.multiply(x.view(), y.view());
    solution_.multiplied += x.columns;
    ++solution_.rounds;
  }

  [[nodiscard]] Block preconditioned(const Active& active) const {
    if (!systems_.precondition) return active.r;
    Block z(active.r.rows, active.r.columns);
    systems_.precondition(active.r.view(), active.shifts, z.view());
    return z;
  }

  // residual = b - (A + shift I) x from A x. Returns the columns where it is above the bound.
  std::vector<Index> unfinished(const Block& products, Block& residual) {
    for (Index i = 0; i < residual.rows; ++i) {
      for (Index c = 0; c < residual.columns; ++c) {
        residual.at(i, c) =
            b_.at(i, c) - products.at(i, c) - systems_.shifts[static_cast<std::size_t>(c)] * x_.at(i, c);
      }
    }
    const std::vector<double> squares = inner_products(communicator_, residual, residual);
    std::vector<Index> columns;
    for (std::size_t c = 0; c < squares.size(); ++c) {
      solution_.residuals[c] = norms_[c] > 0.0 ? std::sqrt(squares[c]) / norms_[c] : 0.0;
      if (solution_.residuals[c] > options_.residual) columns.push_back(static_cast<Index>(c));
    }
    return columns;
  }

  // Iterates from x_ until all of `columns`, whose residuals are given, have converged.
  bool iterate(const std::vector<Index>& columns, const Block& residual) {
    Active active{columns, {}, {}, residual.selected(columns), Block(0, 0)};
    for (const Index c : columns) active.shifts.push_back(systems_.shifts[static_cast<std::size_t>(c)]);
    active.p = preconditioned(active);
    active.squares = inner_products(communicator_, active.r, active.p);
    while (!active.columns.empty()) {
      if (iteration_ >= options_.iterations) return slow(active);
      ++iteration_;
      if (!step(active)) return false;
      Watchdog::beat();
    }
    return true;
  }

  // One iteration. Converged columns leave `active`.
  bool step(Active& active) {
    Block q(active.p.rows, active.p.columns);
    multiply(active.p, q);
    add_scaled(q, active.shifts, active.p);
    const std::vector<double> curvatures = inner_products(communicator_, active.p, q);
    std::vector<double> steps, back;
    for (std::size_t k = 0; k < curvatures.size(); ++k) {
      if (!(curvatures[k] > 0.0)) return indefinite(active, static_cast<Index>(k));
      steps.push_back(active.squares[k] / curvatures[k]);
      back.push_back(-steps.back());
    }
    for (Index i = 0; i < x_.rows; ++i) {
      for (std::size_t k = 0; k < steps.size(); ++k) {
        x_.at(i, active.columns[k]) += steps[k] * active.p.at(i, static_cast<Index>(k));
      }
    }
    add_scaled(active.r, back, q);
    const std::vector<double> residuals = inner_products(communicator_, active.r, active.r);
    double largest = 0.0;
    std::vector<Index> places;
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      const auto c = static_cast<std::size_t>(active.columns[k]);
      solution_.residuals[c] = std::sqrt(residuals[k]) / norms_[c];
      ++solution_.iterations[c];
      largest = std::max(largest, solution_.residuals[c]);
      if (!(solution_.residuals[c] <= options_.residual)) places.push_back(static_cast<Index>(k));
    }
    active.keep(places);
    tell(active, largest);
    if (active.columns.empty()) return true;
    if (options_.keep) options_.keep(iteration_, x_.values, solution_.iterations);
    turn(active);
    return true;
  }

  // The next directions.
  void turn(Active& active) {
    Block z = preconditioned(active);
    const std::vector<double> squares = inner_products(communicator_, active.r, z);
    std::vector<double> factors;
    for (std::size_t k = 0; k < squares.size(); ++k) {
      factors.push_back(active.squares[k] > 0.0 ? squares[k] / active.squares[k] : 0.0);
    }
    add_scaled(z, factors, active.p);
    active.p = std::move(z);
    active.squares = squares;
  }

  void tell(const Active& active, double residual) {
    if (!options_.tell) return;
    GradientProgress now{.iteration = iteration_,
                         .columns = std::ssize(active.columns),
                         .residual = residual,
                         .seconds = std::chrono::duration<double>(Clock::now() - begun_).count()};
    communicator_.broadcast(std::span(&now.seconds, 1), 0);
    const double gained = std::log(at_start_ / residual), wanted = std::log(residual / options_.residual);
    now.remaining = wanted <= 0.0  ? 0.0
                    : gained > 0.0 ? now.seconds * wanted / gained
                                   : std::numeric_limits<double>::infinity();
    options_.tell(now);
  }

  bool indefinite(const Active& active, Index place) {
    failure_ = {.kind = GradientFailure::Kind::indefinite, .column = active.columns[static_cast<std::size_t>(place)]};
    failure_.direction = active.p.selected({place}).values;
    return false;
  }

  bool slow(const Active& active) {
    failure_ = {.kind = GradientFailure::Kind::slow};
    for (const Index c : active.columns) {
      const double residual = solution_.residuals[static_cast<std::size_t>(c)];
      if (residual < failure_.residual) continue;
      failure_.residual = residual, failure_.column = c;
    }
    return false;
  }

  const Communicator& communicator_;
  const ShiftedSystems& systems_;
  const GradientOptions& options_;
  GradientSolution& solution_;
  GradientFailure& failure_;
  Block x_, b_;
  std::vector<double> norms_;
  Index iteration_ = 0;
  double at_start_ = 1.0;  // the largest residual
  Clock::time_point begun_ = Clock::now();
};

// Number of eigenvalues of a symmetric tridiagonal matrix below `value`, by Sturm's sequence.
Index eigenvalues_below(double value, const std::vector<double>& diagonal, const std::vector<double>& beside) {
  Index count = 0;
  double pivot = 1.0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    const double coupling = k > 0 ? beside[k - 1] * beside[k - 1] : 0.0;
    pivot = diagonal[k] - value - (k > 0 ? coupling / pivot : 0.0);
    if (pivot == 0.0) pivot = std::numeric_limits<double>::min();
    if (pivot < 0.0) ++count;
  }
  return count;
}

double smallest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  constexpr int halvings = 60;
  double reach = 0.0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    const double left = k > 0 ? std::abs(beside[k - 1]) : 0.0;
    const double right = k < beside.size() ? std::abs(beside[k]) : 0.0;
    reach = std::max(reach, std::abs(diagonal[k]) + left + right);
  }
  double low = -reach, high = reach;
  for (int k = 0; k < halvings; ++k) {
    const double middle = (low + high) / 2.0;
    (eigenvalues_below(middle, diagonal, beside) > 0 ? high : low) = middle;
  }
  return low;
}

}  // namespace

bool solve_by_gradients(const Communicator& communicator, const ShiftedSystems& systems, const GradientOptions& options,
                        GradientSolution& solution, GradientFailure& failure) {
  return Gradients(communicator, systems, options, solution, failure).run();
}

double estimated_smallest_eigenvalue(
    const Communicator& communicator,
    const std::function<void(MatrixView<const double> x, MatrixView<double> y)>& multiply, std::vector<double> start,
    Index steps) {
  const Index rows = std::ssize(start);
  std::vector<Block> basis;
  std::vector<double> diagonal, beside;
  Block next(rows, 1);
  next.values = std::move(start);
  for (Index step = 0; step < steps; ++step) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const Block& known : basis) {
        add_scaled(next, {-inner_products(communicator, known, next)[0]}, known);
      }
    }
    const double norm = std::sqrt(inner_products(communicator, next, next)[0]);
    const double scale = diagonal.empty() ? 0.0 : std::abs(smallest_of_tridiagonal(diagonal, beside));
    if (!(norm > 1e-10 * scale)) break;  // the space is invariant
    if (!basis.empty()) beside.push_back(norm);
    for (double& value : next.values) value /= norm;
    basis.push_back(next);
    multiply(std::as_const(basis.back()).view(), next.view());
    diagonal.push_back(inner_products(communicator, basis.back(), next)[0]);
    Watchdog::beat();
  }
  return smallest_of_tridiagonal(diagonal, beside);
}

}  // namespace cairn

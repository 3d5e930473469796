// Gradient descent on the squared differences of the same entries as geometric build-up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/distance_geometry/reference_loss.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

// The coordinates of one set of points, and Adam's moments of their gradients. [Kingma and Ba 2015]
struct Points {
  std::vector<double> values, gradient, mean, variance;
  explicit Points(std::size_t size) : values(size), gradient(size), mean(size), variance(size) {}

  // @param step  starts at 1
  void move(double rate, Index step) {
    constexpr double beta_1 = 0.9, beta_2 = 0.999, least = 1e-8;  // values of PyTorch
    const double bias_1 = 1 - std::pow(beta_1, static_cast<double>(step));
    const double bias_2 = 1 - std::pow(beta_2, static_cast<double>(step));
    for (std::size_t k = 0; k < values.size(); ++k) {
      mean[k] = beta_1 * mean[k] + (1 - beta_1) * gradient[k];
      variance[k] = beta_2 * variance[k] + (1 - beta_2) * gradient[k] * gradient[k];
      values[k] -= rate * (mean[k] / bias_1) / (std::sqrt(variance[k] / bias_2) + least);
    }
  }
};

// References are replicated and move in the same way on every rank; other points are moved by their owners.
template <class T>
class Descent {
 public:
  Descent(const Execution& execution, const RowBlock<T>& columns, const std::vector<Index>& references, Index dimension)
      : communicator_(execution.communicator),
        columns_(columns),
        k_(dimension),
        m_(std::ssize(references)),
        own_(static_cast<std::size_t>(columns.range().size() * dimension)),
        references_(static_cast<std::size_t>(m_ * dimension)),
        place_(static_cast<std::size_t>(columns.range().size()), -1) {
    const Random random(execution.seed, Stream::start_vectors);
    const auto draw = [&](Index object, double* point) {
      for (Index k = 0; k < k_; ++k) {
        point[k] = random.normal(static_cast<std::uint64_t>(object), static_cast<std::uint64_t>(k));
      }
    };
    const Range range = columns.range();
    for (Index i = range.begin; i < range.end; ++i) draw(i, own_.values.data() + (i - range.begin) * k_);
    for (Index r = 0; r < m_; ++r) {
      const Index object = references[r];
      draw(object, references_.values.data() + r * k_);
      if (range.contains(object)) place_[object - range.begin] = r;
    }
    const auto m = static_cast<double>(m_), n = static_cast<double>(columns.rows());
    terms_ = m * (m + 1) / 2 + m * (n - m);
  }

  // Returns the loss at the current points, then makes a step. Collective.
  double step(double rate, Index number) {
    const double loss = evaluate();
    own_.move(rate, number);
    references_.move(rate, number);
    return loss;
  }
  // Equation (13): the mean of the squared differences; also computes the gradients. Collective.
  double evaluate() {
    std::ranges::fill(references_.gradient, 0.0);
    double loss = 0;
    collectively(communicator_, [&] {
      for (Index begin = 0; begin < std::ssize(place_); begin += panel) {
        loss += add_panel({begin, std::min(begin + panel, std::ssize(place_))});
      }
    });
    communicator_.sum(std::span<double>(references_.gradient));
    const double scale = 2.0 / terms_;
    for (double& value : references_.gradient) value *= scale;
    for (double& value : own_.gradient) value *= scale;
    return communicator_.sum(loss) / terms_;
  }
  [[nodiscard]] RowBlock<T> points() const {
    RowBlock<T> result(columns_.partition(), communicator_.rank(), k_);
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double* point =
          place_[i] < 0 ? own_.values.data() + static_cast<Index>(i) * k_ : references_.values.data() + place_[i] * k_;
      std::copy_n(point, k_, result.local().row(static_cast<Index>(i)));
    }
    return result;
  }

 private:
  static constexpr Index panel = 512;  // number of rows whose differences stay in cache

  // Differences E = X Aᵀ - C of some own rows, and their gradients. A pair of references counts once: half in each of
  // its rows.
  double add_panel(Range rows) {
    const Index count = rows.size();
    std::vector<double> x(own_.values.begin() + rows.begin * k_, own_.values.begin() + rows.end * k_);
    for (Index i = 0; i < count; ++i) {
      const Index r = place_[rows.begin + i];
      if (r >= 0) std::copy_n(references_.values.data() + r * k_, k_, x.data() + i * k_);
    }
    std::vector<double> e(count * m_);
    multiply<double>({x.data(), count, k_}, transposed<double>({references_.values.data(), m_, k_}),
                     {e.data(), count, m_});
    double loss = 0;
    for (Index i = 0; i < count; ++i) {
      const bool reference = place_[rows.begin + i] >= 0;
      double* row = e.data() + i * m_;
      const T* wanted = columns_.local().row(rows.begin + i);
      double sum = 0;
      for (Index j = 0; j < m_; ++j) {
        row[j] -= static_cast<double>(wanted[j]);
        sum += row[j] * row[j];
      }
      if (reference) {
        const double diagonal = row[place_[rows.begin + i]];
        sum = 0.5 * (sum + diagonal * diagonal);
      }
      loss += sum;
    }
    double* gradient = own_.gradient.data() + rows.begin * k_;
    multiply<double>({e.data(), count, m_}, {references_.values.data(), m_, k_}, {gradient, count, k_});
    for (Index i = 0; i < count; ++i) {
      const Index r = place_[rows.begin + i];
      if (r < 0) continue;
      double* of_reference = references_.gradient.data() + r * k_;
      const double diagonal = e[i * m_ + r];
      for (Index k = 0; k < k_; ++k) {
        of_reference[k] += gradient[i * k_ + k] + diagonal * x[i * k_ + k];
        x[i * k_ + k] = 0;  // already added above
      }
    }
    multiply_add<double>(1.0, transposed<double>({e.data(), count, m_}), {x.data(), count, k_}, 1.0,
                         {references_.gradient.data(), m_, k_});
    return loss;
  }

  const Communicator& communicator_;
  const RowBlock<T>& columns_;
  Index k_, m_;
  Points own_, references_;
  std::vector<Index> place_;  // position of an own object among the references, or -1
  double terms_ = 0;
};

template <class T>
Approximation<T> adam(Problem<T> problem) {
  const Execution& execution = problem.execution;
  const Values& values = problem.parameters;
  const Meaning meaning = problem.similarity.traits().meaning;
  RowBlock<T> columns = landmark_columns(problem);
  const auto phase = execution.phases.enter("descent");
  gram_points::center(execution.communicator, columns, problem.landmarks.indices, meaning);
  const BlasThreads threads(execution.threads);
  const Index steps = values.integer("steps");
  const double rate = values.number("rate"), target = values.number("target");
  auto descent = collectively(execution.communicator, [&] {
    return Descent<T>(execution, columns, problem.landmarks.indices, values.integer("dimension"));
  });
  Progress progress("descent", steps, execution.communicator.is_root(), "steps/s");
  Index taken = 0;
  for (bool done = false; taken < steps && !done;) {
    done = descent.step(rate, ++taken) < target;
    progress.advance(1);
    Watchdog::beat();
  }
  auto points = collectively(execution.communicator, [&] { return descent.points(); });
  const ReferenceLoss reached = reference_loss(execution, columns, problem.landmarks.indices, points);
  MethodReport report;
  report.s1 = columns.columns();
  report.rank = values.integer("dimension");
  report_loss(reached, report);
  report.metrics.emplace_back("steps", static_cast<double>(taken));
  report.notes.push_back(fmt::format("{} steps", taken));
  if (!std::isfinite(reached.loss)) {
    throw Error(ErrorKind::numeric,
                fmt::format("the descent does not converge: take a smaller {} than {:g}", values.keys()("rate"), rate));
  }
  return gram_points::from_points(execution, std::move(points), meaning, std::move(report));
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index dimension = values.integer("dimension");
  const double product = 2.0 * static_cast<double>(input.data.objects) * static_cast<double>(input.landmarks) *
                         static_cast<double>(dimension);
  const Index rows = RowPartition(input.data.objects, input.ranks).range(0).size();
  return {.left = dimension,
          .columns = input.landmarks,
          .embedding = true,
          .core_matrix = dimension,
          // The columns, and four numbers for every coordinate of own points and of the references.
          .core_bytes = rows * input.landmarks * input.value_bytes + 4 * (rows + input.landmarks) * dimension * 8,
          .product_flops = 3 * product * static_cast<double>(values.integer("steps")) / input.ranks};
}

}  // namespace

const MethodDescriptor& adam_method() {
  using enum ValueType;
  static const MethodDescriptor method{
      .name = "adam",
      .summary =
          "Gradient descent by Adam on the entries that gbu takes: the mean of (v_i . v_j - K_ij)² over the "
          "references j; a baseline.",
      .source = "Khalife, Gonçalves and Liberti 2022, equation 13; Kingma and Ba 2015",
      .parameters = {gram_points::dimension(),
                     {.name = "rate",
                      .value = "NUMBER",
                      .type = number,
                      .fallback = "0.1",
                      .help = "Adam's learning rate.",
                      .above = 0},
                     {.name = "steps",
                      .value = "N",
                      .type = integer,
                      .fallback = "1000",
                      .help = "Steps at most, each with all entries.",
                      .lowest = 1},
                     {.name = "target",
                      .value = "NUMBER",
                      .type = number,
                      .fallback = "0.001",
                      .help = "The descent ends if the mean of the squared differences falls below this.",
                      .lowest = 0}},
      .output = gram_points::outputs(),
      .default_count = gram_points::default_references,
      .check = gram_points::check_references,
      .cost = cost,
      .run_single = adam<float>,
      .run_double = adam<double>};
  return method;
}

}  // namespace cairn

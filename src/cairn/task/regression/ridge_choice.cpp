// Kernel ridge regression in the way that is worth it: what each way would take, and a choice.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "cairn/task/regression/chosen_rows.hpp"
#include "cairn/task/regression/full_ridge.hpp"
#include "cairn/task/regression/kept_centers.hpp"
#include "cairn/task/regression/kernel_decomposition.hpp"
#include "cairn/task/regression/kernel_products.hpp"
#include "cairn/task/regression/ridge_ways.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

namespace {

using Clock = std::chrono::steady_clock;

/// Products with K that preconditioned conjugate gradients are taken to need: a few with a large lambda and good
/// factors, some hundred with a small one.
constexpr double expected_products = 40.0;
/// A rate is measured until it has taken so long.
constexpr double enough_seconds = 0.05;

// What a way would take.
struct Forecast {
  const RidgeWay* way = nullptr;
  double evaluations = 0.0;
  std::optional<double> seconds{};  // nothing: not known
  std::string unable{};             // why it cannot be taken; empty: it can

  [[nodiscard]] bool able() const { return unable.empty(); }
};

// Multiplications and additions a second of a thread of the slowest rank, in a product of two matrices. Collective.
double measured_flops(const Communicator& communicator) {
  constexpr Index order = 384;
  const auto count = static_cast<std::size_t>(order * order);
  const std::vector<double> a(count, 1.0), b(count, 1.0);
  std::vector<double> c(count, 0.0);
  double flops = 0.0, seconds = 0.0;
  const BlasThreads one(1);
  const auto begun = Clock::now();
  while (seconds < enough_seconds) {
    multiply<double>({a.data(), order, order}, {b.data(), order, order}, {c.data(), order, order});
    flops += 2.0 * static_cast<double>(order * order * order);
    seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  }
  return 1.0 / communicator.maximum(seconds / flops);
}

// Seconds of a product with K for each of its entries, while all ranks work. @throws as KernelMatrix. Collective.
template <class T>
double seconds_of_entry(const Execution& execution, MatrixOfResult<T>& matrix, Index columns) {
  const Communicator& communicator = execution.communicator;
  const ObjectSet& objects = matrix.compared();
  const Index ranks = communicator.size();
  // At first a small tile for each thread.
  auto all = static_cast<Index>(32.0 * std::ceil(std::sqrt(static_cast<double>(2 * ranks * execution.threads))));
  for (;; all *= 2) {
    std::vector<Index> rows(static_cast<std::size_t>(std::min(objects.range().size(), (all + ranks - 1) / ranks)));
    std::iota(rows.begin(), rows.end(), objects.range().begin);
    const KernelMatrix<T> kernel(execution, matrix.entries(), objects, rows);
    const std::vector<double> x(rows.size() * static_cast<std::size_t>(columns), 1.0);
    std::vector<double> y(x.size());
    const auto begun = Clock::now();
    kernel.multiply({x.data(), std::ssize(rows), columns}, {y.data(), std::ssize(rows), columns});
    const double seconds = communicator.maximum(std::chrono::duration<double>(Clock::now() - begun).count());
    if (seconds > enough_seconds || kernel.size() < all) {
      return seconds / static_cast<double>(kernel.entries_a_product());
    }
  }
}

template <class T>
class RidgeChoice {
 public:
  RidgeChoice(const TaskInput& input, const ResultShape& shape)
      : input_(input), communicator_(input.execution.communicator), shape_(shape) {}

  TaskReport run() {
    if (input_.tell) input_.tell({});
    TaskInput input = input_;
    const RidgeWay& taken = choose(input);
    ReportText table = table_of(taken);
    if (input_.tell) input_.tell(table);
    TaskReport report = taken.run(input);
    report.text = table.add(report.text);
    Metric::List ways;
    for (const Forecast& one : forecasts_) {
      ways.emplace_back(Metric::Record{{"way", one.way->name},
                                       {"evaluations", one.evaluations},
                                       {"seconds", one.seconds},
                                       {"unable", one.able() ? Metric() : Metric(one.unable)}});
    }
    report.metrics.emplace_back("ways", std::move(ways));
    return report;
  }

 private:
  // Hands the objects over to a way that needs them. Collective.
  const RidgeWay& choose(TaskInput& input) {
    const auto phase = input_.execution.phases.enter("choice");
    const std::string& path = input_.results.front();
    const StoredResult<T> result =
        read_result_beside_rows<T>(communicator_, path, most_tile_bytes(communicator_, input_.memory, path));
    const ChosenRows chosen = choose_rows(input_, result);
    const auto rows = static_cast<double>(chosen.training_rows), m = static_cast<double>(shape_.left_columns);
    const double a_row =
        shape_.sparse ? static_cast<double>(shape_.left_entries) / static_cast<double>(shape_.rows) : m;
    const Index lambdas = std::ssize(task_parameters::positive_numbers(input_.values, "lambda"));
    const double flops = measured_flops(communicator_) * communicator_.size() * input_.execution.threads;
    constexpr double decompositions = 60.0;           // times m³: of two symmetric matrices
    const double products = lambdas > 1 ? 6.0 : 4.0;  // times n m²: features, their Gram matrix, leave-one-out
    factors_.seconds = (products * rows * a_row * a_row + decompositions * m * m * m) / flops;
    if (!shape_.left_stored) factors_.unable = full_.unable = "the result has no rows of L";
    unless_able(full_, [&] { require_kernel(result.approximation, input_.keys.approximation); });
    if (!full_.able() && shape_.left_stored) factors_.unable = full_.unable;
    std::unique_ptr<MatrixOfResult<T>> matrix;
    try {
      matrix = matrix_of<T>(input_, 0, result.description);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input && error.kind() != ErrorKind::usage) throw;
      full_.unable = centers_.unable = error.what();
    }
    if (matrix) {
      const EntryTraits& traits = matrix->entries().traits();
      if (traits.one_sided || matrix->entries().by_source() != nullptr) {
        centers_.unable = traits.name + " is evaluated from one object to all others";
      } else if (own_landmarks(result).empty()) {
        centers_.unable = "the result has no landmarks among its own rows";
      }
      Forecast measured{.way = &full_ridge()};
      unless_able(measured, [&] {
        const double entry = seconds_of_entry<T>(input_.execution, *matrix, lambdas * chosen.targets.count());
        const bool direct = m <= static_cast<double>(most_direct_centers);
        full_.evaluations = expected_products * rows * rows / 2.0;
        full_.seconds = full_.evaluations * entry + *factors_.seconds;
        centers_.evaluations = rows * m * (direct ? 1.0 : expected_products);
        centers_.seconds =
            centers_.evaluations * entry + ((direct ? rows * m * m : 0.0) + decompositions * m * m * m) / flops;
        measured.unable = memory_of_full(*matrix, chosen, lambdas);
      });
      if (full_.able()) full_.unable = measured.unable;
    }
    forecasts_ = {full_, factors_, centers_};
    const auto limit = static_cast<double>(input_.values.integer("within"));
    const Forecast& taken = full_.able() && *full_.seconds <= limit ? full_ : factors_.able() ? factors_ : centers_;
    if (!taken.able()) {
      throw Error(ErrorKind::usage, fmt::format("no way of regression can be taken; full: {}; factors: {}; centers: {}",
                                                full_.unable, factors_.unable, centers_.unable));
    }
    if (taken.way == &factor_ridge()) return *taken.way;
    auto found = std::make_shared<std::unique_ptr<MatrixOfResult<T>>>(std::move(matrix));
    const auto hand_over = [found](const std::string&, const ResultDescription&) { return std::move(*found); };
    if constexpr (std::is_same_v<T, float>) {
      input.matrix_single = hand_over;
    } else {
      input.matrix_double = hand_over;
    }
    return *taken.way;
  }

  // An error of `check` says why the way cannot be taken.
  template <class Check>
  static void unless_able(Forecast& way, Check&& check) {
    if (!way.able()) return;
    try {
      std::forward<Check>(check)();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::input) throw;
      way.unable = error.what();
    }
  }

  // Why the memory does not suffice; empty: it does. Collective.
  [[nodiscard]] std::string memory_of_full(MatrixOfResult<T>& matrix, const ChosenRows& chosen, Index lambdas) const {
    const Index features = shape_.sparse ? 0 : shape_.left_columns;
    const FullRidgeBytes bytes = bytes_of_full_ridge<T>(input_.execution, matrix.compared(), chosen.training_rows,
                                                        lambdas * chosen.targets.count(), features);
    const Index budget = input_.memory.budget_of_rank(communicator_, 0.9);
    if (!input_.memory.refuses(static_cast<double>(bytes.sum()), budget)) return "";
    return fmt::format("it takes {} of each rank, which has {}", format_bytes(static_cast<double>(bytes.sum())),
                       input_.memory.budget_text(budget));
  }

  [[nodiscard]] ReportText table_of(const RidgeWay& taken) const {
    std::vector<std::vector<std::string>> rows = {{"way", "evaluations, about", "seconds, about", ""}};
    for (const Forecast& one : forecasts_) {
      rows.push_back({one.way->name, one.able() ? fmt::format("{:.2g}", one.evaluations) : "",
                      one.able() && one.seconds ? fmt::format("{:.2g}", *one.seconds) : "",
                      one.way == &taken ? "taken" : one.unable});
    }
    ReportText text;
    for (const Parameter& parameter : ridge_iteration_parameters()) {
      if (&taken != &factor_ridge() || !input_.values.given(parameter.name)) continue;
      text.note(fmt::format("{} has no effect: factors are solved for directly", input_.values.where(parameter.name)));
    }
    return ReportText()
        .table(std::move(rows))
        .add(text)
        .note(fmt::format("K itself (full) is taken where about {:.0f} products with it end within {} ({})",
                          expected_products, input_.values.text("within"), input_.values.keys()("within")))
        .gap();
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  const ResultShape& shape_;
  Forecast full_{.way = &full_ridge()}, factors_{.way = &factor_ridge()}, centers_{.way = &center_ridge()};
  std::vector<Forecast> forecasts_;
};

TaskReport run_chosen(const TaskInput& input) {
  const ResultShape shape = read_result_shape(input.execution.communicator, input.results.front());
  std::optional<TaskReport> report;
  with_precision(shape.precision, [&](auto number) { report = RidgeChoice<decltype(number)>(input, shape).run(); });
  return std::move(*report);
}

std::string undrawn_ways(const Values& /*values*/) { return ""; }

}  // namespace

const RidgeWay& chosen_ridge() {
  static const RidgeWay way{
      .name = "auto",
      .help =
          "full, if memory and the time of --within suffice; else factors, if the result has the rows of L; else "
          "centers. A table says what each would take.",
      .parameters = task_parameters::with(
          ridge_iteration_parameters(),
          {{.name = "within",
            .value = "TIME",
            .type = ValueType::duration,
            .fallback = "5m",
            .help = "auto takes regression on K itself where about 40 products with K are expected to end within this "
                    "time; it may take more or fewer."}}),
      .matrix = true,
      .undrawn = undrawn_ways,
      .run = run_chosen};
  return way;
}

}  // namespace cairn

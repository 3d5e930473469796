#include "cairn/run/transport/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/run/session.hpp"
#include "cairn/run/transport/epsilon_range.hpp"
#include "cairn/run/transport/kernel_factors.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/task/transport/exact_coupling.hpp"
#include "cairn/task/transport/factor_coupling.hpp"
#include "cairn/task/transport/measure.hpp"
#include "cairn/task/transport/positive_coupling.hpp"

namespace cairn {

namespace {

// Checks of a transport before and after its computation.

// Marginal violations under the exact kernel above this value give a warning; weights sum to 1.
inline constexpr double warned_violation = 0.01;
// Marginal violations under any kernel above this value are an error: at 2 no mass is where it should be.
inline constexpr double refused_violation = 1.0;

// @param weights  of this rank's `rows`, or empty on every rank: all are equal @param file  file that they were read
// from, or empty
// @throws Error(input) for weights that are negative, not finite, or all 0; the same on every rank. Collective.
void require_weights(const Communicator& communicator, std::span<const double> weights, const std::string& file,
                     const Range& rows, Side side) {
  const std::string where = file.empty() ? "" : file + ": ";
  const bool any = communicator.maximum(static_cast<Index>(weights.size())) > 0;
  double total = any ? 0.0 : 1.0;
  collectively(communicator, [&] {
    if (any && static_cast<Index>(weights.size()) != rows.size()) {
      throw Error(ErrorKind::input, fmt::format("there are {} weights for {} {} points of a rank", weights.size(),
                                                rows.size(), name_of(side)));
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] >= 0.0 && std::isfinite(weights[i])) {
        total += weights[i];
        continue;
      }
      throw Error(ErrorKind::input, fmt::format("{}the weight of {} row {}, from 0, is {}; weights are at least 0",
                                                where, name_of(side), rows.begin + static_cast<Index>(i), weights[i]));
    }
  });
  total = communicator.sum(total);
  if (!(total > 0.0 && std::isfinite(total))) {
    throw Error(ErrorKind::input, fmt::format("{}the weights of the {} points sum to {}", where, name_of(side), total));
  }
}

// @param values  of transport_parameters(): a tolerance above refused_violation replaces it
// @param what  "under the kernel itself the marginals" @param remedy  advice
// @throws Error(numeric) if the marginals of a side are off by more, or by NaN. Local.
void require_marginals(const Values& values, const std::string& what, double source, double target,
                       const std::string& remedy) {
  const double off = std::isnan(source) ? source : std::max(target, source);  // NaN if either is NaN
  if (off <= std::max(refused_violation, values.number("tolerance"))) return;
  throw Error(ErrorKind::numeric, fmt::format("{} are off by {:.2g} and {:.2g}: no plan of exp(-cost / epsilon) was "
                                              "found; {}",
                                              what, source, target, remedy));
}

// Annealing starts from the largest cost if that exceeds this multiple of epsilon: below, the iteration converges as
// fast without.
constexpr double annealed_costs = 100.0;

// State of a transport while it is computed.
template <class T>
class Transporter {
 public:
  explicit Transporter(const TransportInput<T>& input)
      : input_(input), execution_(input.execution), epsilon_(input.choice.values.number("epsilon")) {}

  Transported<T> run();

 private:
  // Merges equal points of both sides and assigns them to ranks.
  void take_points();
  // Finds scalings under the chosen kernel.
  void solve();
  void solve_automatically();
  // Computes K~ of both sides by the method. @param landmarks  replaces the number of the choice; 0: keeps it
  void approximate_kernel(Index landmarks);
  void couple_by_factors(const std::string& kernel, Index landmarks);
  void couple_exactly();
  [[nodiscard]] std::unique_ptr<Coupling<T>> coupling_of(Side left, Side right) const;
  [[nodiscard]] SinkhornOutcome iterate(Coupling<T>& coupling, std::array<Side, 2> sides, const std::string& name,
                                        const Annealing& annealing = {});
  [[nodiscard]] Annealing annealing_of(ExactCoupling<T>& coupling) const;
  // Refuses a plan whose marginals are off by more than allowed.
  void judge_own_marginals(const SinkhornOutcome& outcome, const PlanValues& values, const std::string& of) const;
  void measure_under_kernel();
  // Refuses, or warns about, a plan that is far from one of exp(-cost / epsilon).
  void judge_under_kernel();
  [[nodiscard]] const Measure<T>& measure(Side side) const {
    return side == Side::source ? found_.source : found_.target;
  }
  void describe() { found_.plan = describe_plan(execution_, *coupling_, epsilon_); }
  // The entropic cost of one side with itself.
  [[nodiscard]] double cost_with_itself(Side side);
  void compute_divergence();

  const TransportInput<T>& input_;
  const Execution& execution_;
  double epsilon_;
  double largest_cost_ = 0.0;  // upper bound
  Transported<T> found_;
  std::optional<InterleavedRows> rows_;
  std::unique_ptr<TransportCost<T>> cost_;
  std::optional<Computed<T>> kernel_;  // factors; nothing: the kernel is exact or positive
  std::optional<PointBall> ball_;      // for positive features: one for all
  bool exactly_ = false;               // the exact kernel is used
  std::unique_ptr<Coupling<T>> coupling_;
};

template <class T>
void Transporter<T>::take_points() {
  const auto phase = execution_.phases.enter("equal points");
  const Communicator& communicator = execution_.communicator;
  const Index dimension = input_.source.columns();
  collectively(communicator, [&] {
    if (input_.target.columns() != dimension) {
      throw Error(ErrorKind::usage, fmt::format("the source points have {} coordinates, the target points {}",
                                                dimension, input_.target.columns()));
    }
    if (input_.source.rows() == 0 || input_.target.rows() == 0) {
      throw Error(ErrorKind::usage, fmt::format("there are no {} points",
                                                name_of(input_.source.rows() == 0 ? Side::source : Side::target)));
    }
  });
  const auto merge = [&](const RowBlock<T>& rows, std::span<const double> weights, const std::string& file, Side side) {
    require_weights(communicator, weights, file, rows.range(), side);
    MergedPoints<T> merged = merge_points(communicator, rows, weights);
    found_.dropped += merged.dropped;
    if (const Index taken = rows.rows() - merged.dropped; merged.size < taken) {
      found_.notes.push_back(fmt::format("{} {} rows are equal to others: {} different points are left",
                                         grouped(taken - merged.size), name_of(side), grouped(merged.size)));
    }
    return merged;
  };
  MergedPoints<T> source = merge(input_.source, input_.source_weights, input_.source_weights_file, Side::source);
  MergedPoints<T> target = merge(input_.target, input_.target_weights, input_.target_weights_file, Side::target);
  rows_.emplace(source.size, target.size, communicator.size());
  found_.source = deal_points(communicator, source, *rows_, Side::source, dimension);
  found_.target = deal_points(communicator, target, *rows_, Side::target, dimension);
  found_.source_groups = std::move(source.groups);
  found_.target_groups = std::move(target.groups);
  if (found_.dropped > 0) {
    found_.notes.push_back(fmt::format("{} rows of weight 0 were left out", grouped(found_.dropped)));
  }
  cost_ = std::make_unique<TransportCost<T>>(input_.choice.values.text("cost"), dimension);
  largest_cost_ = require_epsilon_in_reach(communicator, found_.source, found_.target, input_.choice.values);
}

template <class T>
void Transporter<T>::approximate_kernel(Index landmarks) {
  MethodChoice method = *input_.choice.method;
  if (method.method->has("embedding")) method.values = method.values.with("embedding", "true");
  if (landmarks > 0) method.landmarks = method.landmarks.with("count", std::to_string(landmarks));
  const SimilarityChoice similarity =
      SimilarityChoice(rbf_similarity()).set("gamma", fmt::format("{:.17g}", 1.0 / epsilon_));
  PrefixedLedger ledger(execution_.ledger, fmt::format("kernel of {} landmarks, ", landmarks));
  const Execution own{execution_.communicator, execution_.phases, ledger, execution_.threads, execution_.seed};
  kernel_.emplace(kernel_factors<T>({.execution = own,
                                     .source = found_.source,
                                     .target = found_.target,
                                     .rows = *rows_,
                                     .similarity = similarity,
                                     .method = method,
                                     .budget = input_.budget,
                                     .across = !input_.choice.values.flag("debiased")}));
  found_.evaluations += kernel_->description.evaluations;
}

template <class T>
std::unique_ptr<Coupling<T>> Transporter<T>::coupling_of(Side left, Side right) const {
  const Measure<T>& source = measure(left);
  const Measure<T>& target = measure(right);
  if (!kernel_ && !exactly_ && input_.choice.positive()) {
    return std::make_unique<PositiveCoupling<T>>(execution_, source, target, epsilon_,
                                                 input_.choice.values.integer("features"), *ball_);
  }
  return collectively(execution_.communicator, [&]() -> std::unique_ptr<Coupling<T>> {
    if (!kernel_) return std::make_unique<ExactCoupling<T>>(execution_, source, target, *cost_, epsilon_);
    return std::make_unique<FactorCoupling<T>>(execution_, source, target, kernel_->approximation, *rows_, left, right);
  });
}

template <class T>
SinkhornOutcome Transporter<T>::iterate(Coupling<T>& coupling, std::array<Side, 2> sides, const std::string& name,
                                        const Annealing& annealing) {
  const Values& values = input_.choice.values;
  const SinkhornOutcome outcome = sinkhorn(execution_, *rows_, coupling,
                                           {.iterations = values.integer("iterations"),
                                            .tolerance = values.number("tolerance"),
                                            .symmetric = sides[0] == sides[1],
                                            .sides = sides,
                                            .name = name,
                                            .evaluations = [this] { return cost_->evaluations(); },
                                            .epsilon = epsilon_,
                                            .annealing = annealing});
  found_.evaluations += outcome.earlier_evaluations;
  if (outcome.earlier > 0) {
    found_.notes.push_back(fmt::format("the iteration by {} went on after iteration {}, from a checkpoint", name,
                                       grouped(outcome.earlier)));
  }
  return outcome;
}

template <class T>
void Transporter<T>::couple_by_factors(const std::string& kernel, Index landmarks) {
  if (input_.choice.positive()) ball_ = ball_around(execution_.communicator, found_.source, found_.target);
  coupling_ = coupling_of(Side::source, Side::target);
  found_.kernel = kernel;
  found_.columns = kernel_ ? kernel_->approximation.left.columns() : input_.choice.values.integer("features");
  found_.iterations = iterate(
      *coupling_, {Side::source, Side::target},
      fmt::format("{} of {} columns", landmarks > 0 ? fmt::format("{} of {} landmarks", kernel, landmarks) : kernel,
                  found_.columns));
  describe();
}

// All iterations use the plan's epsilon if their number is fixed instead of a tolerance.
template <class T>
Annealing Transporter<T>::annealing_of(ExactCoupling<T>& coupling) const {
  Annealing annealing;
  if (input_.choice.values.number("tolerance") == 0.0 || largest_cost_ <= annealed_costs * epsilon_) return annealing;
  double epsilon = largest_cost_;
  while (epsilon > epsilon_) {
    annealing.epsilons.push_back(epsilon);
    epsilon *= Annealing::factor;
  }
  annealing.take = [&coupling](double next) { coupling.set_epsilon(next); };
  return annealing;
}

template <class T>
void Transporter<T>::couple_exactly() {
  kernel_.reset();
  exactly_ = true;
  coupling_ = coupling_of(Side::source, Side::target);
  const Annealing annealing = annealing_of(dynamic_cast<ExactCoupling<T>&>(*coupling_));
  found_.kernel = "exact";
  found_.columns = 0;
  found_.exact_source.reset();
  found_.exact_target.reset();
  found_.iterations = iterate(*coupling_, {Side::source, Side::target}, "the exact kernel", annealing);
  if (found_.iterations.epsilons > 0) {
    found_.notes.push_back(fmt::format("{} of the iterations came down from {:.3g} to epsilon, by {} steps",
                                       grouped(found_.iterations.annealed), largest_cost_, found_.iterations.epsilons));
  }
  describe();
}

template <class T>
void Transporter<T>::measure_under_kernel() {
  const Index points = input_.choice.values.integer("sample");
  if (points == 0 || found_.columns == 0) return;
  found_.exact_source = sampled_violation(execution_, *coupling_, Side::source, *cost_, epsilon_, points);
  found_.exact_target = sampled_violation(execution_, *coupling_, Side::target, *cost_, epsilon_, points);
}

// Checks the marginals under the kernel that was used.
template <class T>
void Transporter<T>::judge_own_marginals(const SinkhornOutcome& outcome, const PlanValues& values,
                                         const std::string& of) const {
  const Values& given = input_.choice.values;
  require_marginals(given,
                    fmt::format("after {} iterations the marginals of the plan{}", grouped(outcome.iterations), of),
                    values.violation_source, values.violation_target,
                    fmt::format("set {} or {} higher", given.keys()("iterations"), given.keys()("epsilon")));
}

template <class T>
void Transporter<T>::judge_under_kernel() {
  if (!found_.exact_source) return;
  const double source = found_.exact_source->value, target = found_.exact_target->value;
  const double off = std::isnan(source) ? source : std::max(target, source);  // NaN if either is NaN
  if (off <= std::max(warned_violation, input_.choice.values.number("tolerance"))) return;
  const std::string what = "under the kernel itself the marginals",
                    remedy = "take more landmarks or features, or the exact kernel";
  require_marginals(input_.choice.values, what, source, target, remedy);
  found_.warnings.push_back(
      fmt::format("{} are off by {:.2g} and {:.2g}: costs and barycentres are those of another "
                  "kernel; {}",
                  what, source, target, remedy));
}

// Factors are accepted if every sum was above 0 and the plan fits the exact kernel.
template <class T>
void Transporter<T>::solve_automatically() {
  const double tolerance = input_.choice.values.number("tolerance");
  const std::string method = input_.choice.method->method->name;
  const Index points = rows_->partition().rows();
  for (Index landmarks = first_landmarks; landmarks <= std::min(most_landmarks, points / 4); landmarks *= 2) {
    const auto reject = [&](const std::string& why) {
      found_.notes.push_back(fmt::format("{} landmarks do not do: {}", landmarks, why));
    };
    try {
      approximate_kernel(landmarks);
      couple_by_factors(method, landmarks);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::numeric) throw;
      reject(error.what());
      continue;
    }
    measure_under_kernel();
    // If few points of the sample are far off, the standard error is large, too: it must be small itself.
    const double limit = std::max(tolerance, found_.iterations.converged ? 0.0 : found_.plan.values.violation_source);
    const auto fits = [&](const SampledViolation& one) { return one.value + 2 * one.standard_error <= 2 * limit; };
    if (fits(*found_.exact_source) && fits(*found_.exact_target)) return;
    reject(fmt::format("under the kernel itself the marginals are off by {:.2g} and {:.2g}", found_.exact_source->value,
                       found_.exact_target->value));
  }
  couple_exactly();
}

template <class T>
void Transporter<T>::solve() {
  const TransportChoice& choice = input_.choice;
  if (choice.automatic()) return solve_automatically();
  if (choice.exact()) return couple_exactly();
  if (choice.method) approximate_kernel(0);
  couple_by_factors(choice.kernel(), 0);
  measure_under_kernel();
  judge_under_kernel();
}

template <class T>
double Transporter<T>::cost_with_itself(Side side) {
  const std::unique_ptr<Coupling<T>> coupling = coupling_of(side, side);
  const std::string name = fmt::format("{} points with themselves", name_of(side));
  const SinkhornOutcome outcome = iterate(*coupling, {side, side}, name + (exactly_ ? " under the exact kernel" : ""));
  if (!outcome.converged && input_.choice.values.number("tolerance") > 0.0) {
    found_.warnings.push_back(fmt::format("{} iterations did not converge for the {}: the divergence is off",
                                          grouped(outcome.iterations), name));
  }
  const PlanValues values = describe_plan(execution_, *coupling, epsilon_).values;
  judge_own_marginals(outcome, values, " of the " + name);
  return values.dual;
}

// All three terms must use one kernel, otherwise their errors do not cancel.
template <class T>
void Transporter<T>::compute_divergence() {
  const auto compute = [&] {
    const double both = cost_with_itself(Side::source) + cost_with_itself(Side::target);
    found_.divergence = found_.plan.values.dual - both / 2;
  };
  try {
    compute();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric || !input_.choice.automatic() || exactly_) throw;
    found_.notes.push_back(fmt::format("the exact kernel was taken, since of points with themselves {}", error.what()));
    couple_exactly();
    compute();
  }
}

template <class T>
Transported<T> Transporter<T>::run() {
  take_points();
  solve();
  judge_own_marginals(found_.iterations, found_.plan.values, "");
  if (input_.choice.values.flag("debiased")) compute_divergence();
  const SinkhornOutcome& iterations = found_.iterations;
  if (!iterations.converged && input_.choice.values.number("tolerance") > 0.0) {
    found_.warnings.push_back(
        fmt::format("{} iterations did not converge: the marginals of the plan are off by {:.2g}{}",
                    grouped(iterations.iterations), found_.plan.values.violation_source,
                    sizeof(T) == 4 ? "; in single precision logarithms of scalings are rounded" : ""));
  }
  if (input_.unseen != nullptr) {
    const RowBlock<T>& unseen = *input_.unseen;
    const std::vector<double> mapped = map_points(execution_, *coupling_, *cost_, epsilon_, unseen.local());
    found_.mapped = collectively(execution_.communicator, [&] {
      RowBlock<double> block(unseen.partition(), execution_.communicator.rank(), unseen.columns());
      std::ranges::copy(mapped, block.local().data);
      return block;
    });
  }
  if (kernel_) {
    const MethodReport& report = kernel_->approximation.report;
    found_.notes.insert(found_.notes.end(), report.notes.begin(), report.notes.end());
    found_.warnings.insert(found_.warnings.end(), report.warnings.begin(), report.warnings.end());
  }
  found_.evaluations += execution_.communicator.sum(cost_->evaluations());
  return std::move(found_);
}

}  // namespace

template <class T>
Transported<T> transport(const TransportInput<T>& input) {
  collectively(input.execution.communicator, [&] { check(input.choice); });
  return Transporter<T>(input).run();
}

template <class T>
Transported<T> transport(const Session& session, const Objects<T>& source, const Objects<T>& target,
                         const GivenValues& given, const TransportWeights& weights) {
  session.require_same_call("transport", words_of(given));
  const TransportChoice choice = collectively(session.communicator(), [&] {
    if (source.kind() != objects::points || target.kind() != objects::points) {
      throw Error(ErrorKind::usage, "a transport is between points");
    }
    return transport_choice(given);
  });
  std::optional<RowBlock<T>> whole_source, whole_target;
  const auto coordinates = [&](const Objects<T>& side, std::optional<RowBlock<T>>& whole) -> const RowBlock<T>& {
    const PointSet<T>& points = *side.data().points();
    if (!points.is_sparse()) return points.coordinates();
    note_all_coordinates(session.communicator(), points, "transport");
    return whole.emplace(points.all_coordinates(session.communicator()));
  };
  const auto at_points = [&](std::span<const double> own, const Objects<T>& points) -> std::vector<double> {
    if (session.communicator().maximum(static_cast<Index>(own.size())) == 0) return {};
    return distribute_numbers(session, own, points.size(), "weights");
  };
  const std::vector<double> of_source = at_points(weights.source, source),
                            of_target = at_points(weights.target, target);
  return transport<T>({.execution = session.execution(),
                       .source = coordinates(source, whole_source),
                       .target = coordinates(target, whole_target),
                       .source_weights = of_source,
                       .target_weights = of_target,
                       .choice = choice,
                       .budget = {session.memory(), session.options().scratch_folder}});
}

#define CAIRN_INSTANTIATE(T)                                                                                  \
  template Transported<T> transport(const TransportInput<T>&);                                                \
  template Transported<T> transport(const Session&, const Objects<T>&, const Objects<T>&, const GivenValues&, \
                                    const TransportWeights&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

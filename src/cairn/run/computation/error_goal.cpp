#include "cairn/run/computation/error_goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/error/certificate.hpp"
#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"
#include "cairn/landmark/diagonal.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/landmark/weighted_draws.hpp"
#include "cairn/run/computation/computation.hpp"

namespace cairn {

namespace {

namespace names = landmark_names;

constexpr double most_growth = 1.3, least_growth = 1.05;
constexpr double estimated_deviations = 4.0;  // for a goal that is not certified
constexpr Index rows_a_landmark = 4;          // of the core matrix of an indefinite K
constexpr Index least_for_more_rows = 640;    // objects: 20 for each of the first landmarks
constexpr double out_of_reach = 1.5;          // the diagonal of E alone is so much larger than the goal
constexpr Index least_pairs = 4096, most_pairs = Index{1} << 20;
// Errors below these are those of rounding in K~, whose core matrix has the condition of K.
constexpr double reachable_double = 1e-6, reachable_single = 1e-4;

bool bounds_errors(const SimilarityTraits& traits) {
  return traits.definite || traits.semidefinite || traits.negative_type;
}

struct Measured {
  double error = 0.0;
  double limit = 0.0;
  bool certified = false;
  std::string stopped{};  // why more landmarks are of no use
};

// Measures the error with one number of landmarks after the other.
template <class T>
class GoalMeasure {
 public:
  GoalMeasure(const Execution& execution, const ExactMatrix<T>& exact, const ErrorGoal& goal)
      : execution_(execution), exact_(exact), goal_(goal) {}

  // Measures K~ = F Fᵀ, whose residual diagonal is known.
  // @param last  no more landmarks follow: the limit is computed however large the error is
  Measured of_factor(LandmarkGrowth<T>& growth, bool last) {
    RowBlock<T>& factor = *growth.factor();
    std::vector<double> squares(growth.residual().begin(), growth.residual().end());
    for (double& value : squares) value *= value;
    const double least = std::sqrt(sum_of_weights(execution_.communicator, exact_.objects->partition(), squares));
    if (!last && norm_ > 0.0 && least > out_of_reach * goal_.error * norm_) {
      return {least / norm_, std::numeric_limits<double>::infinity(), true};
    }
    Approximation<T> product;
    product.left = std::move(factor);
    product.core_matrix = IdentityCore{growth.count()};
    norm_ = norm_of(product);
    const Measured found = certified(product, residual_bounds(product.left.dense(), growth.residual(), norm_));
    factor = std::move(product.left.dense());
    return found;
  }

  Measured of(const Approximation<T>& approximation) {
    const bool certifies = approximation.projected && bounds_errors(exact_.traits) && !exact_.sources && !exact_.right;
    if (!certifies) return estimated(approximation);
    if (looks_ == 0) {
      diagonal_ = evaluate_diagonal(execution_, *exact_.entries, *exact_.objects, "certificate-diagonal");
    }
    norm_ = norm_of(approximation);
    const std::vector<double> bounds = [&] {
      const auto phase = execution_.phases.enter("probe");
      return residual_bounds(execution_, approximation, diagonal_, norm_);
    }();
    return certified(approximation, bounds);
  }

 private:
  double norm_of(const Approximation<T>& approximation) {
    const auto phase = execution_.phases.enter("probe");
    return std::sqrt(squared_norm(execution_, approximation));
  }

  Measured certified(const Approximation<T>& approximation, const std::vector<double>& bounds) {
    const Index entries = approximation.left.rows() * approximation.left.columns();
    const auto share = static_cast<Index>(share_of_run * static_cast<double>(entries));
    const Certificate found = certify<T>(
        execution_, {approximation, bounds, norm_, !exact_.traits.negative_type}, *exact_.entries, *exact_.objects,
        {goal_.error, 1.0 - goal_.confidence, std::clamp(share, least_pairs, most_pairs), looks_++});
    return {found.estimate, found.limit, true,
            found.bounded ? "" : "an entry exceeds its bound: K is not semidefinite as its similarity says"};
  }

  Measured estimated(const Approximation<T>& approximation) const {
    try {
      constexpr double roughly = 0.2;  // suffices to see that the goal is far away
      const ErrorEstimate rough = estimate(approximation, roughly);
      const bool far = rough.relative_error - 3.0 * rough.relative_error_standard_error > goal_.error;
      const ErrorEstimate found = far ? rough : estimate(approximation, EstimateEffort{}.precision);
      return {found.relative_error, found.relative_error + estimated_deviations * found.relative_error_standard_error,
              false};
    } catch (const NoRelativeError& none) {
      return {0.0, std::numeric_limits<double>::infinity(), false, none.what()};
    }
  }
  ErrorEstimate estimate(const Approximation<T>& approximation, double precision) const {
    EstimateEffort effort;
    effort.precision = precision;
    effort.share = share_of_run;
    // What a checkpoint keeps are errors of this K~ alone.
    PrefixedLedger ledger(execution_.ledger,
                          fmt::format("error with {} landmarks to {:g}, ", approximation.left.columns(), precision));
    const Execution execution{execution_.communicator, execution_.phases, ledger, execution_.threads, execution_.seed};
    return measure_error(execution, approximation, exact_, effort, false).estimate;
  }

  const Execution& execution_;
  const ExactMatrix<T>& exact_;
  ErrorGoal goal_;
  RowBlock<T> diagonal_;
  double norm_ = 0.0;  // of the last K~, or of one with fewer landmarks
  Index looks_ = 0;
};

using Clock = std::chrono::steady_clock;

// True if a step that adds `more` landmarks would end after the limit, at the pace of one that began at `begun` and
// added `added`. Rank 0 decides. Collective.
bool is_late(const Communicator& communicator, const TimeLimit& time, Clock::time_point begun, Index added,
             Index more) {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> step = now - begun, left = time.end - now;
  const double pace = std::max(1.0, static_cast<double>(more) / static_cast<double>(std::max<Index>(1, added)));
  int late = step.count() * pace > left.count() ? 1 : 0;
  communicator.broadcast(std::span(&late, 1), 0);
  return late != 0;
}

}  // namespace

Index next_landmarks(Index landmarks, double error, double goal) {
  const auto s = static_cast<double>(landmarks);
  const double wanted = std::isfinite(error) ? error / goal : most_growth;  // the error falls about as 1 / s
  const double aimed = s * std::min(wanted, most_growth);
  return std::max(landmarks + 1, static_cast<Index>(std::ceil(std::max(aimed, least_growth * s))));
}

Values values_for_goal(const MethodChoice& method, const SimilarityTraits& traits, Index objects, Index landmarks,
                       Index most_rows) {
  const bool indefinite = !bounds_errors(traits) && !traits.single_source && !method.values.given("core-rows");
  if (!indefinite || objects < least_for_more_rows) return method.values;
  return method.values.with("core-rows", std::to_string(std::min(rows_a_landmark * landmarks, most_rows)));
}

std::optional<ErrorGoal> error_goal(const MethodChoice& choice) {
  if (!choice.grows()) return std::nullopt;
  return ErrorGoal{choice.landmarks.number(names::error), choice.landmarks.number(names::confidence)};
}

MethodChoice for_error_goal(MethodChoice choice, const SimilarityTraits& traits) {
  if (!choice.grows() || choice.landmarks.given(names::selection)) return choice;
  if (bounds_errors(traits)) {
    choice.landmarks = choice.landmarks.with(names::selection, rpcholesky_selection().name);
  } else if (traits.single_source && traits.distance) {
    choice.landmarks = choice.landmarks.with(names::selection, farthest_selection().name);
  }
  return choice;
}

void check_error_goal(const MethodChoice& choice, bool single_precision) {
  if (!choice.grows()) {
    for (const std::string& name : {names::confidence, names::require_error}) {
      if (choice.landmarks.given(name)) {
        throw Error(ErrorKind::usage, fmt::format("{} has no effect without {}", choice.landmarks.where(name),
                                                  choice.landmarks.keys()(names::error)));
      }
    }
    return;
  }
  if (choice.method != &nystrom_method()) {
    choice.landmarks.refuse(names::error,
                            fmt::format("is incompatible with {}; it is for {}", choice.called, nystrom_method().name));
  }
  if (choice.selection().grow_double == nullptr) {
    std::vector<std::string> growing;
    for (const LandmarkSelection* selection : landmark_selections()) {
      if (selection->grow_double != nullptr) growing.push_back(selection->name);
    }
    choice.landmarks.refuse(names::error, fmt::format("is incompatible with {} = {}; it is for {}",
                                                      choice.landmarks.keys()(names::selection),
                                                      choice.selection().name, joined(growing, ", ")));
  }
  if (choice.values.given("core-rows")) {
    choice.landmarks.refuse(names::error, fmt::format("is incompatible with {}, which follows from the landmarks here",
                                                      choice.values.where("core-rows")));
  }
  const double least = rounding_tolerance(single_precision);
  if (choice.values.given("tolerance") && choice.values.number("tolerance") < least) {
    choice.landmarks.refuse(names::error,
                            fmt::format("is incompatible with {}: below {:g} rounding in K~ is not bounded",
                                        choice.values.where("tolerance"), least));
  }
  const double reachable = single_precision ? reachable_single : reachable_double;
  if (choice.landmarks.number(names::error) < reachable) {
    choice.landmarks.refuse(names::error, fmt::format("is below what numbers in {} precision can certify, {:g}",
                                                      single_precision ? "single" : "double", reachable));
  }
}

void describe_goal(const ErrorGoal& goal, const GoalOutcome& outcome, const MethodChoice& method,
                   ResultDescription& description, MethodReport& report) {
  description.metrics["error_goal"] = goal.error;
  description.metrics["error_limit"] = outcome.limit;
  description.metrics["error_confidence"] = goal.confidence;
  description.provenance["error_promise"] = !outcome.reached    ? "not reached"
                                            : outcome.certified ? "certified"
                                                                : "estimated";
  description.growth = outcome.looks;
  std::vector<std::string> looks;
  for (const auto& [landmarks, error] : outcome.looks) looks.push_back(fmt::format("{}: {:.3g}", landmarks, error));
  report.notes.push_back(fmt::format("landmarks and the relative errors with them: {}", joined(looks, ", ")));
  if (outcome.reached) return;
  report.warnings.push_back(fmt::format("{} = {:g} is not reached: the relative error is at most {:.4g} ({}): {}",
                                        method.landmarks.keys()(names::error), goal.error, outcome.limit,
                                        outcome.certified ? "certified" : "estimated, with four standard errors",
                                        outcome.stopped));
}

void require_reached(const MethodChoice& method, const ResultDescription& description, const std::string& file) {
  if (!method.grows() || !method.landmarks.flag(names::require_error)) return;
  if (description.provenance.at("error_promise") != "not reached") return;
  throw Error(ErrorKind::unmet, fmt::format("{} is not reached: the relative error is at most {:.4g}{}",
                                            method.landmarks.where(names::error), description.metrics.at("error_limit"),
                                            file.empty() ? "" : fmt::format("; {} has the result", file)));
}

template <class T>
GrownApproximation<T> approximate_within(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                         const MethodChoice& method, const ErrorGoal& goal,
                                         const MakeApproximation<T>& make,
                                         const std::function<void(const GrowthStep&)>& require_memory,
                                         const TimeLimit* time) {
  const SelectionInput<T> input{execution, *exact.objects,   *exact.entries, exact.sources.get(), exact.nearest,
                                0,         method.landmarks, data.digest};
  const Index eligible = EligibleObjects(execution.communicator, *exact.objects, method.landmarks).count();
  const Index asked = method.landmark_count(exact.objects->size());
  const Index most = asked > 0 ? std::min(asked, eligible) : eligible;
  std::unique_ptr<LandmarkGrowth<T>> growth = growth_of<T>(method.selection(), input);
  const auto named = [&](Landmarks<T> landmarks) {
    const std::string split = landmark_split().name;
    if (method.landmarks.given(split)) landmarks.split = method.landmarks.text(split);
    return landmarks;
  };
  const auto values_for = [&](Index landmarks) {
    // A table of distances keeps whole blocks, which would be evaluated anew in each look.
    const bool plain = exact.entries->distances() != nullptr;
    Values values =
        plain ? method.values
              : values_for_goal(method, exact.traits, exact.objects->size(), landmarks, exact.objects->size());
    // The default for an indefinite K would drop eigenvalues that a distance needs for small errors.
    if (exact.traits.negative_type && !values.given("tolerance")) {
      values = values.with("tolerance", fmt::format("{:g}", rounding_tolerance(std::is_same_v<T, float>)));
    }
    return values;
  };
  // A growth holds blocks of the old and the new number of columns at once: a plan of so many more landmarks has them.
  const Index kept_blocks = method.selection().work_bytes != nullptr ? 2 : 1;
  // Then the core matrix is made once, at the end. In single precision it drops more than rounding in F Fᵀ: there K~
  // itself is measured.
  const bool by_factor = std::is_same_v<T, double> && (exact.traits.definite || exact.traits.semidefinite) &&
                         growth->factor() != nullptr && !method.values.given("tolerance");
  GoalMeasure<T> measure(execution, exact, goal);
  GrownApproximation<T> grown;
  GoalOutcome& outcome = grown.outcome;
  const Index row_bytes = exact.objects->range().size() * static_cast<Index>(sizeof(T));
  for (Index count = std::min(first_grown_landmarks, most);;) {
    const Clock::time_point begun = Clock::now();
    const Index before = growth->count();
    try {
      const Index planned = std::min(exact.objects->size(), count + growth->count() / kept_blocks);
      require_memory({planned, values_for(count), growth->count() * kept_blocks * row_bytes});
    } catch (const Error& error) {  // the same on every rank
      if (error.kind() != ErrorKind::resource || outcome.looks.empty()) throw;
      outcome.stopped = error.what();
    }
    const bool known = outcome.stopped.empty() && !growth->grow(count);
    const Values values = values_for(growth->count());
    const bool last = known || growth->count() == most || !outcome.stopped.empty();
    if (!by_factor) grown.approximation = make(named(growth->take()), values.with("embedding", "false"));
    const Index evaluations = exact.evaluations(), restored = exact.restored();
    const Measured found = by_factor ? measure.of_factor(*growth, last) : measure.of(grown.approximation);
    outcome.evaluations += exact.evaluations() - evaluations;
    outcome.restored += exact.restored() - restored;
    std::array<double, 2> decided = {found.error, found.limit};  // rank 0 decides: processors may round differently
    execution.communicator.broadcast(std::span<double>(decided), 0);
    const auto [error, limit] = decided;
    outcome.limit = limit;
    outcome.certified = found.certified;
    outcome.reached = limit <= goal.error;
    outcome.looks.emplace_back(growth->count(), error);
    if (outcome.stopped.empty()) outcome.stopped = found.stopped;
    if (!outcome.reached && outcome.stopped.empty()) {
      if (known) {
        outcome.stopped =
            fmt::format("the residual of {} is 0 after {} landmarks; what is left is allowed for rounding",
                        method.landmarks.given(landmark_split().name) ? "the split" : "K", growth->count());
      }
      if (growth->count() == most) outcome.stopped = fmt::format("there are {} landmarks, the largest number", most);
    }
    const double above = error > goal.error ? error : limit;  // where the limit has few pairs it is wide
    const Index next = std::min(most, next_landmarks(growth->count(), above, goal.error));
    if (!outcome.reached && outcome.stopped.empty() && time != nullptr &&
        is_late(execution.communicator, *time, begun, growth->count() - before, next - growth->count())) {
      outcome.stopped = fmt::format("{} leaves no time for {} landmarks", time->name, next);
    }
    const bool ends = outcome.reached || !outcome.stopped.empty();
    if (!by_factor && (!ends || method.values.flag("embedding"))) {
      growth->give_back(std::move(grown.approximation.left.dense()));
    }
    if (ends) {
      if (by_factor || method.values.flag("embedding")) {
        Landmarks<T> landmarks = named(growth->finish());
        growth.reset();
        grown.approximation = make(std::move(landmarks), values);
      }
      return grown;
    }
    count = next;
  }
}

#define CAIRN_INSTANTIATE(T)                                                                          \
  template GrownApproximation<T> approximate_within(                                                  \
      const Execution&, const Data<T>&, const ExactMatrix<T>&, const MethodChoice&, const ErrorGoal&, \
      const MakeApproximation<T>&, const std::function<void(const GrowthStep&)>&, const TimeLimit*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

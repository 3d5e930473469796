#include "cairn/run/request/run_steps.hpp"

#include <fmt/format.h>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/run/planning/plan_budget.hpp"
#include "cairn/run/request/request_rules.hpp"

namespace cairn {

namespace {

// Advice besides more ranks.
std::string memory_advice(const RunRequest& request, const PlanInput& input) {
  std::string advice;
  if (input.method->needs.landmarks) {
    advice += fmt::format(" or fewer landmarks ({} = {})", request.method.landmarks.keys()(landmark_names::count),
                          input.landmarks);
  }
  if (input.value_bytes == 8) advice += fmt::format(", {} = single", request.keys.run("precision"));
  return advice;
}

bool count_comes_later(const RunRequest& request, const PlanInput& input) {
  return request.method.grows() || (input.landmarks == 0 && request.method.count_is_read());
}

}  // namespace

template <class T>
Data<T> read(const Execution& execution, const RunRequest& request, const KnownObjects* known) {
  const bool moved = known == nullptr && subtracts_mean(request);
  const Values values = moved ? request.data.with("offset", "subtract") : request.data;
  return read_data<T>(*request.kind, {execution, values, known, true});
}

std::optional<DataSize> peek_size(const Communicator& communicator, const RunRequest& request) {
  return collectively(communicator, [&]() -> std::optional<DataSize> {
    check_parameters(*request.kind, request.data);
    return request.kind->size != nullptr ? request.kind->size(request.data) : std::nullopt;
  });
}

RunChoices run_choices(const RunRequest& request, Index objects) {
  RunChoices choices{request.similarity, request.method};
  const Values& estimate = request.estimate;
  choices.estimate = {.measured = no_estimate(request).empty(),
                      .fixed = estimate.given("pairs") || estimate.given("rows"),
                      .pairs = estimate.integer_or("pairs", 0),
                      .rows = compared_rows(request, objects),
                      .share = estimated_share(request)};
  if (estimate.given("seconds")) choices.estimate.seconds = estimate.number("seconds");
  choices.distances = distance_use(request);
  choices.keep_hierarchy = request.output.flag("hierarchy");
  choices.near = near_choice(request);
  return choices;
}

PlanInput plan_of(const Communicator& communicator, const RunRequest& request, const DataSize& size, int ranks,
                  Index baseline) {
  require_fitting(request, size);
  Index memory = request.budget.memory.bytes;  // limit for the decisions of the run
  if (memory == 0 && ranks == communicator.size()) memory = default_memory(communicator);
  return plan_input(communicator, {request.kind->objects, size, request.single}, run_choices(request, size.objects),
                    {ranks, request.threads, baseline, memory}, request.keys);
}

template <class T>
LandmarkForecast find_landmarks(const Execution& execution, const Data<T>& data, RunRequest& request) {
  const ExactMatrix<T> exact = make_exact_matrix(execution, data, request.similarity, request.method);
  const LandmarkForecast forecast = forecast_landmarks(execution, exact, request.method);
  const Index n = exact.objects->size();
  request.method.landmarks = request.method.landmarks.with(landmark_names::count, std::to_string(forecast.expected));
  request.method.values = values_for_goal(request.method, exact.traits, n, forecast.expected, n);
  return forecast;
}

void require_memory_limit(const RunRequest& request, const PlanInput& input) {
  const MemoryLimit& limit = request.budget.memory;
  if (limit.bytes == 0 || count_comes_later(request, input)) return;  // the run plans when it knows them
  require_limit(plan_memory(input), input.ranks, limit, memory_advice(request, input));
}

bool require_memory(const Communicator& communicator, const RunRequest& request, const PlanInput& input, bool warns) {
  require_memory_limit(request, input);
  if (count_comes_later(request, input)) return false;
  return require_plan_budget(communicator, plan_memory(input), request.budget.memory, memory_advice(request, input),
                             warns);
}

ComputationOptions computation_options(const RunRequest& request) {
  ComputationOptions options;
  options.similarity = &request.similarity.values;
  options.distances = distance_use(request);
  if (request.output.given("operator")) {
    options.operator_path = {request.output.text("operator"), request.output.keys()("operator")};
  }
  options.budget = request.budget;
  options.keys = request.keys;
  options.keep_hierarchy = request.output.flag("hierarchy");
  options.near = near_choice(request);
  return options;
}

template <class T>
MeasuredError measure_error(const Execution& execution, const RunRequest& request,
                            const Approximation<T>& approximation, const ExactMatrix<T>& exact, double share,
                            VertexErrors* by_vertex) {
  return measure_error(execution, approximation, exact, estimate_effort(request, exact.objects->size(), share),
                       request.estimate.given("rows"), by_vertex);
}

#define CAIRN_INSTANTIATE(T)                                                                         \
  template LandmarkForecast find_landmarks(const Execution&, const Data<T>&, RunRequest&);           \
  template Data<T> read(const Execution&, const RunRequest&, const KnownObjects*);                   \
  template MeasuredError measure_error(const Execution&, const RunRequest&, const Approximation<T>&, \
                                       const ExactMatrix<T>&, double, VertexErrors*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

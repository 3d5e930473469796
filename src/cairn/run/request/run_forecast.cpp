#include "cairn/run/request/run_forecast.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "cairn/data/catalog/data_size.hpp"
#include "cairn/plan/traffic_plan.hpp"
#include "cairn/run/planning/interpolation_forecast.hpp"
#include "cairn/run/request/run_steps.hpp"

namespace cairn {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(const Communicator& communicator, Clock::time_point begun) {
  return communicator.maximum(std::chrono::duration<double>(Clock::now() - begun).count());
}

// With the data themselves.
template <class T>
RunForecast forecast_interpolation_run(const Execution& execution, const RunRequest& request,
                                       const ForecastPlace& place) {
  const Clock::time_point begun = Clock::now();
  const Data<T> data = read<T>(execution, request);
  RunForecast forecast{.phases = {{"read", seconds_since(execution.communicator, begun)}}};
  const RunChoices run = run_choices(request, data.objects->size());
  PlanInput input = plan_of(execution.communicator, request, size_of(execution.communicator, data), place.places.ranks,
                            place.baseline);
  require_landmarks(input, run.method);
  const InterpolationForecast parts = forecast_interpolation(execution, data, run, input);
  const bool compressed = request.output.text("compression") != "none";
  if (compressed) input.deflated_share = parts.deflated.share;
  input.hanging = parts.hanging;
  if (!parts.solver.empty()) input.values = input.values.with("solver", parts.solver);  // chosen by auto
  forecast.phases.insert(forecast.phases.end(), parts.phases.begin(), parts.phases.end());
  if (place.known != nullptr) scale_to(execution, *place.known, forecast.phases);
  forecast.plan = plan_memory(input);
  forecast.phases.push_back(
      {"write", write_seconds(input, forecast.plan, compressed ? parts.deflated.seconds_a_byte : 0,
                              place.known != nullptr ? place.known->written_bytes : assumed_written_bytes)});
  forecast.input = std::move(input);
  forecast.places = place.places;
  return forecast;
}

}  // namespace

template <class T>
RunForecast forecast_run(const Execution& execution, RunRequest request, const ForecastPlace& place) {
  if (request.method.method->needs.rows && place.seconds) {
    return forecast_interpolation_run<T>(execution, request, place);
  }
  const Communicator& communicator = execution.communicator;
  const auto peeked = peek_size(communicator, request);
  std::optional<Data<T>> data;  // if no header gives their shape, if they are few, or if they are searched
  const Clock::time_point begun = Clock::now();
  const bool finds_landmarks = request.method.grows() && request.method.count_is_read();
  const bool needed = place.seconds && (is_quickly_read(peeked.value_or(DataSize{})) || by_source(request));
  if (!peeked || finds_landmarks || needed) data = read<T>(execution, request);
  const double read_seconds = data ? seconds_since(communicator, begun) : 0.0;
  const DataSize size = peeked ? *peeked : size_of(communicator, *data);
  RunForecast forecast;
  forecast.places = place.places;
  if (finds_landmarks) forecast.landmarks = find_landmarks(execution, *data, request);
  forecast.input = plan_of(communicator, request, size, place.places.ranks, place.baseline);
  if (place.seconds) require_landmarks(forecast.input, request.method);
  forecast.plan = plan_memory(forecast.input);
  if (!place.seconds || request.similarity.traits().runs_program) return forecast;
  forecast.measured = forecast_seconds(execution, data ? &*data : nullptr, run_choices(request, size.objects),
                                       forecast.input, place.known, read_seconds);
  const auto phases_on = [phases = forecast.measured->phases, links = forecast.measured->links](
                             const PlanInput& input, const Plan& plan, const NodeLayout& on) {
    std::vector<PlanPhase> computed = phases(input, plan);
    if (input.by_source()) return computed;  // whole rows move what depends on the graph
    return with_messages(std::move(computed), input, on, {links.layout, links.links});
  };
  forecast.phases = phases_on(forecast.input, forecast.plan, place.places);
  forecast.elsewhere = phases_on;
  return forecast;
}

template RunForecast forecast_run<float>(const Execution&, RunRequest, const ForecastPlace&);
template RunForecast forecast_run<double>(const Execution&, RunRequest, const ForecastPlace&);

}  // namespace cairn

#include "cairn/run/planning/seconds_forecast.hpp"

#include <algorithm>

#include "cairn/run/planning/calibration.hpp"
#include "cairn/run/planning/source_forecast.hpp"

namespace cairn {

namespace {

// Whether evaluations are measured between the objects themselves.
template <class T>
bool compares(const SimilarityTraits& traits, const Data<T>& data, const DataSize& size) {
  return size.document_bytes > 0 || (data.points() != nullptr && !data.right && !traits.stored && !traits.counts);
}

}  // namespace

bool is_quickly_read(const DataSize& size) {
  constexpr Index most_bytes = Index{512} << 20;
  const Index bytes = std::max<Index>(size.document_bytes, size.dimension * static_cast<Index>(sizeof(double)));
  return size.tokens == 0 && size.right_objects == 0 && bytes > 0 && size.objects <= most_bytes / bytes;
}

void scale_to(const Execution& execution, const MachineRates& known, std::span<PlanPhase> phases) {
  const double slower = measure_evaluations(execution) / known.evaluations;
  for (PlanPhase& phase : phases) phase.seconds *= slower;
}

template <class T>
SecondsForecast forecast_seconds(const Execution& execution, const Data<T>* data, const RunChoices& run,
                                 const PlanInput& input, const Plan& plan, const MachineRates* known,
                                 double read_seconds) {
  SecondsForecast forecast;
  PlanRates& rates = forecast.rates;
  if (input.by_source()) {
    rates = machine_rates(execution, input, known);
    rates.read_seconds = read_seconds;
    forecast.phases = forecast_sources(execution, *data, run, input, plan, rates, known);
    return forecast;
  }
  const bool own = data != nullptr && compares(run.similarity.traits(), *data, input.data);
  const ObjectSet* objects = own ? (data->positions ? data->positions.get() : data->objects.get()) : nullptr;
  rates = calibrate<T>(execution, run.similarity, input, objects, known);
  rates.read_seconds = read_seconds;
  forecast.phases = plan_seconds(input, plan, rates);
  return forecast;
}

template SecondsForecast forecast_seconds(const Execution&, const Data<float>*, const RunChoices&, const PlanInput&,
                                          const Plan&, const MachineRates*, double);
template SecondsForecast forecast_seconds(const Execution&, const Data<double>*, const RunChoices&, const PlanInput&,
                                          const Plan&, const MachineRates*, double);

}  // namespace cairn

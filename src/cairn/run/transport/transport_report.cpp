#include "cairn/run/transport/transport_report.hpp"

#include <fmt/format.h>

#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

double metric(const TransportDescription& description, const std::string& name) {
  const auto found = description.metrics.find(name);
  return found == description.metrics.end() ? 0.0 : found->second;
}

std::string side_text(Index points, Index rows) {
  return points == rows ? grouped(points) + " points"
                        : fmt::format("{} points of {} rows", grouped(points), grouped(rows));
}

}  // namespace

template <class T>
TransportDescription description_of(const Transported<T>& found, const TransportChoice& choice) {
  TransportDescription description;
  description.kernel = found.kernel;
  description.cost = choice.values.text("cost");
  description.epsilon = choice.values.number("epsilon");
  description.columns = found.columns;
  description.iterations = found.iterations.iterations;
  description.converged = found.iterations.converged;
  const PlanValues& values = found.plan.values;
  description.metrics = {{"transport_cost", values.cost},
                         {"rounded_cost", values.rounded_cost},
                         {"entropic_cost", values.entropic},
                         {"dual_value", values.dual},
                         {"mass", values.mass},
                         {"violation_source", values.violation_source},
                         {"violation_target", values.violation_target},
                         {"evaluations", static_cast<double>(found.evaluations)}};
  const auto add = [&](const std::string& name, const std::optional<SampledViolation>& sampled) {
    if (!sampled) return;
    description.metrics["exact_violation_" + name] = sampled->value;
    description.metrics["exact_violation_" + name + "_standard_error"] = sampled->standard_error;
    description.metrics["exact_violation_" + name + "_points"] = static_cast<double>(sampled->points);
  };
  add("source", found.exact_source);
  add("target", found.exact_target);
  if (found.divergence) description.metrics["sinkhorn_divergence"] = *found.divergence;
  description.notes = found.notes;
  description.warnings = found.warnings;
  return description;
}

TaskReport report_of(const StoredTransport& stored) {
  const TransportDescription& description = stored.description;
  const auto value = [&](const char* name) { return metric(description, name); };
  TaskReport report;
  ReportText& text = report.text;
  text.metric("source", side_text(stored.source_points, stored.source_rows))
      .metric("target", side_text(stored.target_points, stored.target_rows))
      .metric("dimension", fmt::format("{}", stored.dimension))
      .metric("cost, epsilon", fmt::format("{}, {:.6g}", description.cost, description.epsilon))
      .metric("kernel", description.columns == 0
                            ? description.kernel
                            : fmt::format("{}, {} columns", description.kernel, grouped(description.columns)))
      .metric("iterations", fmt::format("{}{}", grouped(description.iterations),
                                        description.converged ? ", converged" : ", not converged"))
      .metric("transport cost", fmt::format("{:.8g}", value("transport_cost")))
      .metric("  of the rounded plan", fmt::format("{:.8g}", value("rounded_cost")))
      .metric("entropic cost", fmt::format("{:.8g}, dual {:.8g}", value("entropic_cost"), value("dual_value")))
      .metric("violation of marginals",
              fmt::format("source {:.2g}, target {:.2g}", value("violation_source"), value("violation_target")));
  if (description.metrics.contains("exact_violation_source")) {
    const auto sampled = [&](const std::string& side) {
      const std::string name = "exact_violation_" + side;
      return fmt::format("{} {:.2g} +- {:.1g}", side, metric(description, name),
                         metric(description, name + "_standard_error"));
    };
    text.metric("  under the kernel itself",
                fmt::format("{}, {} ({} and {} points)", sampled("source"), sampled("target"),
                            grouped(static_cast<Index>(value("exact_violation_source_points"))),
                            grouped(static_cast<Index>(value("exact_violation_target_points")))));
  }
  if (description.metrics.contains("sinkhorn_divergence")) {
    text.metric("sinkhorn divergence", fmt::format("{:.8g}", value("sinkhorn_divergence")));
  }
  if (stored.mapped > 0) text.metric("mapped points", grouped(stored.mapped));
  text.metric("evaluations", grouped(static_cast<Index>(value("evaluations"))));
  for (const std::string& note : description.notes) text.note(note);
  text.warnings(description.warnings);

  report.metrics = {{"source_points", stored.source_points},
                    {"target_points", stored.target_points},
                    {"source_rows", stored.source_rows},
                    {"target_rows", stored.target_rows},
                    {"dimension", stored.dimension},
                    {"mapped", stored.mapped},
                    {"cost", description.cost},
                    {"epsilon", description.epsilon},
                    {"kernel", description.kernel},
                    {"columns", description.columns},
                    {"iterations", description.iterations},
                    {"converged", description.converged}};
  for (const auto& [name, number] : description.metrics) report.metrics.emplace_back(name, number);
  report.metrics.emplace_back("notes", description.notes);
  report.metrics.emplace_back("warnings", description.warnings);
  return report;
}

template <class T>
StoredTransport summary_of(const Communicator& communicator, const Transported<T>& found,
                           const TransportDescription& description) {
  return {.format_version = transport_format_version,
          .source_points = found.source.size,
          .target_points = found.target.size,
          .source_rows = communicator.sum(static_cast<Index>(found.source_groups.size())),
          .target_rows = communicator.sum(static_cast<Index>(found.target_groups.size())),
          .mapped = found.mapped ? found.mapped->rows() : 0,
          .dimension = found.source.dimension,
          .description = description};
}

template <class T>
void save_plan(const Execution& execution, const OutputPath& path, const Transported<T>& found,
               const TransportDescription& description) {
  const TransportPlan<T>& plan = found.plan;
  const TransportTables<T> tables{
      .dimension = found.source.dimension,
      .source = {found.source.coordinates, found.source.weights, plan.potentials_source, found.source_groups},
      .target = {found.target.coordinates, found.target.weights, plan.potentials_target, found.target_groups},
      .barycentres = plan.barycentres,
      .mapped = found.mapped ? &*found.mapped : nullptr};
  write_transport(execution, path, tables, description);
}

#define CAIRN_INSTANTIATE(T)                                                                                    \
  template TransportDescription description_of(const Transported<T>&, const TransportChoice&);                  \
  template StoredTransport summary_of(const Communicator&, const Transported<T>&, const TransportDescription&); \
  template void save_plan(const Execution&, const OutputPath&, const Transported<T>&, const TransportDescription&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

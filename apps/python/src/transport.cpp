// Plans of transport as arrays.
#include "cairn/run/transport/transport.hpp"

#include <memory>
#include <string>
#include <vector>

#include "cairn/run/transport/transport_report.hpp"
#include "session_handle.hpp"
#include "values.hpp"

namespace cairn::python {

namespace {

// The distinct points of this rank, their weights and potentials, and the point of each row of this rank as given.
template <class T>
py::dict side_of(const std::shared_ptr<const Transported<T>>& found, const Measure<T>& measure,
                 const std::vector<double>& potentials, const std::vector<Index>& groups) {
  py::dict side;
  side["points"] = view(measure.coordinates.data(), {measure.own.size(), measure.dimension}, found);
  side["weights"] = view(measure.weights.data(), {std::ssize(measure.weights)}, found);
  side["potentials"] = view(potentials.data(), {std::ssize(potentials)}, found);
  side["groups"] = view(groups.data(), {std::ssize(groups)}, found);
  side["range"] = py::make_tuple(measure.own.begin, measure.own.end);
  return side;
}

template <class T>
py::dict transported(const Handle<Objects<T>>& source, const Handle<Objects<T>>& target, const Pairs& values,
                     const Rows<double>& source_weights, const Rows<double>& target_weights) {
  target.require_same_session(*source.session());
  const GivenValues parameters = given(values);
  const auto found = std::make_shared<const Transported<T>>(
      source.session()->run(words<T>("transport", source, target), [&](const Session& session) {
        require_unchanged(session, source.content());
        require_unchanged(session, target.content());
        return transport(session, source.content(), target.content(), parameters,
                         {.source = span_of(source_weights), .target = span_of(target_weights)});
      }));
  const PlanValues& plan = found->plan.values;
  py::dict facts;
  facts["kernel"] = found->kernel;
  facts["columns"] = found->columns;
  facts["iterations"] = found->iterations.iterations;
  facts["converged"] = found->iterations.converged;
  facts["evaluations"] = found->evaluations;
  facts["cost"] = plan.cost;
  facts["rounded_cost"] = plan.rounded_cost;
  facts["entropic_cost"] = plan.entropic;
  facts["dual"] = plan.dual;
  facts["violation"] = py::make_tuple(plan.violation_source, plan.violation_target);
  facts["divergence"] = py::cast(found->divergence);
  facts["notes"] = found->notes;
  facts["warnings"] = found->warnings;
  py::dict sources = side_of<T>(found, found->source, found->plan.potentials_source, found->source_groups);
  sources["barycenters"] =
      view(found->plan.barycentres.data(), {found->source.own.size(), found->source.dimension}, found);
  facts["source"] = sources;
  facts["target"] = side_of<T>(found, found->target, found->plan.potentials_target, found->target_groups);
  return facts;
}

}  // namespace

void define_transport(py::module_& module) {
  module.def("transport", &transported<float>);
  module.def("transport", &transported<double>);
}

}  // namespace cairn::python

#include "pipeline/operator_source.hpp"

#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "cairn/operator/neighbour_operator.hpp"
#include "cairn/store/files/operator_file.hpp"
#include "keys/problem.hpp"

namespace cairn::app {

namespace {

template <class T>
BiharmonicOperator computed_operator(const Execution& execution, const Settings& settings, const Data<T>& data) {
  const auto phase = execution.phases.enter("operator");
  const std::string kind = operator_kind(settings);
  const auto* mesh = data.template as<TriangleMesh>();
  if (kind == "graph" && mesh != nullptr) return graph_operator(execution.communicator, *mesh);
  if (kind == "graph") return graph_operator(execution.communicator, data.shared_graph);
  if (kind == "cotangent") return cotangent_operator(execution.communicator, *mesh);
  NeighbourParameters parameters;
  parameters.keys = {approximation_keys, data_keys};
  parameters.neighbours = settings.integer("approximation.neighbours");
  parameters.perplexity = settings.number("approximation.perplexity");
  return neighbour_operator(execution, *data.points(), parameters);
}

}  // namespace

template <class T>
BiharmonicOperator make_operator(const Execution& execution, const Settings& settings, const Data<T>& data, bool keep) {
  OperatorOrigin origin;
  origin.data_digest = data.digest;
  origin.scaling = data.scaling.kind;
  origin.data_keys = data_keys;
  origin.output_keys = output_keys;
  if (operator_kind(settings) == "file") {
    return read_operator(execution, settings.required("approximation.operator-path"), origin);
  }
  BiharmonicOperator op = computed_operator(execution, settings, data);
  if (!keep || !settings.given("output.operator")) return op;
  if (op.kind == "neighbours") {
    for (const char* key : {"neighbours", "perplexity"}) {
      origin.parameters[key] = settings.text(std::string("approximation.") + key);
    }
  }
  write_operator(execution, {settings.text("output.operator"), "output.operator"}, op, origin);
  return op;
}

template BiharmonicOperator make_operator(const Execution&, const Settings&, const Data<float>&, bool);
template BiharmonicOperator make_operator(const Execution&, const Settings&, const Data<double>&, bool);

}  // namespace cairn::app

#include "cairn/run/computation/operator_source.hpp"

#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "cairn/operator/neighbor_operator.hpp"
#include "cairn/store/files/operator_file.hpp"

namespace cairn {

namespace {

template <class T>
BiharmonicOperator computed_operator(const Execution& execution, const Data<T>& data, const Values& method,
                                     const std::string& name) {
  const auto phase = execution.phases.enter("operator");
  const auto* mesh = data.template as<TriangleMesh>();
  if (name == "graph" && mesh != nullptr) return graph_operator(execution.communicator, *mesh);
  if (name == "graph") return graph_operator(execution.communicator, data.shared_graph);
  if (name == "cotangent") {
    return cotangent_operator(execution.communicator, *mesh, CotangentArcs::connecting, method.flag("flip-edges"));
  }
  return neighbor_operator(execution, *data.points(),
                           {.neighbors = method.integer("neighbours"),
                            .perplexity = method.number("perplexity"),
                            .keys = {method.keys(), data.keys}});
}

}  // namespace

std::string operator_name(const Values& method, const DataKind& kind) {
  const std::string& given = method.text("operator");
  return given == "auto" ? kind.operators.front() : given;
}

template <class T>
BiharmonicOperator make_operator(const Execution& execution, const Data<T>& data, const Values& method,
                                 const std::optional<OutputPath>& kept, const KeyNames& output_keys) {
  OperatorOrigin origin;
  origin.data_digest = data.digest;
  origin.scaling = data.scaling.kind;
  origin.data_keys = data.keys;
  origin.output_keys = output_keys;
  const std::string name = operator_name(method, *data.kind);
  if (name == "file") return read_operator(execution, method.required("operator-path"), origin);
  BiharmonicOperator op = computed_operator(execution, data, method, name);
  if (!kept) return op;
  if (op.kind == "neighbours") {
    for (const char* parameter : {"neighbours", "perplexity"}) origin.parameters[parameter] = method.text(parameter);
  }
  if (op.kind == "cotangent") origin.parameters["flip-edges"] = method.text("flip-edges");
  write_operator(execution, *kept, op, origin);
  return op;
}

template BiharmonicOperator make_operator(const Execution&, const Data<float>&, const Values&,
                                          const std::optional<OutputPath>&, const KeyNames&);
template BiharmonicOperator make_operator(const Execution&, const Data<double>&, const Values&,
                                          const std::optional<OutputPath>&, const KeyNames&);

}  // namespace cairn

// cairn convert: any readable points, matrix or graph -> HDF5.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/store/files/point_file.hpp"
#include "cairn/store/graphs/graph_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "commands/commands.hpp"
#include "pipeline/context.hpp"
#include "report/data_report.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

template <class T>
void convert_as(Job& job) {
  Context context(job.communicator, 1, 0);
  const std::string& output = job.arguments[1];
  const DataKind& kind = point_data();  // a matrix of numbers with any meaning
  const Values values = Values(kind.parameters, job.settings, data_prefix).with("path", job.arguments[0]);
  const Data<T> data = read_data<T>(kind, {context.execution(), values});
  for (const std::string& note : data.notes) log(LogLevel::info, note);
  for (const std::string& warning : data.warnings) log(LogLevel::warning, warning);
  const auto* points = data.template as<PointSet<T>>();
  write_points(context.execution(), output, *points, data.columns ? data.columns->names : std::vector<std::string>());
  const bool labelled = job.communicator.maximum(static_cast<Index>(points->labels().size())) > 0;
  const double seconds = context.seconds();
  print(job.communicator,
        data_report(data.facts) + fmt::format("{}: points {} x {} in {} precision, labels: {}; {:.2f} s\n", output,
                                              grouped(points->size()), points->dimension(),
                                              job.settings.text("run.precision"), labelled ? "yes" : "none", seconds));
  write_json(job, {{"output", output},
                   {"n", points->size()},
                   {"dimension", points->dimension()},
                   {"has_labels", labelled},
                   {"data", data_json(data.facts)},
                   {"seconds", {{"total", seconds}}}});
}

// Vertices are numbered from 0, as in results.
void convert_graph(Job& job) {
  Context context(job.communicator, 1, 0);
  const std::string& output = job.arguments[1];
  const Graph graph = [&] {
    const auto phase = context.phases().enter("read");
    return read_graph(job.communicator, data_values(job.settings).with("path", job.arguments[0])).graph;
  }();
  write_graph(context.execution(), output, graph);
  const GraphReport& report = graph.report();
  std::string numbers = fmt::format("vertex 0 is {} in the input", report.first_id);
  if (report.renumbered) numbers = "vertices are numbered anew, in the order of their numbers in the input";
  if (report.named) numbers = "vertices are numbered as the input names them first; names are not written";
  const double seconds = context.seconds();
  print(job.communicator,
        data_report(facts_of(graph)) + fmt::format("{}: a graph of {} vertices and {} {}, lengths: {}; {}; {:.2f} s\n",
                                                   output, grouped(graph.size()), grouped(report.edges),
                                                   graph.directed() ? "arcs" : "edges",
                                                   graph.weighted() ? "yes" : "none", numbers, seconds));
  write_json(job, {{"output", output},
                   {"n", graph.size()},
                   {"edges", report.edges},
                   {"has_lengths", graph.weighted()},
                   {"data", data_json(facts_of(graph))},
                   {"renumbered", report.renumbered},
                   {"first_id", report.first_id},
                   {"seconds", {{"total", seconds}}}});
}

bool ends_in(std::string name, std::initializer_list<const char*> endings) {
  if (name.ends_with(".gz") || name.ends_with(".xz")) name.resize(name.size() - 3);
  return std::ranges::any_of(endings, [&](const char* ending) { return name.ends_with(ending); });
}

// Determines the type of input from its name; rejects input that cannot be converted.
void require_convertible(const Settings& settings, const std::string& input) {
  const ObjectKind kind = data_kind(settings).objects;
  const bool graph = kind == objects::graph_vertices;
  const bool mesh = kind == objects::mesh_vertices || ends_in(input, {".obj", ".off", ".ply", ".gii"});
  if (mesh && !graph) {
    throw Error(ErrorKind::usage, fmt::format("{} is a mesh: convert takes points, matrices and graphs; approximate "
                                              "reads a mesh as it is, compressed or not",
                                              input));
  }
  if (kind == objects::documents) {
    throw Error(ErrorKind::usage,
                fmt::format("{} are documents: convert takes points, matrices and graphs; approximate "
                            "reads documents as they are, compressed or not",
                            input));
  }
  if (!settings.given("data.kind") && ends_in(input, {".gr", ".mtx", ".cedge", ".edges", ".edgelist", ".el"})) {
    throw Error(ErrorKind::usage, fmt::format("{} is a graph by its name; give --data.kind graph", input));
  }
  for (const char* key : {"run.precision", "data.label"}) {
    if (!graph || !settings.given(key)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} has no effect if data.kind is graph", settings.where(key)));
  }
}

// The output is HDF5, and another file name would mislead its readers.
void require_hdf5_name(const std::string& output) {
  if (output.ends_with(".h5") || output.ends_with(".hdf5")) return;
  throw Error(ErrorKind::usage, fmt::format("{} cannot be the output: convert writes HDF5, in a file whose name ends "
                                            "in .h5 or .hdf5",
                                            output));
}

// Lists of edges are not tables of points, which have the same number of columns in every line.
template <class T>
void convert_text_as(Job& job) {
  if (job.settings.given("data.kind") || !ends_in(job.arguments[0], {".txt", ".tsv"})) return convert_as<T>(job);
  try {
    convert_as<T>(job);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw Error(ErrorKind::input, fmt::format("{}; if it is a graph, give --data.kind graph", error.what()));
  }
}

}  // namespace

void check_convert(const Settings& settings, const std::vector<std::string>& arguments) {
  refuse_unused_data_keys(settings);
  require_convertible(settings, arguments.front());
}

void run_convert(Job& job) {
  require_no_input(job, "the argument " + job.arguments[1], job.arguments[1]);
  require_hdf5_name(job.arguments[1]);
  check_writable(job.communicator, job.arguments[1]);
  require_own_or_overwrite(job, job.arguments[1], OutputForm::data);
  check_output(job, "json");
  if (data_kind(job.settings).objects == objects::graph_vertices) return convert_graph(job);
  if (job.settings.text("run.precision") == "single") {
    convert_text_as<float>(job);
  } else {
    convert_text_as<double>(job);
  }
}

}  // namespace cairn::app

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/files/row_names.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/embedding/classical_scaling.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

namespace {

// Meaning of the values of L J Rᵀ; only squares can be centered.
ScaledValues values_of(const TaskInput& input, const ResultShape& shape, const ResultDescription& description,
                       const MethodReport& report) {
  const Values& values = input.values;
  const std::string& path = input.results.front();
  const bool given_values = similarity_named(description.similarity).traits.stored;
  if (values.given("squared-distances") && !given_values) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect unless the values come from a matrix or a scorer; {} holds {}",
                            values.keys()("squared-distances"), path, description.similarity));
  }
  if (given_values && values.flag("squared-distances")) return ScaledValues::squared_distances;
  if (shape.transform == "sqrt") return ScaledValues::squared_distances;
  if (shape.meaning == "similarity") return ScaledValues::similarities;
  if (given_values) {
    throw Error(ErrorKind::usage,
                fmt::format("{} holds distances; classical scaling needs squared ones: approximate the squares, and "
                            "give {}",
                            path, values.keys()("squared-distances")));
  }
  std::string advice;
  if (!method_named(report.method).needs.rows) {
    const auto by_rows = std::ranges::find_if(methods(), [](const auto* method) { return method->needs.rows; });
    advice = fmt::format("{} = {} and ", input.keys.approximation("method"), (*by_rows)->name);
  }
  throw Error(ErrorKind::usage, fmt::format("{} holds distances; classical scaling needs squared ones: run approximate "
                                            "with {}{} = sqrt, which interpolates squares",
                                            path, advice, input.keys.approximation("transform")));
}

const char* method_of(ScaledValues values) {
  return values == ScaledValues::squared_distances ? "classical-scaling" : "kernel-pca";
}

std::string csv_line(std::span<const double> row) {
  std::string line;
  for (const double value : row) line += fmt::format("{}{:.17g}", line.empty() ? "" : ",", value);
  return line;
}

void write_csv(const Execution& execution, const std::string& path, const RowBlock<double>& coordinates,
               const RowNames& names) {
  constexpr Index most_bytes = Index{16} << 20, number_bytes = 25;
  Phases::Scope phase = execution.phases.enter("write");
  std::string heading;
  for (Index j = 1; j <= coordinates.columns(); ++j) heading += fmt::format("{}y{}", j > 1 ? "," : "", j);
  const Range own = coordinates.range();
  const auto own_lines = [&](Range window) {
    std::string text;
    for (Index i = std::max(window.begin, own.begin); i < std::min(window.end, own.end); ++i) {
      text += csv_line(coordinates.row(i)) + names.csv_fields(i) + '\n';
    }
    phase.count_bytes(static_cast<Index>(text.size()));
    return text;
  };
  write_csv_lines(execution.communicator, path, heading + names.heading(), coordinates.rows(), own_lines,
                  std::max<Index>(1, most_bytes / (number_bytes * coordinates.columns())));
}

EmbeddingDescription describe(const TaskInput& input, const ResultDescription& source, ScaledValues values,
                              const ScaledObjects& scaled) {
  EmbeddingDescription description;
  description.method = method_of(values);
  description.object_kind = source.object_kind;
  description.data_digest = source.data_digest;
  description.eigenvalues = scaled.eigenvalues;
  description.residuals = scaled.residuals;
  description.metrics = {{"trace", scaled.trace},
                         {"trace_share", scaled.trace_share()},
                         {"smallest_eigenvalue", scaled.smallest_eigenvalue},
                         {"stress", scaled.stress},
                         {"pairs", static_cast<double>(scaled.pairs)}};
  description.provenance = input.provenance;
  description.provenance["source"] = input.results.front();
  description.provenance["seed"] = std::to_string(input.execution.seed);
  if (const auto config = source.provenance.find("config"); config != source.provenance.end()) {
    description.provenance["config"] = config->second;
  }
  return description;
}

ReportText text_of(const TaskInput& input, const ScaledObjects& scaled, const ResultDescription& source,
                   ScaledValues values, const std::vector<std::string>& warnings) {
  const Index n = scaled.coordinates.rows(), dimension = scaled.coordinates.columns();
  ReportText text;
  text.metric("objects", fmt::format("{} ({})", grouped(n), source.object_kind))
      .metric("method", fmt::format("{}, {} dimension{}", method_of(values), dimension, dimension == 1 ? "" : "s"));
  for (std::size_t j = 0; j < scaled.eigenvalues.size(); ++j) {
    text.metric(fmt::format("eigenvalue {}", j + 1),
                fmt::format("{:.6g}, {:.3g} % of the trace, residual {:.1g}", scaled.eigenvalues[j],
                            100.0 * scaled.eigenvalues[j] / scaled.trace, scaled.residuals[j]));
  }
  return text.metric("share of the trace", fmt::format("{:.4g}", scaled.trace_share()))
      .metric("smallest eigenvalue", fmt::format("{:.3g}", scaled.smallest_eigenvalue))
      .metric("stress", fmt::format("{:.3g} over {} pairs", scaled.stress, grouped(scaled.pairs)))
      .metric("products with B",
              fmt::format("{}, {} restarts, {} vectors of {} in all", grouped(scaled.products), scaled.restarts,
                          scaled.basis, format_bytes(static_cast<double>(n * scaled.basis) * sizeof(double))))
      .metric("embedding", input.output.file)
      .warnings(warnings)
      .gap();
}

Metric::Record metrics_of(const TaskInput& input, const ScaledObjects& scaled, ScaledValues values) {
  return {{"file", input.results.front()},  {"output", input.output.file},
          {"n", scaled.coordinates.rows()}, {"dimension", scaled.coordinates.columns()},
          {"method", method_of(values)},    {"eigenvalues", scaled.eigenvalues},
          {"residuals", scaled.residuals},  {"smallest_eigenvalue", scaled.smallest_eigenvalue},
          {"trace", scaled.trace},          {"trace_share", scaled.trace_share()},
          {"stress", scaled.stress},        {"pairs", scaled.pairs},
          {"products", scaled.products},    {"restarts", scaled.restarts},
          {"basis", scaled.basis}};
}

template <class T>
TaskReport scale(const TaskInput& input, ScaledValues values) {
  const Execution& execution = input.execution;
  const Communicator& communicator = execution.communicator;
  StoredResult<T> stored = [&] {
    const auto phase = execution.phases.enter("read");
    const std::string& path = input.results.front();
    return read_result<T>(communicator, path, most_tile_bytes(communicator, input.memory, path));
  }();
  // If the result takes the root, S is the error of the root: it does not apply to the squares.
  const bool roots = stored.approximation.transform != Transform::none;
  const auto near = roots ? nullptr : read_near_entries<T>(communicator, input.results.front());
  stored.approximation.transform = Transform::none;  // the squares themselves
  stored.approximation.symmetrize = !stored.approximation.symmetric;
  std::optional<double> uncentred;
  if (values == ScaledValues::similarities)
    uncentred = centre_similarities(execution, stored.approximation, near.get());
  const ScaledObjects scaled = classical_scaling(
      execution, stored.approximation,
      {.dimension = input.values.integer("dimension"), .values = values, .pairs = input.values.integer("pairs")},
      near.get());
  if (input.output.file.ends_with(csv_ending)) {
    const bool named = communicator.maximum(stored.names().empty() ? 0 : 1) > 0;
    const RowNames names(communicator, scaled.coordinates.partition(), named ? stored.labels : names_beside(stored),
                         stored.numbers);
    write_csv(execution, input.output.file, scaled.coordinates, names);
  } else {
    EmbeddingDescription description = describe(input, stored.description, values, scaled);
    description.phases = execution.phases.summarize(communicator);
    write_embedding(execution, input.output, scaled.coordinates, description, stored.names());
  }
  std::vector<std::string> warnings;
  if (uncentred) {
    std::string lost = scaled.cancellation(*uncentred, std::is_same_v<T, float>);
    if (!lost.empty()) warnings.push_back(std::move(lost));
  }
  TaskReport report{text_of(input, scaled, stored.description, values, warnings), metrics_of(input, scaled, values)};
  report.metrics.emplace_back("near", near ? near->near : Index{0});
  report.metrics.emplace_back("warnings", warnings);
  if (input.tell) input.tell(report.text);
  return report;
}

void check(const Values& values, std::size_t /*results*/) { values.required("dimension"); }

TaskReport run(const TaskInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const std::string& path = input.results.front();
  const ResultShape shape = read_result_shape(communicator, path);
  const ResultDescription description = read_result_description(communicator, path);
  const ScaledValues values = values_of(input, shape, description, read_result_report(communicator, path));
  if (input.tell) input.tell({});
  TaskReport report;
  with_precision(shape.precision, [&](auto number) { report = scale<decltype(number)>(input, values); });
  return report;
}

}  // namespace

const TaskDescriptor& scaling_task() {
  static const TaskDescriptor task{
      .name = "classical-scaling",
      .command = "embed",
      .summary = "Finds coordinates for the objects of a result, whose distances are like those that it holds.",
      .details =
          "Classical multidimensional scaling: the largest eigenvalues and their vectors of B = -1/2 H D2 H, H = I - "
          "11'/n, from the factors of the squared distances D2, as approximation.transform = sqrt stores them. Of "
          "similarities K it takes B = H K H, which is kernel principal component analysis.",
      .source = "Torgerson 1952; Schoelkopf, Smola and Mueller 1998",
      .parameters = {{.name = "dimension",
                      .value = "D",
                      .type = ValueType::integer,
                      .help = "Coordinates of an object.",
                      .lowest = 1},
                     {.name = "pairs",
                      .value = "N",
                      .type = ValueType::integer,
                      .fallback = "10000",
                      .help = "Random pairs of objects on which distances between coordinates are compared with those "
                              "in the result.",
                      .lowest = 1},
                     {.name = "squared-distances",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "false",
                      .help = "Take a matrix that was read from a file, or the values of a scorer, for squared "
                              "distances."}},
      .needs = {.file = "The coordinates: HDF5 if the name ends in .h5 or .hdf5, CSV if it ends in .csv.",
                .endings = {".h5", ".hdf5", csv_ending},
                .near = true},
      .check = check,
      .run = run};
  return task;
}

}  // namespace cairn

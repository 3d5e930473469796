// cairn embed: coordinates for the objects of a result.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cairn/approximation/methods.hpp"
#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/embedding/classical_scaling.hpp"
#include "commands/commands.hpp"
#include "commands/csv_file.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/figures.hpp"
#include "report/report.hpp"
#include "report/report_file.hpp"

namespace cairn::app {

namespace {

bool wants_csv(const std::string& path) {
  if (path.ends_with(".csv")) return true;
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return false;
  throw Error(ErrorKind::usage, fmt::format("--out {}: the name must end in .h5, .hdf5 or .csv", path));
}

// What L J Rᵀ holds: only squares can be centred.
ScaledValues values_of(const Settings& settings, const ResultShape& shape, const ResultDescription& description,
                       const MethodReport& report, const std::string& path) {
  const bool given_values = similarity_named(description.similarity).traits.stored;
  if (settings.given("squared-distances") && !given_values) {
    throw Error(ErrorKind::usage,
                fmt::format("--squared-distances has no effect unless the values come from a matrix or a scorer; {} "
                            "holds {}",
                            path, description.similarity));
  }
  if (given_values && settings.flag("squared-distances")) return ScaledValues::squared_distances;
  if (shape.transform == "sqrt") return ScaledValues::squared_distances;
  if (shape.meaning == "similarity") return ScaledValues::similarities;
  if (given_values) {
    throw Error(ErrorKind::usage,
                fmt::format("{} holds distances; classical scaling needs squared ones: approximate the squares, and "
                            "give --squared-distances",
                            path));
  }
  const char* method = method_named(report.method).needs.rows ? "" : "approximation.method = biharmonic and ";
  throw Error(ErrorKind::usage,
              fmt::format("{} holds distances; classical scaling needs squared ones: run approximate with "
                          "{}approximation.transform = sqrt, which interpolates squares",
                          path, method));
}

const char* method_of(ScaledValues values) {
  return values == ScaledValues::squared_distances ? "classical-scaling" : "kernel-pca";
}

std::string csv_line(std::span<const double> row) {
  std::string line;
  for (const double value : row) line += fmt::format("{}{:.17g}", line.empty() ? "" : ",", value);
  return line;
}

// In windows of rows, that no rank ever holds n of them.
void write_csv(const Execution& execution, const std::string& path, const RowBlock<double>& coordinates,
               const std::vector<std::string>& labels) {
  constexpr Index most_bytes = Index{16} << 20, number_bytes = 25;
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  const bool labelled = communicator.maximum(static_cast<Index>(labels.size())) > 0;
  TextFile file(communicator, path);
  std::string head;
  for (Index j = 1; j <= coordinates.columns(); ++j) head += fmt::format("{}y{}", j > 1 ? "," : "", j);
  file.append(head + (labelled ? ",label\n" : "\n"));
  const Range own = coordinates.range();
  const Index window = std::max<Index>(1, most_bytes / (number_bytes * coordinates.columns()));
  for (Index begin = 0; begin < coordinates.rows(); begin += window) {
    std::string text;
    for (Index i = std::max(begin, own.begin); i < std::min(begin + window, own.end); ++i) {
      text += csv_line(coordinates.row(i));
      if (labelled) text += "," + csv_field(labels[static_cast<std::size_t>(i - own.begin)]);
      text += '\n';
    }
    const std::vector<char> all = communicator.all_gather(std::span<const char>(text));
    file.append({all.begin(), all.end()});
    phase.count_bytes(static_cast<Index>(text.size()));
  }
  file.complete();
}

EmbeddingDescription describe(const Job& job, const Execution& execution, const ResultDescription& source,
                              ScaledValues values, const ScaledObjects& scaled) {
  EmbeddingDescription description;
  description.method = method_of(values);
  description.object_kind = source.object_kind;
  description.data_digest = source.data_digest;
  description.eigenvalues = scaled.eigenvalues;
  description.residuals = scaled.residuals;
  description.figures = {{"trace", scaled.trace},
                         {"trace_share", scaled.trace_share()},
                         {"smallest_eigenvalue", scaled.smallest_eigenvalue},
                         {"stress", scaled.stress},
                         {"pairs", static_cast<double>(scaled.pairs)}};
  description.provenance = run_provenance(job, execution.threads);
  description.provenance["source"] = job.arguments.front();
  description.provenance["seed"] = std::to_string(execution.seed);
  if (const auto config = source.provenance.find("config"); config != source.provenance.end()) {
    description.provenance["config"] = config->second;
  }
  return description;
}

std::string text_of(const ScaledObjects& scaled, const ResultDescription& source, ScaledValues values) {
  const Index n = scaled.coordinates.rows(), dimension = scaled.coordinates.columns();
  std::string text = fmt::format(
      "  objects                     {} ({})\n"
      "  method                      {}, {} dimension{}\n",
      grouped(n), source.object_kind, method_of(values), dimension, dimension == 1 ? "" : "s");
  for (std::size_t j = 0; j < scaled.eigenvalues.size(); ++j) {
    text +=
        fmt::format("  {:<26}  {:.6g}, {:.3g} % of the trace, residual {:.1g}\n", fmt::format("eigenvalue {}", j + 1),
                    scaled.eigenvalues[j], 100.0 * scaled.eigenvalues[j] / scaled.trace, scaled.residuals[j]);
  }
  return text + fmt::format(
                    "  share of the trace          {:.4g}\n"
                    "  smallest eigenvalue         {:.3g}\n"
                    "  stress                      {:.3g} over {} pairs\n"
                    "  products with B             {}, {} restarts, {} vectors of {} in all\n",
                    scaled.trace_share(), scaled.smallest_eigenvalue, scaled.stress, grouped(scaled.pairs),
                    grouped(scaled.products), scaled.restarts, scaled.basis,
                    format_bytes(static_cast<double>(n * scaled.basis) * sizeof(double)));
}

nlohmann::ordered_json json_of(const Job& job, const ScaledObjects& scaled, ScaledValues values) {
  return {{"file", job.arguments.front()},  {"output", job.settings.text("out")},
          {"n", scaled.coordinates.rows()}, {"dimension", scaled.coordinates.columns()},
          {"method", method_of(values)},    {"eigenvalues", scaled.eigenvalues},
          {"residuals", scaled.residuals},  {"smallest_eigenvalue", scaled.smallest_eigenvalue},
          {"trace", scaled.trace},          {"trace_share", scaled.trace_share()},
          {"stress", scaled.stress},        {"pairs", scaled.pairs},
          {"products", scaled.products},    {"restarts", scaled.restarts},
          {"basis", scaled.basis}};
}

template <class T>
void embed_as(Job& job, ScaledValues values) {
  const Settings& settings = job.settings;
  const std::string& output = settings.text("out");
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();
  StoredResult<T> stored = [&] {
    const auto phase = context.phases().enter("read");
    const std::string& path = job.arguments.front();
    return read_result<T>(job.communicator, path, most_tile_bytes(job.communicator, memory_of(settings), path));
  }();
  stored.approximation.transform = Transform::none;  // the squares themselves
  stored.approximation.symmetrize = !stored.approximation.symmetric;
  const ScaledObjects scaled = classical_scaling(
      execution, stored.approximation,
      {.dimension = settings.integer("dimension"), .values = values, .pairs = settings.integer("pairs")});
  if (wants_csv(output)) {
    write_csv(execution, output, scaled.coordinates, stored.names());
  } else {
    EmbeddingDescription description = describe(job, execution, stored.description, values, scaled);
    description.phases = context.phases().summarize(job.communicator);
    write_embedding(execution, output, scaled.coordinates, description, stored.names());
  }
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, text_of(scaled, stored.description, values) +
                              fmt::format("  embedding                   {}\n\n", output) +
                              phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json.update(json_of(job, scaled, values));
  json.update(phases_json(phases, total));
  json["peak_bytes"] = job.communicator.maximum(peak_resident_bytes());
  write_json(job, json);
}

}  // namespace

void check_embed(const Settings& settings, const std::vector<std::string>& arguments) {
  const std::string& path = arguments.front();
  settings.required("dimension");
  static_cast<void>(wants_csv(settings.required("out")));
  if (settings.text("out") == path) throw Error(ErrorKind::usage, fmt::format("--out {} is the result itself", path));
}

void run_embed(Job& job) {
  const Settings& settings = job.settings;
  const std::string& path = job.arguments.front();
  check_output(job, "out");
  check_output(job, "json");
  const ResultShape shape = read_result_shape(job.communicator, path);
  const ResultDescription description = read_result_description(job.communicator, path);
  const MethodReport report = read_result_report(job.communicator, path);
  const ScaledValues values = values_of(settings, shape, description, report, path);
  print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  with_precision(shape.precision, [&](auto number) { embed_as<decltype(number)>(job, values); });
}

}  // namespace cairn::app

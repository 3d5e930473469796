#include "cairn/run/transport/transport_files.hpp"

#include <fmt/format.h>

#include <bit>

#include "cairn/base/error.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/points/column_reader.hpp"
#include "cairn/data/points/points_like.hpp"

namespace cairn {

namespace {

// Points of another file, read and scaled like the sources.
template <class T>
Data<T> read_like(const Execution& execution, const Values& points, const Values& files, const std::string& path,
                  const Data<T>& source) {
  const KeyNames keys =
      points.keys().with("format", files.keys()("target.format")).with("dataset", files.keys()("target.dataset"));
  return read_points_like(
      execution, points, source,
      {.path = path, .format = files.text("target.format"), .dataset = files.text("target.dataset"), .keys = keys});
}

template <class T>
std::vector<double> read_weights(const Communicator& communicator, const Values& files, const char* name,
                                 const Data<T>& points) {
  if (!files.given(name)) return {};
  const std::string& path = files.text(name);
  const ColumnTable table = read_columns(communicator, {.path = path, .columns = {}, .key = {}, .keys = points.keys});
  const RowBlock<double>& weights = table.rows.coordinates();
  if (weights.columns() != 1 || weights.rows() != points.objects->size()) {
    throw Error(ErrorKind::input, fmt::format("{} is {} x {}; weights are one number for each of the {} points", path,
                                              weights.rows(), weights.columns(), points.objects->size()));
  }
  return {weights.local().data, weights.local().data + weights.local().rows};
}

}  // namespace

const std::vector<Parameter>& transport_file_parameters() {
  using enum ValueType;
  static const std::vector<Parameter> all = {
      {.name = "target.path",
       .value = "FILE",
       .type = input_path,
       .help = "The file with the target points, in any format of points. Its columns are those of the sources."},
      {.name = "target.format",
       .value = "FORMAT",
       .help = "The format of the target points and of those that are mapped; by default the name's ending says it."},
      {.name = "target.dataset",
       .value = "NAME",
       .help = "HDF5 and npz: the data set of these files, if it is not the only one."},
      {.name = "weights",
       .value = "FILE",
       .type = input_path,
       .help =
           "Weights of the source points, one number a row, at least 0; they are scaled to sum to 1. By default all "
           "rows weigh the same."},
      {.name = "target.weights", .value = "FILE", .type = input_path, .help = "The same of the target points."},
      {.name = "map",
       .value = "FILE",
       .type = input_path,
       .help = "Points that are no sources, which the plan maps, too: to the mean of the targets, each weighed by the "
               "kernel and its scaling."}};
  return all;
}

const std::vector<Parameter>& transport_options() {
  static const std::vector<Parameter> all = [] {
    std::vector<Parameter> both = transport_parameters();
    both.insert(both.end(), transport_file_parameters().begin(), transport_file_parameters().end());
    return both;
  }();
  return all;
}

template <class T>
TransportData<T> read_transport_data(const Execution& execution, const Values& points, const Values& files) {
  const std::string& path = files.required("target.path");
  TransportData<T> data;
  data.source = read_data<T>(point_data(), {execution, points, nullptr});
  data.target = read_like(execution, points, files, path, data.source);
  if (files.given("map")) data.unseen = read_like(execution, points, files, files.text("map"), data.source);
  data.source_weights_file = files.text("weights");
  data.target_weights_file = files.text("target.weights");
  data.source_weights = read_weights(execution.communicator, files, "weights", data.source);
  data.target_weights = read_weights(execution.communicator, files, "target.weights", data.target);
  const auto digest = [&](const Data<T>& side, const std::vector<double>& weights, std::uint64_t start) {
    std::uint64_t sum = 0;
    Index row = side.objects->range().begin;
    for (const double weight : weights) {
      sum += mix_bits(std::bit_cast<std::uint64_t>(weight) ^ mix_bits(static_cast<std::uint64_t>(row++)));
    }
    return mix_bits(side.digest + start) + mix_bits(execution.communicator.sum(sum) + start);
  };
  data.digest = digest(data.source, data.source_weights, 1) + digest(data.target, data.target_weights, 2);
  return data;
}

template <class T>
Transported<T> transport(const Execution& execution, const TransportData<T>& data, const TransportChoice& choice,
                         const RunResources& budget) {
  return transport<T>({.execution = execution,
                       .source = data.source.points()->coordinates(),
                       .target = data.target.points()->coordinates(),
                       .source_weights = data.source_weights,
                       .target_weights = data.target_weights,
                       .source_weights_file = data.source_weights_file,
                       .target_weights_file = data.target_weights_file,
                       .unseen = data.unseen ? &data.unseen->points()->coordinates() : nullptr,
                       .choice = choice,
                       .budget = budget});
}

template <class T>
TaskReport save_plan(const Execution& execution, const OutputPath& path, const TransportData<T>& data,
                     Transported<T> found, const TransportChoice& choice,
                     const std::map<std::string, std::string>& provenance) {
  for (const Data<T>* side : {&data.source, &data.target, data.unseen ? &*data.unseen : nullptr}) {
    if (side == nullptr) continue;
    found.notes.insert(found.notes.end(), side->notes.begin(), side->notes.end());
    found.warnings.insert(found.warnings.end(), side->warnings.begin(), side->warnings.end());
  }
  if (data.source.scaling.kind != "none") {
    found.notes.push_back(fmt::format(
        "points, barycentres, costs and epsilon are of points scaled by {} = {}; /scaling of the file says how",
        data.source.keys("scaling"), data.source.scaling.kind));
  }
  if (data.source.scaling.kind == "none" && !data.source.scaling.shift.empty()) {
    found.notes.push_back(
        fmt::format("points and barycentres are relative to the mean of the sources, which {} = subtract took off; "
                    "/scaling of the file has it",
                    data.source.keys("offset")));
  }
  TransportDescription description = description_of(found, choice);
  description.scaling = data.source.scaling;
  description.provenance = provenance;
  description.phases = execution.phases.summarize(execution.communicator);
  save_plan(execution, path, found, description);
  TaskReport report = report_of(summary_of(execution.communicator, found, description));
  report.text.metric("plan", path.file).gap();
  report.metrics.emplace_back("output", path.file);
  return report;
}

#define CAIRN_INSTANTIATE(T)                                                                                  \
  template TransportData<T> read_transport_data(const Execution&, const Values&, const Values&);              \
  template Transported<T> transport(const Execution&, const TransportData<T>&, const TransportChoice&,        \
                                    const RunResources&);                                                     \
  template TaskReport save_plan(const Execution&, const OutputPath&, const TransportData<T>&, Transported<T>, \
                                const TransportChoice&, const std::map<std::string, std::string>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

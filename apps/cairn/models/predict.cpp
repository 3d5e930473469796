// cairn predict: values of objects from a model and their rows of a factor.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"
#include "cairn/task/tasks.hpp"
#include "commands/csv_file.hpp"
#include "models/model_commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/extension_error.hpp"
#include "report/job.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// The result of each model: those of --result in their order (one alone: for all), or those that it was trained on.
std::vector<std::string> result_paths(const Settings& settings, const ModelFile& model) {
  std::vector<std::string> paths = settings.all("result");
  if (paths.empty()) {
    for (const StoredModel& one : model.models) paths.push_back(one.result);
  } else if (paths.size() == 1) {
    paths.resize(model.models.size(), paths.front());
  } else if (paths.size() != model.models.size()) {
    throw Error(ErrorKind::usage, fmt::format("--result is given {} times, and the file has {} models", paths.size(),
                                              model.models.size()));
  }
  return paths;
}

// Predictions at this rank's rows, added up over models.
class Prediction {
 public:
  Prediction(Job& job, const ModelFile& model) : job_(job), model_(model), context_(job.communicator, job.settings) {}

  // The models from `first` on whose result is the file, as long as they stand on its factor: the next one.
  template <class T>
  std::size_t add(const std::vector<std::string>& paths, std::size_t first) {
    const Communicator& communicator = job_.communicator;
    StoredResult<T> result = [&] {
      Phases::Scope phase = context_.phases().enter("read");
      constexpr Index no_tiles = 0;  // predictions take the left factor alone
      return read_result<T>(communicator, paths[first], no_tiles);
    }();
    std::ranges::move(extension_warnings(result.description, paths[first]), std::back_inserter(warnings_));
    if (is_extension(result.description)) extension_ = extension_error(result.description);
    const Factor<T>& left = result.approximation.left;
    begin(paths[first], left.partition(), result.names());
    Phases::Scope phase = context_.phases().enter("predict");
    const std::uint64_t digest =
        basis_digest(communicator, result.approximation, result.description.similarity_parameters);
    std::size_t next = first;
    for (; next < paths.size() && paths[next] == paths[first]; ++next) {
      const StoredModel& one = model_.models[next];
      if (digest != one.basis_digest || left.columns() != one.columns) {
        throw Error(ErrorKind::input,
                    fmt::format("{} has not the factor that model {} was trained on ({}), nor an extension of it",
                                paths[first], next + 1, one.result));
      }
      const std::vector<double> values =
          predict(context_.execution(), left, one.coefficients, static_cast<Index>(model_.targets.size()), rows_);
      for (std::size_t i = 0; i < values.size(); ++i) sums_[i] += values[i];
    }
    return next;
  }

  void write() {
    const std::string& path = job_.settings.text("out");
    {
      Phases::Scope phase = context_.phases().enter("write");
      write_lines(path);
    }
    const Index count = job_.communicator.sum(static_cast<Index>(rows_.size()));
    const auto phases = context_.phases().summarize(job_.communicator);
    const double total = context_.seconds();
    print(job_.communicator, fmt::format("  {} rows, {} target{}, in {}\n", grouped(count), model_.targets.size(),
                                         model_.targets.size() == 1 ? "" : "s", path) +
                                 (extension_ ? extension_report(*extension_, "the result extended") : "") +
                                 warning_lines(warnings_) + "\n" + phase_report(phases, total));
    nlohmann::ordered_json json = header_json(job_, context_.execution().threads);
    json.update({{"file", job_.arguments.front()},
                 {"out", path},
                 {"rows", count},
                 {"targets", model_.targets},
                 {"models", model_.models.size()}});
    if (extension_) json.update(extension_json(*extension_));
    json["warnings"] = warnings_;
    json.update(phases_json(phases, total));
    write_json(job_, json);
  }

 private:
  void begin(const std::string& path, const RowPartition& partition, std::vector<std::string> labels) {
    if (partition_) {
      if (*partition_ == partition) return;
      throw Error(ErrorKind::input, fmt::format("{} has {} rows, and the result before it {}", path, partition.rows(),
                                                partition_->rows()));
    }
    partition_ = partition;
    labels_ = std::move(labels);
    labelled_ = job_.communicator.maximum(static_cast<Index>(labels_.size())) > 0;
    const Range own = partition.range(job_.communicator.rank());
    if (job_.settings.given("rows")) {
      rows_ = read_row_list(job_.communicator, job_.settings.text("rows"), partition);
    } else {
      for (Index i = own.begin; i < own.end; ++i) rows_.push_back(i);
    }
    sums_.assign(rows_.size() * model_.targets.size(), 0.0);
  }

  // Lines of the rows in `window` that this rank has.
  std::string own_lines(Range window) const {
    std::string text;
    const Index first = partition_->range(job_.communicator.rank()).begin;
    const std::size_t width = model_.targets.size();
    const auto begin = std::lower_bound(rows_.begin(), rows_.end(), window.begin);
    for (auto row = begin; row != rows_.end() && *row < window.end; ++row) {
      text += fmt::format("{}", *row);
      if (labelled_) text += "," + csv_field(labels_[static_cast<std::size_t>(*row - first)]);
      for (std::size_t t = 0; t < width; ++t) {
        const double sum = sums_[static_cast<std::size_t>(row - rows_.begin()) * width + t];
        text += fmt::format(",{:.17g}", sum / static_cast<double>(model_.models.size()));
      }
      text += '\n';
    }
    return text;
  }

  void write_lines(const std::string& path) const {
    std::string heading = labelled_ ? "row,label" : "row";
    for (const std::string& name : model_.targets) heading += "," + csv_field(name);
    write_csv_lines(job_.communicator, path, heading, partition_->rows(),
                    [&](Range window) { return own_lines(window); });
  }

  Job& job_;
  const ModelFile& model_;
  Context context_;
  std::optional<RowPartition> partition_;
  std::vector<std::string> warnings_;        // about out-of-sample rows
  std::optional<ExtensionError> extension_;  // of the last file, if its rows are out-of-sample
  std::vector<std::string> labels_;
  bool labelled_ = false;
  std::vector<Index> rows_;
  std::vector<double> sums_;
};

}  // namespace

void check_predict(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("out");
}

void run_predict(Job& job) {
  check_output(job, "out");
  check_output(job, "json");
  const std::string task = read_model_task(job.communicator, job.arguments.front());
  if (model_kind(task) == ModelKind::classes) return predict_classes(job);
  const ModelFile model = read_model(job.communicator, job.arguments.front());
  const std::vector<std::string> paths = result_paths(job.settings, model);
  for (const std::string& path : paths) {
    require_other_file(job, "--out", job.settings.text("out"), "the result of a model", path);
  }
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  Prediction prediction(job, model);
  for (std::size_t next = 0; next < paths.size();) {
    const ResultShape shape = read_result_shape(job.communicator, paths[next]);
    with_precision(shape.precision, [&](auto number) { next = prediction.add<decltype(number)>(paths, next); });
  }
  prediction.write();
}

}  // namespace cairn::app

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/extension_report.hpp"
#include "cairn/task/predicted_rows.hpp"
#include "cairn/task/regression/center_variances.hpp"
#include "cairn/task/regression/kernel_products.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"
#include "cairn/task/regression/regression_score.hpp"
#include "cairn/task/regression/targets.hpp"

namespace cairn {

namespace {

// Path of each model's result: those given, in their order (a single one is used for all models), or those of the
// training.
std::vector<std::string> result_paths(const PredictionInput& input, const ModelFile& model) {
  std::vector<std::string> paths = input.results;
  if (paths.empty()) {
    for (const StoredModel& one : model.models) paths.push_back(one.result);
  } else if (paths.size() == 1) {
    paths.resize(model.models.size(), paths.front());
  } else if (paths.size() != model.models.size()) {
    throw Error(ErrorKind::usage, fmt::format("{} is given {} times, and the file has {} models", input.keys("result"),
                                              paths.size(), model.models.size()));
  }
  return paths;
}

// Predictions for this rank's rows, summed over models.
class Prediction {
 public:
  Prediction(const PredictionInput& input, const ModelFile& model) : input_(input), model_(model) {}

  // Adds the models from `first` on that predict for the same file. Returns the index of the next model.
  template <class T>
  std::size_t add(const std::vector<std::string>& paths, std::size_t first) {
    const StoredResult<T> result = read_for_prediction<T>(input_, paths[first]);
    out_of_sample_.add(result.description, paths[first]);
    const Factor<T>& left = result.approximation.left;
    begin(paths[first], left.partition(), result.labels, result.numbers, names_beside(result));
    Phases::Scope phase = input_.execution.phases.enter("predict");
    const auto digests = digests_of_columns(input_.execution.communicator, result.approximation, result.description);
    std::size_t next = first;
    for (; next < paths.size() && paths[next] == paths[first]; ++next) {
      const StoredModel& one = model_.models[next];
      require_basis(paths[first], digests, left.columns(),
                    {one.basis_digest, one.columns, fmt::format("model {}", next + 1), one.result});
      std::vector<double> values = predict(input_.execution, left, one.coefficients, width(), rows_->rows());
      add_intercepts(values, one.intercepts);
      for (std::size_t i = 0; i < values.size(); ++i) sums_[i] += values[i];
    }
    return next;
  }

  // Adds the model on K itself for the points that are given.
  template <class T>
  void add_points() {
    const Data<T> data = read_new_points<T>(input_, *model_.centers->points);
    const PointSet<T>& points = *data.points();
    begin("", points.partition(), data.objects->labels(), data.numbers.of(points.range()),
          names_beside(texts_of(*data.objects)));
    Phases::Scope phase = input_.execution.phases.enter("predict");
    const auto similarity = make_similarity<T>(
        input_.execution, from_resolved(the_model().similarity, the_model().similarity_parameters), *data.objects);
    const auto& centers = dynamic_cast<const PointBlock<T>&>(*model_.centers->objects);
    take_products(*similarity, *data.objects, blocks_of_points(centers));
    if (variances() != nullptr) take_variances(*similarity, *data.objects, model_.centers->objects);
  }

  // Adds the model on K itself for the rows of the result that it was trained on.
  template <class T>
  void add_rows(const std::string& path) {
    const Communicator& communicator = input_.execution.communicator;
    const StoredResult<T> result = read_for_prediction<T>(input_, path);
    const auto digests = digests_of_columns(communicator, result.approximation, result.description);
    if (is_extension(result.description) || digests.front() != the_model().basis_digest) {
      throw Error(
          ErrorKind::input,
          fmt::format("{}: the model {} predicts for the rows of {}, on which it was trained, and for new points "
                      "that are given as such",
                      path, input_.model, the_model().result));
    }
    const auto matrix = matrix_of<T>(path, result.description);
    begin(path, matrix->compared().partition(), result.labels, result.numbers, names_beside(result));
    Phases::Scope phase = input_.execution.phases.enter("predict");
    const ObjectBlocks centers = gather_blocks(communicator, matrix->compared(), model_.centers->rows,
                                               KernelMatrix<T>::order_for(std::ssize(model_.centers->rows)));
    take_products(matrix->entries(), matrix->compared(), centers);
    if (variances() == nullptr) return;
    take_variances<T>(matrix->entries(), matrix->compared(),
                      matrix->compared().gather(communicator, model_.centers->rows));
  }

  [[nodiscard]] TaskReport finish() const {
    std::string heading;
    // The column of a model of labels is named "predicted", since labels have a column of their own.
    for (const std::string& name : model_.targets) {
      const std::string column = of_labels() ? "predicted" : name;
      heading += next_csv_field(column);
      if (variances() != nullptr) heading += next_csv_field("sd " + column);
    }
    const auto models = static_cast<double>(model_.models.size());
    rows_->write(heading, [&](std::size_t at) {
      std::string fields;
      const double* sums = sums_.data() + at * model_.targets.size();
      for (std::size_t t = 0; t < model_.targets.size(); ++t) {
        fields += fmt::format(",{:.17g}", sums[t] / models);
        if (variances() != nullptr) {
          fields += fmt::format(",{:.17g}", std::sqrt(variances()->scales[t] * spreads_[at]));
        }
      }
      return fields;
    });
    const Index count = rows_->count();
    TaskReport report;
    report.text.heading(fmt::format("{} rows, {} target{}{}, in {}", grouped(count), width(), width() == 1 ? "" : "s",
                                    variances() != nullptr ? " with standard deviations" : "", input_.output.file));
    report.metrics = {{"file", input_.model},
                      {"out", input_.output.file},
                      {"rows", count},
                      {"targets", model_.targets},
                      {"models", model_.models.size()}};
    add_extension(report, out_of_sample_.error);
    score_labels(report);
    report.text.notes(rows_->notes()).warnings(out_of_sample_.warnings).gap();
    report.metrics.emplace_back("warnings", out_of_sample_.warnings);
    return report;
  }

 private:
  [[nodiscard]] bool of_labels() const { return model_.targets == std::vector<std::string>{label_target}; }

  // Scores a model of labels against the labels of these rows, if they are numbers. Collective.
  void score_labels(TaskReport& report) const {
    const Communicator& communicator = input_.execution.communicator;
    if (!of_labels() || !rows_->labelled()) return;
    const Index first = rows_->partition().range(communicator.rank()).begin;
    std::vector<double> predicted, truth;
    for (std::size_t at = 0; at < rows_->rows().size(); ++at) {
      const auto value = parse_number(rows_->labels()[rows_->rows()[at] - first]);
      if (!value || !std::isfinite(*value)) continue;
      truth.push_back(*value);
      predicted.push_back(sums_[at] / static_cast<double>(model_.models.size()));
    }
    if (communicator.sum(static_cast<Index>(truth.size())) == 0) return;
    const RegressionScore found = score(communicator, predicted, truth, 1).front();
    const std::optional<double> r_squared = found.r_squared();
    report.text.heading(
        fmt::format("of {} rows whose label is a number: R^2 {}, mean absolute error {:.6g}, root mean square {:.6g}",
                    grouped(found.rows), r_squared ? fmt::format("{:.4f}", *r_squared) : "undefined",
                    found.mean_absolute_error(), found.root_mean_squared_error()));
    const bool one = std::ranges::all_of(
        model_.models, [&](const StoredModel& model) { return model.result == model_.models.front().result; });
    if (one || input_.results.empty()) {
      report.text.notes(
          training_notes(input_, model_.models.front().result, model_.training_rows, rows_->partition().rows()));
    }
    report.metrics.emplace_back("score", Metric::Record{{"rows", found.rows},
                                                        {"r_squared", r_squared},
                                                        {"mean_absolute_error", found.mean_absolute_error()},
                                                        {"root_mean_squared_error", found.root_mean_squared_error()}});
  }

  [[nodiscard]] const StoredModel& the_model() const { return model_.models.front(); }

  template <class T>
  [[nodiscard]] std::unique_ptr<MatrixOfResult<T>> matrix_of(const std::string& path,
                                                             const ResultDescription& description) const {
    const auto& find = [&]() -> const FindMatrix<T>& {
      if constexpr (std::is_same_v<T, float>) {
        return input_.matrix_single;
      } else {
        return input_.matrix_double;
      }
    }();
    if (find) return find(path, description);
    throw Error(ErrorKind::usage,
                fmt::format("the model {} compares objects themselves, which cairn predict reads; they are not at hand "
                            "here{}",
                            input_.model, model_.centers->points ? "; it takes new points, too" : ""));
  }

  template <class T>
  void take_products(const Similarity<T>& similarity, const ObjectSet& objects, const ObjectBlocks& centers) {
    const StoredModel& model = the_model();
    sums_ = multiply_by_centers(input_.execution, similarity, objects, rows_->rows(), centers,
                                {model.coefficients.data(), model.columns, width()});
    add_intercepts(sums_, model.intercepts);
  }

  // Of the only model; null: it has none.
  [[nodiscard]] const StoredVariances* variances() const {
    return model_.centers && model_.centers->variances ? &*model_.centers->variances : nullptr;
  }

  template <class T>
  void take_variances(const Similarity<T>& similarity, const ObjectSet& objects,
                      std::shared_ptr<const ObjectBlock> centers) {
    spreads_ = variances_by_centers(input_.execution, similarity, objects, std::move(centers), variances()->root,
                                    the_model().lambda, rows_->rows());
  }

  [[nodiscard]] Index width() const { return static_cast<Index>(model_.targets.size()); }

  void begin(const std::string& path, const RowPartition& partition, std::vector<std::string> labels,
             std::vector<Index> numbers, std::vector<std::string> names) {
    if (rows_) {
      if (rows_->partition() == partition) return;
      throw Error(ErrorKind::input, fmt::format("{} has {} rows, and the result before it {}", path, partition.rows(),
                                                rows_->partition().rows()));
    }
    rows_.emplace(input_, partition, std::move(labels), std::move(numbers), std::move(names));
    sums_.assign(rows_->rows().size() * model_.targets.size(), 0.0);
  }

  const PredictionInput& input_;
  const ModelFile& model_;
  std::optional<PredictedRows> rows_;
  OutOfSample out_of_sample_;
  std::vector<double> sums_;
  std::vector<double> spreads_;  // variances without their scales
};

}  // namespace

TaskReport predict_values(const PredictionInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const ModelFile model = read_model(communicator, input.model);
  if (input.points && model.centers) {
    if (input.output.file.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{} is required: the predictions of the model {} are written",
                                                input.output.name, input.model));
    }
    if (!model.centers->points) {
      throw Error(
          ErrorKind::usage,
          fmt::format("{} has no effect: the objects of the model {} are no points, and it predicts for the rows "
                      "of its result alone",
                      input.points->where("path"), input.model));
    }
    require_points(input, model.centers->points->dimension);
  } else {
    require_results(input);
  }
  Prediction prediction(input, model);
  if (input.points) {
    if (input.begin) input.begin({});
    with_precision(model.centers->precision, [&](auto number) { prediction.add_points<decltype(number)>(); });
    return prediction.finish();
  }
  const std::vector<std::string> paths = result_paths(input, model);
  for (const std::string& path : paths) require_other_file(communicator, input.output, "the result of a model", path);
  if (input.begin) input.begin(paths);
  for (std::size_t next = 0; next < paths.size();) {
    const ResultShape shape = read_result_shape(communicator, paths[next]);
    with_precision(shape.precision, [&](auto number) {
      using T = decltype(number);
      if (model.centers) {
        prediction.add_rows<T>(paths[next++]);
      } else {
        next = prediction.add<T>(paths, next);
      }
    });
  }
  return prediction.finish();
}

}  // namespace cairn

#include "cairn/task/gaussian/vecchia/vecchia_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/known_objects.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/gaussian/process_features.hpp"
#include "cairn/task/gaussian/process_training.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_fit.hpp"

namespace cairn {

namespace {

constexpr std::pair<const char*, Smoothness> names_of_smoothness[] = {{"1/2", Smoothness::one_half},
                                                                      {"3/2", Smoothness::three_halves},
                                                                      {"5/2", Smoothness::five_halves},
                                                                      {"infinite", Smoothness::infinite}};

// Features of rows: coordinates of points, or rows of L.
template <class T>
class Features {
 public:
  Features(const TaskInput& input, const StoredResult<T>& result) : left_(result.approximation.left) {
    const std::string& choice = input.values.text("features");
    const Index dimension = result.description.dimension;
    const std::string why = without_coordinates(input, result.description);
    if (choice == "coordinates" && !why.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{}: {}", input.values.where("features"), why));
    }
    if (choice == "factors" || !why.empty()) {
      note_ = fmt::format("features are the {} columns of rows of L, with one length for all{}", left_.columns(),
                          choice == "factors" ? "" : ": " + why);
      return;
    }
    const auto phase = input.execution.phases.enter("read points");
    matrix_ = matrix_of<T>(input, 0, result.description);
    points_ = dynamic_cast<const PointSet<T>*>(&matrix_->objects());
    if (points_ == nullptr || points_->dimension() != dimension) {
      throw Error(ErrorKind::internal, "the objects of a result of points are no points");
    }
  }

  [[nodiscard]] bool coordinates() const { return points_ != nullptr; }
  [[nodiscard]] Index columns() const { return points_ != nullptr ? points_->dimension() : left_.columns(); }
  [[nodiscard]] const std::string& note() const { return note_; }

  // rows x columns of this rank's rows. Local.
  [[nodiscard]] std::vector<double> of(std::span<const Index> rows) const {
    if (points_ == nullptr) return dense_rows(left_, rows);
    const auto width = static_cast<std::size_t>(columns());
    std::vector<double> values(rows.size() * width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      points_->template copy_point<double>(rows[r], std::span(values).subspan(r * width, width));
    }
    return values;
  }

 private:
  // Reason why the features cannot be coordinates; empty: they can.
  static std::string without_coordinates(const TaskInput& input, const ResultDescription& description) {
    if (description.object_kind != point_data().name) return "the objects are no points";
    if (description.dimension > most_lengths) {
      return fmt::format("the points have {} coordinates, and at most {} have a length each", description.dimension,
                         most_lengths);
    }
    const bool known = [&] {
      if constexpr (std::is_same_v<T, float>) {
        return static_cast<bool>(input.matrix_single);
      } else {
        return static_cast<bool>(input.matrix_double);
      }
    }();
    return known ? "" : "the program that runs the task did not hand it the points";
  }

  const Factor<T>& left_;
  std::unique_ptr<MatrixOfResult<T>> matrix_;
  const PointSet<T>* points_ = nullptr;
  std::string note_;
};

template <class T>
class VecchiaTraining {
 public:
  VecchiaTraining(const TaskInput& input, const StoredResult<T>& result, ChosenRows chosen)
      : input_(input), communicator_(input.execution.communicator), result_(result), chosen_(std::move(chosen)) {
    options_ = {.smoothness = smoothness_named(input.values.text("smoothness")),
                .neighbors = input.values.integer("neighbors")};
  }

  TaskReport run() {
    said_.add(chosen_.text);
    if (chosen_.training_rows < 2) {
      throw Error(ErrorKind::input,
                  fmt::format("there {} to train on: the parameters of a Gaussian process follow from two rows or more",
                              chosen_.training_rows == 0 ? "is no row" : "is one row"));
    }
    file_.warnings = std::move(chosen_.warnings);
    const Features<T> features(input_, result_);
    const std::string& mean = input_.values.text("mean");
    options_.linear = mean == "linear" || (mean == "auto" && features.coordinates());
    if (options_.linear && features.columns() > most_lengths) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} {}: a mean has at most {} coefficients of columns, and there are {}",
                              input_.values.where("mean"), mean, most_lengths, features.columns()));
    }
    if (!features.note().empty()) say(ReportText().note(features.note()).gap());
    require_memory(features.columns());
    VecchiaRows rows = [&] {
      const auto phase = input_.execution.phases.enter("gather features");
      const std::vector<double> own = collectively(communicator_, [&] { return features.of(chosen_.training.rows); });
      return vecchia_rows(input_.execution, own, features.columns(), chosen_.training.rows, !features.coordinates());
    }();
    warn_of_columns(rows);
    file_.columns = rows.points.columns;
    file_.center = rows.center;
    file_.unit = rows.unit;
    if (features.coordinates()) {
      file_.points = known_objects(result_.description, input_.results.front()).points;
      file_.precision = result_.description.precision;
      name_columns(rows);
    }
    for (Index t = 0; t < chosen_.targets.count(); ++t) learn(features, rows, t);
    return finish(std::move(rows));
  }

 private:
  void say(const ReportText& text) {
    said_.add(text);
    if (input_.tell) input_.tell(text);
  }

  void require_memory(Index columns) const {
    const VecchiaBytes bytes = vecchia_bytes(chosen_.training_rows, columns, options_.neighbors,
                                             chosen_.targets.count(), communicator_.size(), input_.execution.threads);
    const Index here = communicator_.node().size(), needed = bytes.rank + (bytes.node + here - 1) / here,
                budget = input_.memory.budget_of_rank(communicator_, 0.9);
    if (!input_.memory.refuses(static_cast<double>(needed), budget)) return;
    throw Error(ErrorKind::resource,
                fmt::format("a Gaussian process of {} training rows with {} features takes {} of each node for the "
                            "rows, which its ranks share, and {} of each of {} ranks for {} neighbors of its rows; a "
                            "rank has {}. Use more nodes, or fewer neighbors",
                            grouped(chosen_.training_rows), columns, format_bytes(static_cast<double>(bytes.node)),
                            format_bytes(static_cast<double>(bytes.rank)), communicator_.size(), options_.neighbors,
                            input_.memory.budget_text(budget)));
  }

  void name_columns(const VecchiaRows& rows) {
    const auto& columns = file_.points->columns;
    for (Index c = 0; c < rows.points.columns; ++c) {
      const bool named = columns && std::ssize(columns->names) == rows.points.columns;
      names_.push_back(named ? columns->names[c] : std::to_string(c + 1));
    }
  }

  void warn_of_columns(const VecchiaRows& rows) {
    if (rows.one_length) return;
    std::vector<std::string> constant;
    const auto values = rows.points.coordinates.values();
    for (Index c = 0; c < rows.points.columns; ++c) {
      const auto& columns = result_.description.columns;
      const bool named = columns && std::ssize(columns->names) == rows.points.columns;
      bool zero = true;
      for (Index i = 0; zero && i < rows.count(); ++i) zero = values[i * rows.points.columns + c] == values[c];
      if (zero) constant.push_back(named ? columns->names[c] : std::to_string(c + 1));
    }
    if (std::ssize(constant) == rows.points.columns) {
      file_.warnings.emplace_back("all training rows are equal: the prediction is the same everywhere");
    } else if (!constant.empty()) {
      file_.warnings.push_back(fmt::format(
          "the same on all training rows, and therefore without effect there: column {}", fmt::join(constant, ", ")));
    }
  }

  void learn(const Features<T>& features, const VecchiaRows& rows, Index t) {
    const std::string& name = chosen_.targets.names[t];
    const VecchiaTarget target =
        vecchia_target(input_.execution, chosen_.training.targets, chosen_.targets.count(), t, name);
    const VecchiaFit fit = [&] {
      const auto phase = input_.execution.phases.enter("fit");
      return fit_vecchia(input_.execution, rows, target, options_);
    }();
    const auto phase = input_.execution.phases.enter("predict");
    StoredVecchiaProcess process{.target = name,
                                 .mean = target.mean,
                                 .scale = target.scale,
                                 .sigma = fit.covariance.sigma * target.scale,
                                 .noise = fit.covariance.noise * target.scale,
                                 .log_likelihood = fit.log_likelihood,
                                 .lengths = fit.covariance.lengths,
                                 .coefficients = fit.coefficients};
    for (std::size_t c = 0; c < process.lengths.size(); ++c) process.lengths[c] *= rows.unit[c];
    warn(fit, rows, name);
    const VecchiaPredictor predictor(input_.execution, rows, target.values, fit.covariance, fit.coefficients,
                                     options_.neighbors);
    const auto in_units = [&](Normal one) {
      return Normal{target.mean + target.scale * one.mean, target.scale * one.standard_deviation};
    };
    if (chosen_.held_out_rows > 0) {
      const std::vector<double> own = collectively(communicator_, [&] { return features.of(chosen_.held_out.rows); });
      std::vector<Normal> predicted = predictor.predict(own);
      std::ranges::transform(predicted, predicted.begin(), in_units);
      file_.scores.push_back(interval_score(communicator_, predicted,
                                            chosen_.held_out.column(t, chosen_.targets.count()), target.scale, name,
                                            "held-out"));
    }
    VecchiaPredictor::LeftOut left_out = predictor.leave_one_out();
    std::ranges::transform(left_out.distributions, left_out.distributions.begin(), in_units);
    for (double& value : left_out.targets) value = target.mean + target.scale * value;
    file_.scores.push_back(
        interval_score(communicator_, left_out.distributions, left_out.targets, target.scale, name, "leave-one-out"));
    file_.processes.push_back(std::move(process));
    file_.targets.push_back(target.values.share());
    fits_.emplace_back(Metric::Record{
        {"target", name}, {"steps", fit.steps}, {"neighbor_searches", fit.searches}, {"converged", fit.converged}});
  }

  // Sentences about parameters at their bounds.
  void warn(const VecchiaFit& fit, const VecchiaRows& rows, const std::string& name) {
    constexpr double nearly = 1e-6;
    const auto is = [&](double value, double bound) { return std::abs(value - bound) <= nearly * bound; };
    const auto add = [&](const std::string& what) {
      file_.warnings.push_back(fmt::format("target {}: {}", name, what));
    };
    if (!fit.converged) {
      add(fmt::format("the search for the largest likelihood stopped after {} steps before it converged", fit.steps));
    }
    const double unit = std::sqrt(2.0 * static_cast<double>(rows.points.columns));
    const ColumnCovariance& covariance = fit.covariance;
    std::vector<std::string> shortest, longest;
    for (std::size_t c = 0; c < covariance.lengths.size(); ++c) {
      const std::string column = names_.empty() ? "" : " of column " + names_[c];
      if (is(covariance.lengths[c], least_length * unit)) shortest.push_back(column);
      if (is(covariance.lengths[c], largest_length * unit)) longest.push_back(column);
    }
    for (const std::string& column : shortest) {
      add(fmt::format("the length{} is the least that is tried: rows are nearly uncorrelated along it", column));
    }
    for (const std::string& column : longest) {
      add(fmt::format("the length{} is the largest that is tried: beyond the mean, nothing depends on it", column));
    }
    if (is(covariance.sigma, least_sigma)) add("sigma is the least that is tried: the features explain nothing");
    if (is(covariance.sigma, largest_sigma)) add("sigma is the largest that is tried");
    if (is(covariance.noise, least_noise)) {
      add(
          fmt::format("the noise is the least that is tried, {:g} of the target's standard deviation: predictions pass "
                      "through the training values",
                      least_noise));
    }
    if (is(covariance.noise, largest_noise)) add("the noise is the largest that is tried");
  }

  TaskReport finish(VecchiaRows rows) {
    const Index n = rows.count();
    file_.task = process_task().name;
    file_.smoothness = input_.values.text("smoothness");
    file_.neighbors = options_.neighbors;
    file_.rows = std::move(rows.points.coordinates);
    file_.basis_digest = columns_digest(communicator_, result_.approximation, result_.description);
    file_.result = std::filesystem::absolute(input_.results.front()).lexically_normal().string();
    file_.method = result_.approximation.report.method;
    file_.similarity = result_.description.similarity;
    file_.similarity_parameters = result_.description.similarity_parameters;
    if (!file_.points) {
      for (std::string& warning : extension_warnings(result_.description, input_.results.front())) {
        file_.warnings.push_back(std::move(warning));
      }
    }
    file_.provenance = input_.provenance;
    file_.provenance["seed"] = std::to_string(input_.execution.seed);
    write_vecchia(input_.execution, input_.output, file_);
    const VecchiaBytes bytes = vecchia_bytes(n, file_.columns, options_.neighbors, chosen_.targets.count(),
                                             communicator_.size(), input_.execution.threads);
    Metric::Record metrics = {{"output", input_.output.file},
                              {"n", chosen_.rows},
                              {"held_out_rows", chosen_.held_out_rows},
                              {"rank_bytes", bytes.rank},
                              {"node_bytes", bytes.node}};
    for (auto&& entry : vecchia_metrics(file_, n)) metrics.push_back(entry);
    metrics.emplace_back("fits", fits_);
    say(vecchia_report(file_, n).heading("model in " + input_.output.file).gap());
    return {said_, std::move(metrics)};
  }

  const TaskInput& input_;
  const Communicator& communicator_;
  const StoredResult<T>& result_;
  ChosenRows chosen_;
  VecchiaOptions options_;
  VecchiaFile file_;
  std::vector<std::string> names_;  // of the coordinates
  Metric::List fits_;
  ReportText said_;
};

}  // namespace

std::vector<Parameter> vecchia_parameters() {
  return {
      {.name = "neighbors",
       .value = "M",
       .type = ValueType::integer,
       .fallback = "30",
       .help = "Of Vecchia's likelihood: how many of its nearest predecessors a row is conditioned on, and how many "
               "of the nearest training rows a prediction. A row takes M^3 / 3 operations, and the error falls with "
               "M.",
       .lowest = 1,
       .highest = 500},
      {.name = "smoothness",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "5/2",
       .help = "Of Vecchia's likelihood: the smoothness of the Matern function of the covariance. infinite is its "
               "limit, exp(-r^2 / 2).",
       .choices = {"1/2", "3/2", "5/2", "infinite"}},
      {.name = "features",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "auto",
       .help = fmt::format("Of Vecchia's likelihood. coordinates: those of the points that the result was made from, "
                           "with a length each, at most {}. factors: rows of L, with one length. auto: coordinates "
                           "where there are some.",
                           most_lengths),
       .choices = {"auto", "coordinates", "factors"}},
      {.name = "mean",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "auto",
       .help = "Of Vecchia's likelihood: the mean of the process, constant or linear in the features. auto: linear "
               "in coordinates, constant with factors.",
       .choices = {"auto", "constant", "linear"}}};
}

Smoothness smoothness_named(const std::string& name) {
  for (const auto& [own, smoothness] : names_of_smoothness) {
    if (name == own) return smoothness;
  }
  throw Error(ErrorKind::input, fmt::format("no smoothness is called '{}'", name));
}

ColumnCovariance standardized_covariance(const VecchiaFile& file, const StoredVecchiaProcess& process) {
  ColumnCovariance covariance{.smoothness = smoothness_named(file.smoothness),
                              .sigma = process.sigma / process.scale,
                              .noise = process.noise / process.scale,
                              .lengths = process.lengths};
  for (std::size_t c = 0; c < covariance.lengths.size(); ++c) covariance.lengths[c] /= file.unit[c];
  return covariance;
}

template <class T>
TaskReport train_vecchia(const TaskInput& input, const StoredResult<T>& result, ChosenRows chosen) {
  return VecchiaTraining<T>(input, result, std::move(chosen)).run();
}

template TaskReport train_vecchia(const TaskInput&, const StoredResult<float>&, ChosenRows);
template TaskReport train_vecchia(const TaskInput&, const StoredResult<double>&, ChosenRows);

}  // namespace cairn

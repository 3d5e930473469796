#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/random_features/poly_tensorsketch.hpp"
#include "cairn/base/cost.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/points/points_like.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/descriptors.hpp"
#include "cairn/task/network/feature_tuning.hpp"
#include "cairn/task/network/linearize_parameters.hpp"
#include "cairn/task/network/network_comparison.hpp"
#include "cairn/task/task_parameters.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

// Memory needed to linearize a network.

// Sizes that determine the memory.
struct LinearizeSizes {
  Index rows = 0;  ///< of a rank
  Index inputs = 0, components = 0, features = 0, outputs = 0;
  Index number_bytes = 8;  ///< bytes of a number of the points and features
  bool equations = false;  ///< normal equations of the features are solved (ridge)
  bool several = false;    ///< several penalties are tried
};

// Bytes per stage on the rank that needs most, in addition to points and network. Local.
std::vector<CostStage> linearize_stages(const LinearizeSizes& sizes) {
  constexpr Index eight = sizeof(double);
  const Index coordinates = (sizes.components > 0 ? sizes.components : sizes.inputs) + 1;
  const Index second = sizes.components > 0 ? sizes.inputs * sizes.inputs * eight : 0;
  const CostItem features{fmt::format("{} features of each row", grouped(sizes.features)),
                          sizes.rows * sizes.features * sizes.number_bytes};
  std::vector<CostStage> stages = {
      {"components", {{"second moments of the inputs, inputs x inputs", second}}},
      {"features", {{"the changed points, twice", sizes.rows * coordinates * (eight + sizes.number_bytes)}, features}}};
  // Sums over all rows, sums over the held-out rows, the equations and their factor.
  const Index matrices = sizes.several ? 4 : 3;
  const Index squares = sizes.equations ? matrices * sizes.features * sizes.features * eight : 0;
  stages.push_back({"tuning",
                    {features,
                     {"targets of each row", sizes.rows * sizes.outputs * eight},
                     {fmt::format("{} matrices features x features", matrices), squares}}});
  return stages;
}

// @throws Error(resource) if a rank's memory does not suffice for one of the stages; the message names the largest
//   item. Collective.
void require_linearize_budget(const Communicator& communicator, const MemoryLimit& memory,
                              const LinearizeSizes& sizes) {
  const Index budget = memory.budget_of_rank(communicator, 0.9);
  for (const CostStage& stage : linearize_stages(sizes)) {
    const Index needed = communicator.maximum(total(stage.own));
    if (!memory.refuses(static_cast<double>(needed), budget)) continue;
    const CostItem& most = *std::ranges::max_element(stage.own, {}, &CostItem::bytes);
    throw Error(
        ErrorKind::resource,
        fmt::format("linearizing takes {} of a rank for its stage {}, most of it for {}, and a rank has {}; take "
                    "fewer features{}, or more ranks",
                    format_bytes(static_cast<double>(needed)), stage.name, most.name, memory.budget_text(budget),
                    memory.bytes > 0 ? ", raise " + memory.name() : ""));
  }
}

// Inputs of linearize besides the network.

// Names of the outputs, in their order: those given in the values, else the labels, ascending, if their number matches,
// else numbers from 0. @param labels  of this rank @throws Error(usage) if the number of names differs from that of the
// outputs. Collective.
std::vector<std::string> output_names(const Communicator& communicator, const Values& values,
                                      std::span<const std::string> labels, Index outputs) {
  if (values.given("classes")) {
    std::vector<std::string> names = comma_list(values.text("classes"));
    if (std::ssize(names) != outputs) {
      values.refuse("classes", fmt::format("names {} classes, and the network has {} outputs", names.size(), outputs));
    }
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
      values.refuse("classes", "names a class twice");
    }
    return names;
  }
  std::vector<std::string> names;
  if (const auto found = find_classes(communicator, labels, {})) names = found->names;
  if (std::ssize(names) != outputs) {
    names.clear();
    for (Index k = 0; k < outputs; ++k) names.push_back(std::to_string(k));
    return names;
  }
  const bool numbers =
      std::ranges::all_of(names, [](const std::string& name) { return parse_number(name).has_value(); });
  if (numbers) std::ranges::stable_sort(names, {}, [](const std::string& name) { return *parse_number(name); });
  return names;
}

// Reads the points of test.path, with the same columns and scaling as `train`. @param points  values with which `train`
// was read @throws as read_data. Collective.
template <class T>
Data<T> read_test_points(const Execution& execution, const Values& points, const Values& values, const Data<T>& train) {
  OtherPoints other{.path = values.text("test.path"),
                    .format = values.text("test.format"),
                    .dataset = std::nullopt,
                    .keys = points.keys().with("format", values.keys()("test.format"))};
  if (values.given("test.label")) other.label = values.text("test.label");
  return read_points_like(execution, points, train, other);
}

template <class T>
class Linearizing {
 public:
  explicit Linearizing(const TaskInput& input)
      : input_(input),
        values_(input.values),
        execution_(input.execution),
        communicator_(input.execution.communicator),
        path_(input.results.front()),
        network_(read_network(communicator_, path_)),
        activation_(activation_of(network_, values_, path_)) {
    if (network_.outputs < 2) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: the network has one output; classification needs at least two", path_));
    }
  }

  TaskReport run() {
    read();
    linearize_points();
    tune();
    compare();
    write();
    return report();
  }

 private:
  void read() {
    const auto phase = execution_.phases.enter("read");
    train_ = read_data<T>(point_data(), {execution_, *input_.points, nullptr});
    if (train_.objects->size() == 0) throw Error(ErrorKind::input, "there are no points");
    if (train_.dimension() != network_.inputs) {
      throw Error(ErrorKind::input, fmt::format("{} takes {} numbers, and the points have {} coordinates", path_,
                                                network_.inputs, train_.dimension()));
    }
    if (values_.given("test.path")) test_ = read_test_points(execution_, *input_.points, values_, train_);
    const auto& labels = train_.objects->labels();
    labelled_ = communicator_.maximum(static_cast<Index>(labels.size())) > 0;
    const std::string& learn = values_.text("learn");
    from_labels_ = learn.empty() ? labelled_ : learn == "labels";
    if (from_labels_ && !labelled_ && tuned()) {
      throw Error(ErrorKind::input, fmt::format("{} = labels: the points have none ({})", values_.where("learn"),
                                                input_.points->keys()("label")));
    }
    const bool of_test = !labelled_ && test_;  // nothing is learned from the test points
    names_ = output_names(communicator_, values_, of_test ? test_->objects->labels() : labels, network_.outputs);
    if (labelled_ && !values_.given("classes")) note_numbered_outputs(labels);
    if (labelled_) classes_ = classes_of(communicator_, labels, names_);
    std::ranges::copy(classes_.notices, std::back_inserter(warnings_));
    choose_rows();
  }

  [[nodiscard]] bool tuned() const { return values_.text("tuning") != "none"; }

  // Chooses the use of each own row. The known value of a row is its class or the output of the network.
  void choose_rows() {
    const auto rows = static_cast<std::size_t>(train_.objects->range().size());
    std::vector<char> known(rows, 1);
    for (std::size_t i = 0; i < rows && from_labels_ && tuned(); ++i) {
      known[i] = classes_.own[i] >= 0 && classes_.own[i] < static_cast<std::int32_t>(names_.size()) ? 1 : 0;
    }
    require_known(known);
    uses_ =
        row_uses(communicator_, values_, train_.objects->partition(), known, train_.objects->splits(), execution_.seed);
    if (!tuned()) uses_.assign(rows, RowUse::train);
    for (std::size_t i = 0; i < rows; ++i) {
      if (uses_[i] == RowUse::train) rows_.push_back(train_.objects->range().begin + static_cast<Index>(i));
    }
  }

  // Requires a row whose label is an output. Collective.
  void require_known(const std::vector<char>& known) const {
    if (communicator_.sum(static_cast<Index>(std::ranges::count(known, 1))) > 0 ||
        classes_.names.size() <= names_.size())
      return;
    throw Error(ErrorKind::input,
                fmt::format("no row can be learned from: no label of the points ('{}' for one) is an output of the "
                            "network, '{}' to '{}'; {} names the outputs, in their order",
                            classes_.names[names_.size()], names_.front(), names_.back(), values_.where("classes")));
  }

  // Checks the memory needed before anything is computed.
  void require_budget() const {
    const RowPartition& partition = train_.objects->partition();
    const DataSize size{.objects = partition.rows(), .right_objects = network_.hidden, .dimension = network_.inputs};
    const bool ridge = tuned() && values_.text("tuning") != "logistic";
    require_linearize_budget(communicator_, input_.memory,
                             {.rows = partition.range(communicator_.rank()).size(),
                              .inputs = network_.inputs,
                              .components = values_.integer_or("components", 0),
                              .features = poly_tensorsketch_method().cost(*input_.method, {.data = size}).left,
                              .outputs = network_.outputs,
                              .number_bytes = sizeof(T),
                              .equations = ridge,
                              .several = tuned() && penalties_of(values_).size() > 1});
  }

  void linearize_points() {
    require_budget();
    const auto phase = execution_.phases.enter("linearize");
    pass_.emplace(network_, activation_);
    linear_ = linearize<T>({.execution = execution_,
                            .network = network_,
                            .activation = activation_,
                            .method = poly_tensorsketch_method(),
                            .values = *input_.method,
                            .components = values_.integer_or("components", 0)},
                           *train_.points());
    exact_ = collectively_outputs(train_.points()->coordinates());
  }

  RowBlock<T> collectively_outputs(const RowBlock<T>& points) const {
    return collectively(communicator_, [&] { return pass_->outputs(execution_, points); });
  }

  void tune() {
    tuned_.coefficients = linear_.coefficients;
    tuned_.intercepts = network_.output_biases;
    if (!tuned()) return;
    const auto phase = execution_.phases.enter("tune");
    const bool logistic = values_.text("tuning") == "logistic";
    const std::size_t width = names_.size();
    const std::vector<std::int32_t> said = largest_outputs(exact_);
    auto targets = collectively(communicator_, [&] { return std::vector<double>(rows_.size() * width, 0.0); });
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto at = static_cast<std::size_t>(rows_[i] - train_.objects->range().begin);
      if (from_labels_ || logistic) {
        targets[i * width + static_cast<std::size_t>(from_labels_ ? classes_.own[at] : said[at])] = 1.0;
      } else {
        for (std::size_t k = 0; k < width; ++k) targets[i * width + k] = static_cast<double>(exact_.row(rows_[i])[k]);
      }
    }
    const TuningInput<T> input{execution_, linear_.left, rows_, targets, network_.outputs, penalties_of(values_)};
    tuned_ = logistic ? tune_by_logistic(input, values_.integer("iterations")) : tune_by_ridge(input);
    if (!tuned_.converged) {
      warnings_.push_back(
          fmt::format("the logistic regression had not converged after {} iterations", tuned_.iterations));
    }
  }

  [[nodiscard]] bool stands_for_outputs() const {
    return !tuned() || (values_.text("tuning") == "ridge" && !from_labels_);
  }

  void compare() {
    const auto phase = execution_.phases.enter("compare");
    const auto model = [&](const RowBlock<T>& left) {
      return collectively(communicator_,
                          [&] { return linear_outputs(execution_, left, tuned_.coefficients, tuned_.intercepts); });
    };
    const RowBlock<T> outputs = model(linear_.left);
    const Classes* classes = labelled_ ? &classes_ : nullptr;
    for (const auto& [use, name] : {std::pair(RowUse::train, "train"), std::pair(RowUse::test, "test")}) {
      add(compare_outputs<T>(communicator_, tuned() || use == RowUse::test ? name : "points", exact_, outputs, classes,
                             [&](std::size_t i) { return uses_[i] == use; }));
    }
    linear_.left = {};
    const PointSet<T>* timed = train_.points();
    if (test_) {
      timed = test_->points();
      const RowBlock<T> exact = collectively_outputs(timed->coordinates());
      const RowBlock<T> of_test = collectively(communicator_, [&] {
        return feature_outputs(execution_, timed->coordinates(), *linear_.features, tuned_.coefficients,
                               tuned_.intercepts);
      });
      std::optional<Classes> own;
      if (communicator_.maximum(static_cast<Index>(test_->objects->labels().size())) > 0) {
        own = classes_of(communicator_, test_->objects->labels(), names_);
      }
      add(compare_outputs<T>(communicator_, "test file", exact, of_test, own ? &*own : nullptr,
                             [](std::size_t) { return true; }));
      if (own) note_unknown(*own, "test file", false);
    }
    if (labelled_) note_unknown(classes_, "points", from_labels_ && tuned());
    speed_ = measure_speed<T>(execution_, *timed, values_.integer("speed-rows"), *pass_, *linear_.features,
                              tuned_.coefficients, tuned_.intercepts);
  }

  void add(NetworkComparison comparison) {
    if (comparison.rows > 0) comparisons_.push_back(std::move(comparison));
  }

  // Adds a note if the number of labels differs from the number of outputs: outputs are then not matched to classes.
  // Collective.
  void note_numbered_outputs(const std::vector<std::string>& labels) {
    const auto found = find_classes(communicator_, labels, {});
    if (!found || found->names.size() == names_.size()) return;
    warnings_.push_back(
        fmt::format("the points have {} labels and the network has {} outputs, which are called 0 to {}: "
                    "{} names them",
                    found->names.size(), names_.size(), names_.size() - 1, values_.where("classes")));
  }

  void note_unknown(const Classes& classes, const std::string& where, bool learned_from) {
    if (classes.names.size() <= names_.size()) return;
    warnings_.push_back(
        fmt::format("{} labels of the {} are not among the outputs of the network, '{}' for one: their "
                    "rows {}",
                    classes.names.size() - names_.size(), where, classes.names[names_.size()],
                    learned_from ? "are left out" : "count as wrong"));
  }

  void write() {
    file_.task = linearize_task().name;
    file_.classes = file_.labels = names_;
    file_.columns = linear_.features->columns();
    file_.coefficients = tuned_.coefficients;
    file_.intercepts = tuned_.intercepts;
    file_.features = linear_.features;
    file_.points = KnownPoints{train_.scaling, train_.dimension(), train_.columns, input_.output.file};
    file_.precision = input_.precision;
    file_.basis_digest = digest_of(*linear_.features);
    file_.result = std::filesystem::absolute(path_).lexically_normal().string();
    file_.method = linear_.report.method;
    file_.similarity = activation_.name();
    for (const Parameter& parameter : activation_.descriptor->parameters) {
      if (activation_.values.given(parameter.name)) {
        file_.similarity_parameters.emplace_back(parameter.name, activation_.values.text(parameter.name));
      }
    }
    file_.loss = values_.text("tuning");
    file_.cost = tuned_.penalty;
    file_.training_rows = tuned() ? communicator_.sum(static_cast<Index>(rows_.size())) : 0;
    std::size_t labels = names_.size();  // of the largest table
    for (const NetworkComparison& one : comparisons_) {
      if (one.labelled > 0) labels = std::max(labels, static_cast<std::size_t>(one.linear.classes));
    }
    for (std::size_t k = names_.size(); k < labels; ++k) file_.labels.push_back(fmt::format("other {}", k));
    for (const NetworkComparison& one : comparisons_) {
      if (one.labelled == 0) continue;
      Confusion whole(static_cast<Index>(labels));
      for (Index a = 0; a < one.linear.classes; ++a) {
        for (Index b = 0; b < one.linear.classes; ++b) whole.at(a, b) = one.linear.at(a, b);
      }
      file_.scores.push_back(stored_score(one.on, whole));
    }
    file_.warnings = warnings_;
    file_.provenance = input_.provenance;
    write_classifier(execution_, input_.output, file_);
  }

  [[nodiscard]] std::string tuning_text() const {
    const std::string& tune = values_.text("tuning");
    if (!tuned()) return "none: the weights of the network";
    std::string text =
        fmt::format("{} on {} of {} rows, penalty {:g}", tune,
                    from_labels_ ? "labels" : (tune == "ridge" ? "outputs of the network" : "classes of the network"),
                    grouped(file_.training_rows), tuned_.penalty);
    if (tuned_.tried.size() > 1) text += fmt::format(", the best of {}", tuned_.tried.size());
    if (tuned_.iterations > 0) text += fmt::format(", {} iterations", tuned_.iterations);
    return text;
  }

  TaskReport report() const {
    TaskReport report;
    std::string layers;
    for (const std::string& layer : network_.layers) layers += (layers.empty() ? "" : ", ") + layer;
    const std::string function = name_of_function(activation_);
    report.text.metric("network", fmt::format("{}: {}", path_, layers))
        .metric("inputs, hidden, outputs", fmt::format("{}, {}, {}", grouped(network_.inputs), grouped(network_.hidden),
                                                       grouped(network_.outputs)))
        .metric("activation", function)
        .metric("points", fmt::format("{} x {}, {} precision, scaling {}", grouped(train_.objects->size()),
                                      grouped(train_.dimension()), input_.precision, train_.scaling.kind))
        .metric("features", grouped(file_.columns))
        .metric("tuned by", tuning_text())
        .metric("model", input_.output.file);
    std::vector<std::string> notes = network_.notes;
    notes.insert(notes.end(), train_.notes.begin(), train_.notes.end());
    notes.insert(notes.end(), linear_.report.notes.begin(), linear_.report.notes.end());
    for (const std::string& note : notes) report.text.note(note);
    std::vector<std::string> warnings = train_.warnings;
    warnings.insert(warnings.end(), linear_.report.warnings.begin(), linear_.report.warnings.end());
    warnings.insert(warnings.end(), warnings_.begin(), warnings_.end());
    report.text.warnings(warnings).gap().add(comparison_report(comparisons_, stands_for_outputs())).gap();
    if (speed_.rows > 0) {
      report.text
          .metric("seconds",
                  fmt::format("{} rows: network {:.3g}, model {:.3g}: {:.2f} times as fast", grouped(speed_.rows),
                              speed_.network, speed_.linear, speed_.network / speed_.linear))
          .gap();
    }
    Metric::List tried;
    for (const TriedPenalty& one : tuned_.tried) {
      tried.emplace_back(Metric::Record{{"penalty", one.penalty}, {"loss", one.loss}});
    }
    Metric::Record metrics;
    for (const auto& [name, value] : linear_.report.metrics) metrics.emplace_back(name, value);
    report.metrics = {{"task", file_.task},
                      {"network", path_},
                      {"output", input_.output.file},
                      {"layers", network_.layers},
                      {"inputs", network_.inputs},
                      {"hidden", network_.hidden},
                      {"outputs", network_.outputs},
                      {"activation", function},
                      {"points", train_.objects->size()},
                      {"precision", input_.precision},
                      {"classes", names_},
                      {"features", file_.columns},
                      {"components", values_.integer_or("components", 0)},
                      {"tuning", values_.text("tuning")},
                      {"learned_from", tuned() ? Metric(from_labels_ ? "labels" : "outputs") : Metric()},
                      {"training_rows", file_.training_rows},
                      {"penalty", tuned() ? Metric(tuned_.penalty) : Metric()},
                      {"tried", tried},
                      {"iterations", tuned_.iterations},
                      {"method", metrics},
                      {"comparisons", comparison_metrics(comparisons_, stands_for_outputs())},
                      {"speed_rows", speed_.rows},
                      {"network_seconds", speed_.rows > 0 ? Metric(speed_.network) : Metric()},
                      {"model_seconds", speed_.rows > 0 ? Metric(speed_.linear) : Metric()},
                      {"notes", notes},
                      {"warnings", warnings}};
    return report;
  }

  const TaskInput& input_;
  const Values& values_;
  const Execution& execution_;
  const Communicator& communicator_;
  const std::string& path_;
  DenseNetwork network_;
  SimilarityChoice activation_;
  Data<T> train_;
  std::optional<Data<T>> test_;
  bool labelled_ = false, from_labels_ = false;
  std::vector<std::string> names_;
  Classes classes_;  // of own rows, if there are labels
  std::vector<RowUse> uses_;
  std::vector<Index> rows_;  // own training rows
  std::optional<NetworkPass<T>> pass_;
  LinearizedNetwork<T> linear_;
  RowBlock<T> exact_;  // outputs of the network for the points
  TunedCoefficients tuned_;
  std::vector<NetworkComparison> comparisons_;
  NetworkSpeed speed_;
  std::vector<std::string> warnings_;
  ClassifierFile file_;
};

TaskReport run(const TaskInput& input) {
  TaskReport report;
  with_precision(input.precision, [&](auto number) { report = Linearizing<decltype(number)>(input).run(); });
  return report;
}

}  // namespace

const TaskDescriptor& linearize_task() {
  static const TaskDescriptor task{
      .name = "linearize",
      .command = "linearize",
      .summary = "Puts a linear model on features of inputs in place of a neural network with one hidden layer.",
      .details =
          "The network is y = W2 f(W1 x + b1) + b2. Its hidden units are functions of inner products, which the method "
          "poly-tensorsketch (options of [approximation]) approximates by inner products of features: y becomes linear "
          "in the features of x. The model file needs nothing beside it: 'cairn predict' reads points and gives "
          "classes. Printed are the share of rows for which the model says the class that the network says, the share "
          "that both have wrong, and the seconds that both take.",
      .source = "Han, Avron and Shin 2020",
      .parameters = linearize_parameters(),
      .needs = {.model = ModelKind::classes,
                .argument = "A network: an ONNX file, or .npz with arrays W1, b1, W2, b2.",
                .method = poly_tensorsketch_method},
      .check = [](const Values& values, std::size_t) { check_linearize(values); },
      .run = run};
  return task;
}

}  // namespace cairn

#include "cairn/run/approximate.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/peak_memory.hpp"
#include "cairn/data/catalog/data_size.hpp"
#include "cairn/run/computation/computation.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/option_table.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/run/planning/plan_budget.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/run/request/request_rules.hpp"
#include "cairn/run/session.hpp"
#include "cairn/store/files/output_target.hpp"

namespace cairn {

namespace {

template <class T>
Result<T> result_of(const Session& session, const Data<T>& data, Computed<T> computed) {
  auto state = std::make_shared<typename Result<T>::State>();
  state->session = session.share();
  state->approximation = std::move(computed.approximation);
  state->description = std::move(computed.description);
  state->description.provenance["ranks"] = std::to_string(session.communicator().size());
  static_cast<ObjectTexts&>(*state) = texts_of(*data.objects);
  state->right_labels = data.right_labels();
  state->hierarchy = std::move(computed.hierarchy);
  state->near = std::move(computed.near);
  state->numbers = data.numbers.of(data.objects->range());
  return Result<T>(std::move(state));
}

// Settings of a call, from the keys of a config and `restart`. @param kind  kind of the objects that the program holds
template <class T>
std::shared_ptr<const Settings> settings_of(const Session& session, const std::string& function,
                                            const GivenValues& keys, const DataKind* kind = nullptr) {
  session.require_same_call(function, words_of(keys));
  return collectively(session.communicator(), [&] {
    std::vector<Parameter> known =
        keys_of({"data", "similarity", "landmarks", "approximation", "evaluation", "run", "output"});
    for (const char* flag : {"restart", "overwrite"}) {
      known.push_back({.name = flag, .type = ValueType::flag, .fallback = "false"});
    }
    auto settings = std::make_shared<Settings>(std::move(known));
    for (const Given& given : keys) {
      static const std::vector<std::string> of_session = {"run.threads", "run.seed", "run.precision", "run.memory",
                                                          "run.stall-timeout"};
      if (contains(of_session, given.name)) {
        throw Error(ErrorKind::usage, given.name + " is an option of the session");
      }
      if (kind != nullptr && given.name.starts_with(data_prefix)) {
        throw Error(ErrorKind::usage, given.name + " has no effect: the program has the objects");
      }
      settings->set(given.name, given.text, function + "()");
    }
    if (kind != nullptr) settings->set(data_key, kind->name, function + "()");
    take_texts_for_paths(*settings);
    return settings;
  });
}

// @throws Error(usage) if an output would replace an input, another output, or a file that cairn did not write.
// Collective.
void require_safe_outputs(const Communicator& communicator, const Settings& settings) {
  const std::vector<std::pair<const char*, OutputForm>> outputs = {{"output.path", OutputForm::result},
                                                                   {"output.operator", OutputForm::sparse_operator},
                                                                   {"output.vectors", OutputForm::vectors}};
  for (const auto& [key, form] : outputs) {
    const OutputPath output{settings.text(key), key};
    if (output.file.empty()) continue;
    for (const std::string& other : settings.known_names()) {
      if (!settings.given(other) || other == output.name) continue;
      const ValueType type = settings.option(other).type;
      if (type == ValueType::input_path) require_other_file(communicator, output, other, settings.text(other));
      collectively(communicator, [&] {
        if (type != ValueType::output_path || !same_output(settings.text(other), output.file)) return;
        throw Error(ErrorKind::usage, fmt::format("{} and {} name the same file, {}", output.name, other, output.file));
      });
    }
    check_writable(communicator, output);
    if (!settings.flag("overwrite")) require_replaceable(communicator, output, form);
  }
}

// @param at_hand  true if the program holds the objects
template <class T>
RunRequest checked_request_of(const Session& session, const Settings& settings, bool at_hand) {
  const SessionOptions& options = session.options();
  RunRequest request = collectively(session.communicator(), [&] {
    RunRequest made = request_of(settings);
    made.data_at_hand = at_hand;
    refuse_unused_keys(settings, made);
    require_whole(made);
    refuse_unused_checkpoint_keys(settings);
    for (const Parameter& output : output_parameters()) {
      const bool own_file = output.name == "operator" || output.name == "near";
      if (own_file || !made.path.file.empty() || !made.output.given(output.name)) continue;
      throw Error(ErrorKind::usage, made.output.keys()(output.name) + " has no effect without output.path");
    }
    return made;
  });
  request.single = std::is_same_v<T, float>;
  request.threads = options.threads;
  request.budget = {.memory = session.memory(), .scratch_folder = options.scratch_folder};
  require_safe_outputs(session.communicator(), settings);
  require_usable_checkpoint(session.communicator(), settings);
  return request;
}

RunSurroundings surroundings_of(const Session& session, Index baseline) {
  return {.execution = session.execution(), .ledger = session.ledger(), .baseline = baseline};
}

template <class T>
Result<T> run_of(const Session& session, const RunSurroundings& around, const RunRequest& request, const Data<T>& data,
                 std::shared_ptr<const Settings> settings) {
  Outcome<T> outcome = run_request(around, request, data);
  require_reached(request.method, outcome.computed.description, request.path.file);
  Result<T> result = result_of(session, data, std::move(outcome.computed));
  result.state_of().metrics = std::move(outcome.metrics);
  result.state_of().settings = std::move(settings);
  return result;
}

}  // namespace

template <class T>
Result<T> approximate(const Session& session, const SimilarityMatrix<T>& matrix, const std::string& method,
                      const GivenValues& given) {
  session.require_same_call("approximate", words_of(given, {method}));
  const Execution& execution = session.execution();
  const Data<T>& data = matrix.objects().data();
  const ExactMatrix<T>& entries = matrix.state().exact;
  const MethodChoice choice = collectively(session.communicator(), [&] {
    MethodChoice chosen =
        for_error_goal(with_default_selection(method_choice(method, given), matrix.objects().kind()), entries.traits);
    check_error_goal(chosen, sizeof(T) == 4);
    check(chosen, {matrix.size(), 0, operators_of(matrix.objects().kind()), data.right != nullptr}, matrix.name(),
          entries.traits);
    return chosen;
  });
  std::optional<ExactMatrix<T>> rows;
  if (choice.method->needs.rows && !entries.sources) rows = by_rows(execution, data, entries, choice);
  require_run_budget(execution, data, rows ? *rows : entries, choice, session.memory());
  const auto& similarity = matrix.state().choice;
  Computed<T> computed = compute(execution, data, rows ? *rows : entries, choice,
                                 {.similarity = similarity ? &similarity->values : nullptr,
                                  .budget = {session.memory(), session.options().scratch_folder},
                                  .keep_hierarchy = true});
  require_reached(choice, computed.description, "");
  return result_of(session, data, std::move(computed));
}

template <class T>
Result<T> approximate(const Session& session, const GivenValues& keys) {
  const auto settings = settings_of<T>(session, "approximate", keys);
  const RunRequest request = checked_request_of<T>(session, *settings, false);
  const Index baseline = session.communicator().maximum(resident_bytes());
  const RunSurroundings around = surroundings_of(session, baseline);
  const Data<T> data = read_and_plan<T>(around, request);
  return run_of(session, around, request, data, settings);
}

template <class T>
Result<T> approximate(const Session& session, const Objects<T>& objects, const GivenValues& keys) {
  const Data<T>& data = objects.data();
  const auto settings = settings_of<T>(session, "approximate", keys, data.kind);
  collectively(session.communicator(), [&] {
    if (data.right == nullptr) return;
    throw Error(ErrorKind::usage, "the columns stand for other objects than the rows: give the keys of data instead");
  });
  const RunRequest request = checked_request_of<T>(session, *settings, true);
  const RunSurroundings around = surroundings_of(session, 0);
  const DataSize size = size_of(session.communicator(), data);
  const Index baseline = session.communicator().maximum(resident_bytes());
  require_memory(session.communicator(), request,
                 plan_of(session.communicator(), request, size, session.communicator().size(), baseline));
  return run_of(session, around, request, data, settings);
}

template <class T>
RunForecast forecast_run(const Session& session, const GivenValues& keys, const PlannedRanks& where) {
  const Communicator& communicator = session.communicator();
  session.require_same_call("plan", {fmt::format("ranks = {}", where.ranks), fmt::format("nodes = {}", where.nodes),
                                     fmt::format("seconds = {}", where.seconds)});
  const auto settings = settings_of<T>(session, "plan", keys);
  const RunRequest request = checked_request_of<T>(session, *settings, false);
  const Index baseline = communicator.maximum(resident_bytes());
  return forecast_run<T>(
      session.execution(), request,
      {.places = layout_of(communicator, where.ranks, where.nodes), .baseline = baseline, .seconds = where.seconds});
}

template <class T>
Plan plan(const Session& session, const GivenValues& keys, int ranks) {
  return forecast_run<T>(session, keys, {.ranks = ranks, .seconds = false}).plan;
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template Result<T> approximate(const Session&, const SimilarityMatrix<T>&, const std::string&, const GivenValues&); \
  template Result<T> approximate(const Session&, const GivenValues&);                                                 \
  template Result<T> approximate(const Session&, const Objects<T>&, const GivenValues&);                              \
  template Plan plan<T>(const Session&, const GivenValues&, int);                                                     \
  template RunForecast forecast_run<T>(const Session&, const GivenValues&, const PlannedRanks&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn

// cairn sweep: runs a config over lists of values and repeats, one CSV line per run.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/process/peak_memory.hpp"
#include "cairn/data/catalog/data_size.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/run/request/request_rules.hpp"
#include "cairn/store/text_file.hpp"
#include "commands/commands.hpp"
#include "commands/sweep_table.hpp"
#include "pipeline/context.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// Selection of runs: combinations of values, and parts of them.

// Runs are counted from 0. A part holds those whose number modulo `parts` is `first`.
struct RunPart {
  Index first = 0, parts = 1;

  [[nodiscard]] bool holds(Index run) const { return run % parts == first; }
  [[nodiscard]] Index runs(Index total) const { return (total - first + parts - 1) / parts; }
};

// "K/N", 1 <= K <= N: every N-th of `total` runs, from the K-th on; all of them if the text is empty.
// @param name  name of the option, for messages @throws Error(usage) for another text, and for more parts than runs.
// Local.
RunPart parse_run_part(const std::string& text, Index total, const std::string& name) {
  if (text.empty()) return {};
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  const auto number = parse_integer(text.substr(0, slash)), parts = parse_integer(text.substr(slash + 1));
  if (!number || !parts || *number < 1 || *parts < *number) {
    throw Error(ErrorKind::usage, fmt::format("{} {} is not K/N with 1 <= K <= N", name, text));
  }
  if (*parts > total) {
    throw Error(ErrorKind::usage,
                fmt::format("{} {}: there are {} runs, too few for so many parts", name, text, total));
  }
  return {*number - 1, *parts};
}

// All combinations of one value of each list, the last list varying fastest. Local.
std::vector<std::vector<std::string>> combinations(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::vector<std::string>& list : lists) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& combination : all) {
      for (const std::string& value : list) {
        longer.push_back(combination);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Values of one --vary option.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

std::vector<Axis> parse_axes(const Settings& settings) {
  std::vector<Axis> axes;
  for (const std::string& text : settings.all("vary")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw Error(ErrorKind::usage, fmt::format("--vary {} is not KEY=VALUE,VALUE", text));
    }
    Axis axis{text.substr(0, equals), comma_list(text.substr(equals + 1))};
    if (axis.key.find('.') == std::string::npos || axis.key.starts_with("output.") || axis.key == "run.precision" ||
        axis.key == "run.seed") {
      throw Error(ErrorKind::usage, fmt::format("--vary: {} cannot be varied", axis.key));
    }
    for (const Axis& other : axes) {
      if (other.key == axis.key) throw Error(ErrorKind::usage, fmt::format("--vary: {} is varied twice", axis.key));
    }
    Settings trial = settings;
    for (const std::string& value : axis.values) trial.set(axis.key, value, "--vary");
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<std::vector<std::string>> values_by_axis(const std::vector<Axis>& axes) {
  std::vector<std::vector<std::string>> values;
  for (const Axis& axis : axes) values.push_back(axis.values);
  return values;
}

bool data_vary(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.key.starts_with("data."); });
}

// Digest of the keys that are the same for all runs and affect their results: a file of other settings is not resumed.
std::string settings_digest(Settings settings, const std::vector<std::string>& varied) {
  for (const std::string& key : varied) settings.clear(key);
  for (const char* key : {"run.seed", "run.threads", "run.memory", "run.stall-timeout", "output.path", "output.csv"}) {
    settings.clear(key);
  }
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : settings.as_config()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

template <class T>
class Sweep {
 public:
  explicit Sweep(Job& job)
      : job_(job), axes_(parse_axes(job.settings)), baseline_(job.communicator.maximum(resident_bytes())) {}

  void run();

 private:
  // A run of this sweep, with the first fields of its line.
  struct Planned {
    std::vector<std::string> combination;
    Index repeat = 0;
    SweepFile::Fields key;
  };

  SweepFile open_csv(SweepFile::Fields columns, const std::vector<Planned>& planned, const std::string& digest) const;
  SweepFile::Fields run_one(const Settings& settings, SweepFile::Fields key);
  const Data<T>& data(const Execution& execution, const RunRequest& request);
  void check_keys() const;
  void require_budget(const RunRequest& request, const DataSize& size);
  void check_all_runs(const DataSize& size);
  Settings settings_of(const std::vector<std::string>& combination, Index repeat) const;

  Job& job_;
  std::vector<Axis> axes_;
  Index baseline_;
  std::optional<Data<T>> data_;
  bool moved_ = false;    // true if their mean may be subtracted
  bool checked_ = false;  // all runs were checked, before the first one
  std::set<std::string> said_;
  bool warned_ = false;  // that a run might not fit
};

template <class T>
Settings Sweep<T>::settings_of(const std::vector<std::string>& combination, Index repeat) const {
  Settings settings = job_.settings;
  for (std::size_t a = 0; a < axes_.size(); ++a) settings.set(axes_[a].key, combination[a], "--vary");
  settings.set("run.seed", std::to_string(job_.settings.integer("run.seed") + repeat), "--repeats");
  return settings;
}

// Rejects values that no run accepts, and incompatible values, if any combination contains them; rejects a key without
// effect if it has none in all combinations.
template <class T>
void Sweep<T>::check_keys() const {
  const auto all = combinations(values_by_axis(axes_));
  std::vector<UnusedKeys::Key> idle;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Settings settings = settings_of(all[k], 0);
    const RunRequest request = request_of(settings);
    const std::vector<UnusedKeys::Key> here = unused_keys(settings, request);
    require_whole(request);
    if (k == 0) idle = here;
    std::erase_if(idle, [&](const UnusedKeys::Key& key) {
      return std::ranges::none_of(here, [&](const UnusedKeys::Key& other) { return other.name == key.name; });
    });
    if (!data_vary(axes_)) continue;
    // If data do not vary, they are read once, and all runs are checked afterwards.
    const auto size = peek_size(job_.communicator, request);
    if (size && size->tokens == 0) require_fitting(request, *size);  // for a corpus the size is an estimate
  }
  if (idle.empty()) return;
  throw Error(ErrorKind::usage, idle.front().message + (all.size() > 1 ? ", and no other run has a use for it" : ""));
}

// Warns only once if the memory plan of a run might exceed the free memory.
template <class T>
void Sweep<T>::require_budget(const RunRequest& request, const DataSize& size) {
  const PlanInput input = plan_of(job_.communicator, request, size, job_.communicator.size(), baseline_);
  if (require_memory(job_.communicator, request, input, !warned_)) warned_ = true;
}

// Ends the sweep before the first run if a later run would be rejected.
template <class T>
void Sweep<T>::check_all_runs(const DataSize& size) {
  for (const auto& combination : combinations(values_by_axis(axes_))) {
    const Settings settings = settings_of(combination, 0);
    require_budget(request_of(settings), size);
  }
  checked_ = true;
}

// The data are kept for the next run unless one of their keys varies, or only some of the similarities subtract their
// mean.
template <class T>
const Data<T>& Sweep<T>::data(const Execution& execution, const RunRequest& request) {
  const bool moved = subtracts_mean(request);
  if (!data_ || data_vary(axes_) || moved != moved_) {
    data_.reset();
    data_ = read<T>(execution, request);
    moved_ = moved;
    for (const std::string& warning : data_->warnings) {
      if (job_.communicator.is_root()) log(LogLevel::warning, warning);
    }
    if (!data_vary(axes_) && !checked_) check_all_runs(size_of(job_.communicator, *data_));
  }
  return *data_;
}

// A run that fails during computation, that does not reach the error which it requires, or for which too little memory
// is free by then, gives a line with its message. A run that exceeds the user's limit ends the sweep.
template <class T>
SweepFile::Fields Sweep<T>::run_one(const Settings& settings, SweepFile::Fields key) {
  Context context(job_.communicator, settings);
  const RunRequest request = request_of(settings);
  restart_peak();  // each run has its own peak
  bool refused = (!data_vary(axes_) && !checked_) || request.budget.memory.bytes > 0;
  try {
    const Data<T>& objects = data(context.execution(), request);
    const DataSize size = size_of(job_.communicator, objects);
    require_memory_limit(request, plan_of(job_.communicator, request, size, job_.communicator.size(), baseline_));
    refused = false;
    require_budget(request, size);
    RunMetrics metrics = compute(context.execution(), request, objects).metrics;
    std::vector<std::string> warnings = metrics.method.warnings;
    if (metrics.geodesics)
      std::ranges::copy(metrics.geodesics->warnings("similarity.time-factor"), std::back_inserter(warnings));
    for (const std::string& warning : warnings) {
      if (job_.communicator.is_root() && said_.insert(warning).second) log(LogLevel::warning, warning);
    }
    take_totals(context.execution(), context.start(), metrics.totals);
    require_reached(request.method, metrics.description, "");
    return csv_fields(std::move(key), metrics);
  } catch (const Error& error) {
    const bool of_run = error.kind() == ErrorKind::numeric || error.kind() == ErrorKind::unmet;
    if (!of_run && (refused || error.kind() != ErrorKind::resource)) throw;
    return csv_fields(std::move(key), error.what());
  }
}

template <class T>
SweepFile Sweep<T>::open_csv(SweepFile::Fields columns, const std::vector<Planned>& planned,
                             const std::string& digest) const {
  using enum SweepFile::Existing;
  const Settings& settings = job_.settings;
  const auto existing = settings.flag("restart") ? restart : settings.flag("overwrite") ? overwrite : replace_own;
  std::vector<SweepFile::Fields> own;
  for (const Planned& run : planned) own.push_back(run.key);
  SweepFile csv(job_.communicator, {settings.required("output.csv"), "output.csv"}, std::move(columns), existing, own);
  for (const SweepFile::Fields& line : csv.lines()) {
    if (csv.field(line, "settings") == digest) continue;
    throw Error(ErrorKind::usage, fmt::format("{} holds runs of other settings than these; --restart goes on with the "
                                              "same config, and --overwrite true replaces the file",
                                              settings.text("output.csv")));
  }
  return csv;
}

template <class T>
void Sweep<T>::run() {
  const Settings& settings = job_.settings;
  const Settings first = settings_of(combinations(values_by_axis(axes_)).front(), 0);
  for (const char* key : {"output.operator", "output.vectors"}) {
    if (!first.given(key)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} would be written by each of the runs; approximate writes it", first.where(key)));
  }
  for (const char* key : {"run.checkpoint", "run.checkpoint-interval", "run.max-time"}) {
    if (first.given(key)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} applies only to approximate; a sweep is resumed run by run with --restart",
                              first.where(key)));
    }
  }
  for (const char* key : {"output.compression", "output.distances", "output.near"}) {
    if (first.given(key)) {
      throw Error(ErrorKind::usage, fmt::format("{} has no effect: a sweep writes no result file", first.where(key)));
    }
  }
  check_keys();
  std::vector<std::string> keys;
  for (const Axis& axis : axes_) keys.push_back(axis.key);
  const Index repeats = settings.integer("repeats");
  const auto all = combinations(values_by_axis(axes_));
  const RunPart part = parse_run_part(settings.text("part"), static_cast<Index>(all.size()) * repeats, "--part");
  const Index total = part.runs(static_cast<Index>(all.size()) * repeats);
  const std::string digest = settings_digest(settings, keys);
  std::vector<Planned> planned;
  for (Index number = 0; number < static_cast<Index>(all.size()) * repeats; ++number) {
    if (!part.holds(number)) continue;
    const auto& combination = all[number / repeats];
    const Index seed = settings.integer("run.seed") + number % repeats;
    planned.push_back({combination, number % repeats, csv_key(combination, static_cast<std::uint64_t>(seed), digest)});
  }
  SweepFile csv = open_csv(csv_columns(keys), planned, digest);
  std::vector<SweepRun> runs;
  for (const auto& [combination, repeat, key] : planned) {
    const SweepFile::Fields* done = csv.find(key);
    if (done == nullptr || !csv.field(*done, "error").empty()) {
      csv.add(run_one(settings_of(combination, repeat), key), key.size());
    }
    runs.push_back(run_of(csv, *csv.find(key), keys.size()));
    print(job_.communicator, progress_line(keys, runs.back(), static_cast<Index>(runs.size()), total));
  }
  print_result(job_.communicator, "\n" + summary_table(keys, runs) +
                                      fmt::format("\n  runs                        {} in {}\n", grouped(total),
                                                  settings.text("output.csv")));
  nlohmann::ordered_json json = header_json(job_, static_cast<int>(settings.integer("run.threads")));
  json["csv"] = settings.text("output.csv");
  json.update(summary_json(keys, runs));
  write_json(job_, json);
}

}  // namespace

void check_sweep(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("output.csv");
  if (!settings.given("vary") && settings.integer("repeats") == 1) {
    throw Error(ErrorKind::usage, "nothing is swept; give --vary KEY=VALUE,VALUE or --repeats N");
  }
  if (settings.flag("restart") && settings.flag("overwrite")) {
    throw Error(ErrorKind::usage,
                "--restart true goes on with the CSV file and --overwrite true replaces it: give one");
  }
  Settings first = settings;
  for (const Axis& axis : parse_axes(settings)) first.set(axis.key, axis.values.front(), "--vary");
  require_whole(request_of(first));
}

void run_sweep(Job& job) {
  const Settings& settings = job.settings;
  check_output(job, "output.csv");
  check_output(job, "json");
  print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  if (settings.text("run.precision") == "single") {
    Sweep<float>(job).run();
  } else {
    Sweep<double>(job).run();
  }
}

}  // namespace cairn::app

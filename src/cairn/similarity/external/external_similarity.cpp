#include "cairn/similarity/external/external_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/external/pair_text.hpp"
#include "cairn/similarity/sampled_meaning.hpp"
#include "cairn/similarity/symmetrized_similarity.hpp"

namespace cairn {

namespace {

constexpr Index batches_in_tile = 16;  // enough for scorers seldom to wait, few enough for ranks that wait for a tile

const char* name_of(SentAs send) {
  return send == SentAs::texts ? "texts" : send == SentAs::vectors ? "vectors" : "ids";
}

std::string name_of_object(Index id) {
  return id >= 0 ? fmt::format("{}", id) : std::string("one outside of the data set");
}

template <class T>
class External final : public Similarity<T> {
 public:
  External(SentAs send, std::unique_ptr<ObjectWriter> writer, std::unique_ptr<Scorers> scorers, Meaning meaning)
      : Similarity<T>({.name = "external",
                       .meaning = meaning,
                       .defined_for_unseen = send != SentAs::ids,
                       .rounds_to_single = true,  // scorers may compute in single precision
                       .most_entries_in_tile = batches_in_tile * scorers->program().batch}),
        send_(send),
        writer_(std::move(writer)),
        scorers_(std::move(scorers)) {}

  /// Every batch may take its time limit in every try.
  [[nodiscard]] double longest_seconds(Index entries) const override {
    const ScorerProgram& program = scorers_->program();
    const Index batches = (entries + program.batch - 1) / program.batch;
    return static_cast<double>(batches) * program.time_limit * (1 + program.retries);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    const ScorerProgram& program = scorers_->program();
    std::vector<std::pair<std::string, std::string>> all = {{"command", program.command},
                                                            {"send", name_of(send_)},
                                                            {"processes", fmt::format("{}", program.processes)},
                                                            {"batch", fmt::format("{}", program.batch)},
                                                            {"time-limit", fmt::format("{:g}", program.time_limit)},
                                                            {"retries", fmt::format("{}", program.retries)}};
    if (this->traits().meaning == Meaning::distance) all.emplace_back("meaning", "distance");
    return all;
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    const Index width = columns.size();
    const auto value =
        score(rows, columns, out.rows * width, [width](Index p) { return std::pair(p / width, p % width); });
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < width; ++b) out(a, b) = static_cast<T>(value[a * width + b]);
      if (!finite(out.row(a), width)) {
        this->report_not_finite(rows.ids[a], columns.ids, out.row(a));
      }
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const auto value = score(first, second, first.size(), [](Index p) { return std::pair(p, p); });
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = static_cast<T>(value[static_cast<Index>(a)]);
  }

 private:
  // Scores are finite, but not necessarily in single precision.
  static bool finite(const T* values, Index n) {
    return std::all_of(values, values + n, [](T value) { return std::isfinite(value); });
  }

  // @param positions  positions of pair p in `first` and in `second`
  template <class Positions>
  Buffer<double> score(const ObjectBlock& first, const ObjectBlock& second, Index count,
                       const Positions& positions) const {
    Buffer<double> values(count);
    PairsToScore pairs;
    pairs.count = count;
    pairs.write = [&](Index p, std::string& to) {
      const auto [a, b] = positions(p);
      to += '[';
      writer_->write(first, a, to);
      to += ',';
      writer_->write(second, b, to);
      to += ']';
    };
    pairs.name = [&](Index p) {
      const auto [a, b] = positions(p);
      return fmt::format("the objects {} and {} (counted from 0)", name_of_object(first.ids[a]),
                         name_of_object(second.ids[b]));
    };
    this->count_more(scorers_->score(pairs, values.span()));
    return values;
  }

  SentAs send_;
  std::unique_ptr<ObjectWriter> writer_;
  std::unique_ptr<Scorers> scorers_;
};

template <class T>
SentAs send_as(const std::string& name, const ObjectSet& objects) {
  if (name.empty()) return default_send<T>(objects);
  for (const SentAs send : {SentAs::texts, SentAs::ids, SentAs::vectors}) {
    if (name == name_of(send)) return send;
  }
  throw Error(ErrorKind::usage, fmt::format("parameter send = {} is unknown; it can be texts, ids or vectors", name));
}

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_external(const Execution& execution, const ScorerProgram& program,
                                             const std::string& send, const ObjectSet& objects, Meaning meaning) {
  if (program.command.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(ErrorKind::usage, "parameter command is missing, the program that scores");
  }
  const SentAs sent = send_as<T>(send, objects);
  auto writer = make_object_writer<T>(sent, objects);
  const Communicator& all = execution.communicator;
  const Communicator& node = all.node();
  const auto environment = [&](int k) {
    return std::vector<std::pair<std::string, std::string>>{
        {"CAIRN_RANK", fmt::format("{}", all.rank())},
        {"CAIRN_RANKS", fmt::format("{}", all.size())},
        {"CAIRN_SCORER", fmt::format("{}", node.rank() * program.processes + k)},
        {"CAIRN_SCORERS", fmt::format("{}", node.size() * program.processes)}};
  };
  auto scorers = collectively(all, [&] { return std::make_unique<Scorers>(program, environment); });
  return std::make_unique<External<T>>(sent, std::move(writer), std::move(scorers), meaning);
}

template std::unique_ptr<Similarity<float>> make_external<float>(const Execution&, const ScorerProgram&,
                                                                 const std::string&, const ObjectSet&, Meaning);
template std::unique_ptr<Similarity<double>> make_external<double>(const Execution&, const ScorerProgram&,
                                                                   const std::string&, const ObjectSet&, Meaning);

namespace {

template <class T>
std::unique_ptr<Similarity<T>> external_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  auto scored =
      make_external<T>(input.execution, scorer_program(values), values.text("send"), input.objects, meaning_of(values));
  if (!values.given("meaning")) {
    require_meaning_of_scorer<T>(input.execution.communicator, *scored, input.objects, values);
  }
  return values.flag("symmetrize") ? make_symmetrized<T>(std::move(scored)) : std::move(scored);
}

void check(const SimilarityChoice& choice) {
  const Values& values = choice.values;
  const Index seconds = values.integer("time-limit");
  if (seconds < 1) values.refuse("time-limit", "is not above 0");
  if (seconds > static_cast<Index>(ScorerProgram::longest_time_limit)) values.refuse("time-limit", "is above a year");
  static_cast<void>(values.required("command"));
}

Index preparation(const Values& values, Index objects) { return values.given("meaning") ? 0 : meaning_pairs(objects); }

std::vector<Parameter> scorer_parameters() {
  using enum ValueType;
  return {
      {.name = "command",
       .value = "COMMAND",
       .help = "The program that scores pairs, a command of the shell; docs/external-scorers.md says what it reads and "
               "writes. Every rank starts it in its working directory."},
      {.name = "send",
       .value = "WHAT",
       .type = choice,
       .help = "Form in which objects are sent: texts, ids or vectors. By default texts of documents that keep them, "
               "vectors of points, ids of other objects.",
       .choices = {"texts", "ids", "vectors"}},
      {.name = "processes",
       .value = "N",
       .type = integer,
       .fallback = "1",
       .help = "Number of scorer processes of a rank.",
       .lowest = 1,
       .highest = ScorerProgram::most_processes},
      {.name = "batch",
       .value = "N",
       .type = integer,
       .fallback = "32",
       .help = "Number of pairs of a batch.",
       .lowest = 1,
       .highest = ScorerProgram::largest_batch},
      {.name = "time-limit",
       .value = "TIME",
       .type = duration,
       .fallback = "5m",
       .help = "How long a batch may take, the start of the program included for the first (90s, 10m, 2h or H:MM:SS; "
               "a plain number is seconds)."},
      {.name = "retries",
       .value = "N",
       .type = integer,
       .fallback = "0",
       .help =
           "How often a batch is sent again, to a program that is started anew, if the last one died or took too long"
           ".",
       .lowest = 0,
       .highest = ScorerProgram::most_retries},
      symmetrize_parameter(),
      meaning_parameter()};
}

}  // namespace

ScorerProgram scorer_program(const Values& values) {
  return {.command = values.required("command"),
          .processes = static_cast<int>(values.integer("processes")),
          .batch = values.integer("batch"),
          .time_limit = static_cast<double>(values.integer("time-limit")),
          .retries = static_cast<int>(values.integer("retries")),
          .keys = values.keys()};
}

const SimilarityDescriptor& external_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "external",
      .summary = "The scores that another program gives pairs of objects.",
      .parameters = scorer_parameters(),
      .objects = {objects::points, objects::documents, objects::mesh_vertices, objects::matrix_rows, objects::numbers},
      .traits = {.stored = true, .runs_program = true},
      .refine = refine_stored,
      .check = check,
      .preparation = preparation,
      .make_single = external_of<float>,
      .make_double = external_of<double>};
  return similarity;
}

}  // namespace cairn

#include "commands/word_evaluation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/evaluation/qvec.hpp"
#include "cairn/evaluation/word_scores.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

using nlohmann::ordered_json;

// Files that the command reads in addition to the result.
struct WordFiles {
  std::vector<WordPairs> pairs;
  std::optional<WordFeatures> features;
};

WordFiles read_files(const Job& job) {
  WordFiles files;
  if (job.settings.given("words")) {
    for (const std::string& path : comma_list(job.settings.text("words"))) {
      files.pairs.push_back(read_word_pairs(job.communicator, path));
    }
  }
  if (job.settings.given("qvec")) files.features = read_word_features(job.communicator, job.settings.text("qvec"));
  return files;
}

// Checks before the factors are read.
void require_word_vectors(const Job& job) {
  const std::string& path = job.arguments.front();
  const ResultShape shape = read_result_shape(job.communicator, path);
  if (!shape.has_labels) {
    throw Error(ErrorKind::input, path + ": its rows have no labels, by which --words and --qvec look words up");
  }
  if (shape.sparse) {
    throw Error(ErrorKind::input, path + ": its factors are sparse: their rows are no vectors of words");
  }
}

// Notes that the vectors are only a part of the approximation.
template <class T>
std::string note_of_others(const Approximation<T>& approximation) {
  const bool identity = std::holds_alternative<IdentityCore>(approximation.core_matrix);
  if (identity && !approximation.right) return {};
  return fmt::format("  note: the vectors are rows of the left factor; {} of this result has no effect here\n",
                     identity ? "the right factor" : "the core matrix");
}

ordered_json number_json(const std::optional<double>& value) { return value ? ordered_json(*value) : ordered_json(); }
std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "undefined";
}

template <class T>
ordered_json score_pairs(const Job& job, const StoredResult<T>& stored, const std::vector<WordPairs>& files) {
  std::vector<std::vector<std::string>> rows = {
      {"", "pairs", "known", "zero vectors", "Spearman", "fields by", "comments", "header"}};
  ordered_json list = ordered_json::array();
  for (const WordPairs& words : files) {
    const WordScores found = score_words(job.communicator, stored.approximation.left.dense(), stored.labels, words);
    rows.push_back({words.path, grouped(found.pairs), grouped(found.known), grouped(found.zero_vectors),
                    number_text(found.spearman), words.separator, grouped(words.comment_lines),
                    words.header.empty() ? "none" : joined(words.header, ", ")});
    list.push_back({{"file", words.path},
                    {"pairs", found.pairs},
                    {"known", found.known},
                    {"zero_vectors", found.zero_vectors},
                    {"spearman", number_json(found.spearman)},
                    {"separator", words.separator},
                    {"comment_lines", words.comment_lines},
                    {"header", words.header}});
  }
  print_result(job.communicator, table(rows) + "\n");
  return list;
}

template <class T>
ordered_json score_features(const Job& job, const StoredResult<T>& stored, const WordFeatures& features) {
  const QvecScores found = qvec(job.communicator, stored.approximation.left.dense(), stored.labels, features);
  std::string text = table({{"", "words", "known", "features", "QVEC", "QVEC-CCA"},
                            {features.path, grouped(found.listed), grouped(found.words), grouped(found.features),
                             fmt::format("{:.4f}", found.score), number_text(found.cca)}});
  if (found.too_few_words()) {
    text += fmt::format("  note: QVEC-CCA is 1 for any vectors: {} words are too few for {} columns and {} features\n",
                        grouped(found.words), grouped(found.vector_rank), grouped(found.feature_rank));
  }
  print_result(job.communicator, text + "\n");
  return {{"file", features.path},
          {"words", found.words},
          {"listed", found.listed},
          {"features", found.features},
          {"score", found.score},
          {"cca", number_json(found.cca)},
          {"vector_rank", found.vector_rank},
          {"feature_rank", found.feature_rank}};
}

template <class T>
void evaluate_as(Job& job, const WordFiles& files) {
  const std::string& path = job.arguments.front();
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")), 0);
  const StoredResult<T> stored = [&] {
    const auto phase = context.phases().enter("read result");
    auto result =
        read_result<T>(job.communicator, path, most_tile_bytes(job.communicator, memory_of(job.settings), path));
    Factor<T>& vectors = result.approximation.left;
    if (!vectors.is_sparse()) {
      vectors = collectively(job.communicator, [&] { return Factor<T>(std::move(vectors.tall()).widened()); });
    }
    return result;
  }();
  const Factor<T>& left = stored.approximation.left;
  print(job.communicator, fmt::format("  vectors of words            {} rows of {} columns\n{}\n", grouped(left.rows()),
                                      grouped(left.columns()), note_of_others(stored.approximation)));
  ordered_json json = header_json(job, context.execution().threads);
  json["file"] = path;
  json["n"] = left.rows();
  json["dimension"] = left.columns();
  {
    const auto phase = context.phases().enter("words");
    if (!files.pairs.empty()) json["words"] = score_pairs(job, stored, files.pairs);
    if (files.features) json["qvec"] = score_features(job, stored, *files.features);
  }
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, phase_report(phases, total));
  json.update(phases_json(phases, total));
  json["peak_bytes"] = job.communicator.maximum(peak_resident_bytes());
  write_json(job, json);
}

}  // namespace

bool evaluates_words(const Settings& settings) { return settings.given("words") || settings.given("qvec"); }

void check_word_evaluation(const Settings& settings) {
  const std::vector<std::string> taken = {"words", "qvec", "json", "run.threads", "run.memory", "run.stall-timeout"};
  for (const std::string& name : settings.known_names()) {
    if (!settings.given(name) || contains(taken, name)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} has no effect beside --{}", name, settings.given("words") ? "words" : "qvec"));
  }
  if (settings.given("words") && contains(comma_list(settings.text("words")), "")) {
    throw Error(ErrorKind::usage, "--words is a list of files with commas between; one of its names is empty");
  }
}

void evaluate_words(Job& job, const ResultDescription& description) {
  require_word_vectors(job);
  const WordFiles files = read_files(job);
  with_precision(description.precision, [&](auto number) { evaluate_as<decltype(number)>(job, files); });
}

}  // namespace cairn::app

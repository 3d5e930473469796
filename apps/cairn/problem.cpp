#include "problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "evaluation/exact_error.hpp"
#include "landmark/landmark_count.hpp"
#include "method_keys.hpp"
#include "option_table.hpp"
#include "parameters/suggestion.hpp"
#include "parameters/units.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

SimilarityParameters own_parameters(const Settings& settings, const std::string& kind, const std::string& prefix) {
  SimilarityParameters parameters;
  parameters.kind = kind;
  parameters.gamma = kind == "wmd" && !settings.given(prefix + "gamma") ? "median" : settings.text(prefix + "gamma");
  parameters.degree = settings.number(prefix + "degree");
  parameters.coef0 = settings.number(prefix + "coef0");
  parameters.nu = parse_number(settings.text(prefix + "nu")).value();
  parameters.length_scale = settings.number(prefix + "length-scale");
  parameters.sigma = settings.number(prefix + "sigma");
  parameters.sigma_diagonal = settings.number_or(prefix + "sigma-diagonal", -1.0);
  if (settings.given(prefix + "seed")) {
    parameters.seed = static_cast<std::uint64_t>(settings.integer(prefix + "seed"));
  }
  parameters.path = settings.text(prefix + "path");
  parameters.format = settings.text(prefix + "format");
  parameters.dataset = settings.text(prefix + "dataset");
  parameters.symmetrize = settings.flag(prefix + "symmetrize");
  parameters.meaning = settings.text(prefix + "meaning");
  return parameters;
}

std::vector<double> part_weights(const Settings& settings, std::size_t parts) {
  std::vector<double> weights;
  if (settings.text("similarity.weights").empty()) return weights;
  for (const std::string& text : comma_list(settings.text("similarity.weights"))) {
    const auto weight = parse_number(text);
    if (!weight) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: '{}' is not a finite number", settings.where("similarity.weights"), text));
    }
    weights.push_back(*weight);
  }
  if (weights.size() != parts) {
    throw Error(ErrorKind::usage, fmt::format("{} has {} weights for {} parts", settings.where("similarity.weights"),
                                              weights.size(), parts));
  }
  return weights;
}

ScorerProgram scorer_program(const Settings& settings) {
  ScorerProgram program;
  program.command = settings.required("similarity.command");
  program.processes = static_cast<int>(settings.integer("similarity.processes"));
  program.batch = settings.integer("similarity.batch");
  program.time_limit = static_cast<double>(settings.integer("similarity.time-limit"));
  program.retries = static_cast<int>(settings.integer("similarity.retries"));
  return program;
}

// Kinds whose values come from one object to all others, whatever the method takes.
bool comes_by_source(const std::string& kind) { return kind == "path-length" || kind == "geodesic"; }

}  // namespace

bool is_composition(const std::string& kind) { return kind == "sum" || kind == "product"; }

std::vector<std::string> part_kinds(const Settings& settings) {
  const Names parts = comma_list(settings.required("similarity.parts"));
  for (const std::string& part : parts) {
    if (!contains(elementary_similarities(), part)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: no similarity that can be a part is called '{}'{}",
                              settings.where("similarity.parts"), part, suggestion(part, elementary_similarities())));
    }
  }
  if (parts.size() > static_cast<std::size_t>(largest_part)) {
    throw Error(ErrorKind::usage, fmt::format("{} has {} parts; at most {} are possible",
                                              settings.where("similarity.parts"), parts.size(), largest_part));
  }
  return parts;
}

std::string similarity_kind(const Settings& settings) {
  if (!settings.given("similarity.kind")) {
    if (data_are_matrix(settings)) return "matrix";
    if (data_are_graph(settings)) return "path-length";
    if (data_are_mesh(settings)) return "geodesic";
  }
  return settings.required("similarity.kind");
}

std::string method_name(const Settings& settings) {
  if (settings.given("approximation.method")) return settings.text("approximation.method");
  return data_are_graph(settings) || data_are_mesh(settings) ? "biharmonic" : "nystrom";
}

bool by_source(const Settings& settings) {
  return method_of(settings).needs.rows || comes_by_source(similarity_kind(settings));
}

SimilarityParameters similarity_parameters(const Settings& settings) {
  const std::string kind = similarity_kind(settings);
  SimilarityParameters parameters = own_parameters(settings, kind, "similarity.");
  if (is_composition(kind)) {
    const Names parts = part_kinds(settings);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      parameters.parts.push_back(own_parameters(settings, parts[part], fmt::format("similarity.{}.", part + 1)));
    }
    parameters.weights = part_weights(settings, parts.size());
  }
  if (kind == "external") {
    parameters.scorer = scorer_program(settings);
    parameters.send = settings.text("similarity.send");
  }
  // A matrix that is the data is not named twice.
  if (data_are_matrix(settings) && kind == "matrix" && parameters.path.empty()) {
    parameters.path = settings.required("data.path");
    parameters.format = settings.text("data.format");
    parameters.dataset = settings.text("data.dataset");
  }
  return parameters;
}

ProblemShape problem_shape(const Settings& settings, Index objects, Index landmarks) {
  static const std::map<std::string, Names> operators = {
      {"graph", {"graph"}}, {"mesh", {"cotangent", "graph", "neighbours"}}, {"points", {"neighbours"}}};
  ProblemShape shape{objects, landmarks, {}};
  if (const auto own = operators.find(data_kind(settings)); own != operators.end()) shape.operators = own->second;
  return shape;
}

std::string operator_kind(const Settings& settings) {
  const std::string& given = settings.text("approximation.operator");
  return given == "auto" ? problem_shape(settings).operators.front() : given;
}

Index landmark_count(const Settings& settings, Index objects) {
  // Of the others in a sweep landmarks are their own.
  if (method_reuses_landmarks(settings)) return 0;
  const bool counted = settings.given("landmarks.count"), shared = settings.given("landmarks.fraction");
  if (shared) {
    const double fraction = settings.number("landmarks.fraction");
    return std::max<Index>(1, std::llround(fraction * static_cast<double>(objects)));
  }
  if (!counted && (settings.text("landmarks.selection") == "file" || !method_takes_count(settings))) return 0;
  const Index count = settings.integer("landmarks.count");
  require_landmark_count(count, objects);
  return count;
}

Index evaluation_rows(const Settings& settings, Index objects) {
  const std::string& rows = settings.text("evaluation.rows");
  if (rows.empty()) return by_source(settings) ? most_compared_rows(objects) : 0;
  if (rows == "all") return objects;
  const auto count = parse_integer(rows);
  if (!count || *count < 0 || *count == 1) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is neither 'all' nor an integer above 1, nor 0 for none",
                                              settings.where("evaluation.rows"), rows));
  }
  return std::min(*count, objects);
}

std::string no_estimate(const Settings& settings) {
  if (parse_integer(settings.text("evaluation.rows")) == 0) return "evaluation.rows = 0";
  return settings.integer_or("evaluation.pairs", -1) == 0 ? "evaluation.pairs = 0" : "";
}

EstimateEffort estimate_effort(const Settings& settings, Index objects, double seconds) {
  EstimateEffort effort{std::nullopt, settings.number("evaluation.precision"), seconds};
  if (settings.given("evaluation.pairs")) effort.count = settings.integer("evaluation.pairs");
  if (settings.given("evaluation.rows")) effort.count = evaluation_rows(settings, objects);
  return effort;
}

std::vector<std::string> comma_list(const std::string& text) {
  Names items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
    item.erase(item.find_last_not_of(' ') + 1);
    items.push_back(item);
    begin = end + 1;
  }
  return items;
}

}  // namespace cairn::app

#include "problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "landmark/landmark_count.hpp"
#include "option_table.hpp"
#include "suggestion.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Which kinds of similarity a key of [similarity] belongs to.
const std::map<std::string, Names>& kinds_of_key() {
  static const std::map<std::string, Names> kinds = {
      {"gamma", {"rbf", "laplacian", "polynomial", "sigmoid"}},
      {"degree", {"polynomial"}},
      {"coef0", {"polynomial", "sigmoid"}},
      {"nu", {"matern"}},
      {"length-scale", {"matern"}},
      {"sigma", {"noise"}},
      {"sigma-diagonal", {"noise"}},
      {"seed", {"noise"}},
      {"path", {"matrix"}},
      {"format", {"matrix"}},
      {"dataset", {"matrix"}},
      {"symmetrize", {"matrix"}},
      {"parts", {"sum", "product"}},
      {"weights", {"sum"}},
      {"search", {"path-length"}},
      {"time-factor", {"geodesic"}},
      {"boundary", {"geodesic"}},
  };
  return kinds;
}

// Methods that take any entries of K; biharmonic interpolation takes whole rows.
const Names& matrix_methods() {
  static const Names methods = {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "optimal", "auto"};
  return methods;
}

// Which methods a key belongs to; those of all methods are not listed.
const std::map<std::string, Names>& methods_of_key() {
  static const std::map<std::string, Names> methods = {
      {"approximation.tolerance", {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "biharmonic"}},
      {"approximation.spectrum", {"nystrom", "sms-nystrom"}},
      {"approximation.s2", {"sms-nystrom", "skeleton", "sicur", "stacur"}},
      {"approximation.alpha", {"sms-nystrom", "auto"}},
      {"approximation.shift", {"sms-nystrom"}},
      {"approximation.rescale", {"sms-nystrom"}},
      {"approximation.samples", {"stacur"}},
      {"approximation.rank", {"optimal"}},
      {"approximation.budget", {"auto"}},
      {"approximation.embedding", matrix_methods()},
      {"approximation.symmetrize-result", matrix_methods()},
      {"approximation.solver", {"biharmonic"}},
      {"approximation.p-row", {"biharmonic"}},
      {"approximation.operator", {"biharmonic"}},
      {"approximation.operator-path", {"biharmonic"}},
      {"approximation.preconditioner", {"biharmonic"}},
      {"approximation.soft-landmarks", {"biharmonic"}},
      {"output.operator", {"biharmonic"}},
      {"approximation.neighbours", {"biharmonic"}},
      {"approximation.perplexity", {"biharmonic"}},
      {"approximation.sparsity", {"biharmonic"}},
      {"approximation.normalize", {"biharmonic"}},
      {"approximation.transform", {"biharmonic"}},
      {"approximation.joining-storage", {"biharmonic"}},
      {"output.compression", {"biharmonic"}},
      {"approximation.reuse", {"biharmonic"}},
      {"evaluation.pairs", matrix_methods()},
  };
  return methods;
}

// Refuses `name` where it was given and none of the `chosen` values of `chooser` is among those that it belongs to.
void refuse_unless(const Settings& settings, const std::string& name, const std::string& chooser, const Names& chosen,
                   const Names& owners) {
  if (!settings.given(name)) return;
  for (const std::string& value : chosen) {
    if (contains(owners, value)) return;
  }
  throw Error(ErrorKind::usage, fmt::format("{} does nothing where {} is {}; it belongs to {}", settings.where(name),
                                            chooser, fmt::join(chosen, ", "), fmt::join(owners, ", ")));
}

void refuse_both(const Settings& settings, const std::string& first, const std::string& second) {
  if (!settings.given(first) || !settings.given(second)) return;
  throw Error(ErrorKind::usage, fmt::format("give one of {} and {}, not both", first, second));
}

SimilarityParameters own_parameters(const Settings& settings, const std::string& kind, const std::string& prefix) {
  SimilarityParameters parameters;
  parameters.kind = kind;
  parameters.gamma = settings.text(prefix + "gamma");
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
  return parameters;
}

// The kinds of the parts of a sum or product.
Names part_kinds(const Settings& settings) {
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

// Kinds whose values come from one object to all others, whatever the method takes.
bool comes_by_source(const std::string& kind) { return kind == "path-length" || kind == "geodesic"; }

// Graphs have path lengths, meshes geodesics and what their positions have; biharmonic interpolation takes rows of
// these or of points.
void refuse_combinations(const Settings& settings, const Names& kinds, const Names& methods) {
  const std::string data = data_kind(settings);
  const auto refuse = [&](const std::string& key, const std::string& value, const std::string& why) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} does not go with data.kind = {}; {}", settings.where(key), value, data, why));
  };
  const std::string method = "approximation.method", similarity = "similarity.kind";
  for (const std::string& name : methods) {
    if (name == "biharmonic" && data == "matrix") refuse(method, name, "it needs a graph, a mesh or points");
  }
  for (const std::string& kind : kinds) {
    if ((kind == "path-length") != (data == "graph")) {
      refuse(similarity, kind, data == "graph" ? "a graph has path-length" : "it needs data.kind = graph");
    }
    if (kind == "geodesic" && data != "mesh") refuse(similarity, kind, "it needs data.kind = mesh");
    if ((kind == "matrix" || kind == "noise") && contains(methods, "biharmonic")) {
      throw Error(ErrorKind::usage, fmt::format("{} = {} has no rows that biharmonic interpolation could take",
                                                settings.where(similarity), kind));
    }
  }
  if (settings.given("evaluation.pairs") && std::ranges::all_of(kinds, comes_by_source)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} does nothing where similarity.kind is {}, which comes by whole rows; the error is "
                            "measured on evaluation.rows",
                            settings.where("evaluation.pairs"), fmt::join(kinds, ", ")));
  }
  if (contains(methods, "biharmonic")) {
    refuse_idle_biharmonic_keys(settings);
  }
}

bool is_composition(const std::string& kind) { return kind == "sum" || kind == "product"; }

// similarity.1.gamma and its like: they need a part of that number, and of the kind that has the key.
void refuse_idle_part_keys(const Settings& settings, const Names& kinds) {
  const bool composed = std::any_of(kinds.begin(), kinds.end(), is_composition);
  const Names parts = composed ? part_kinds(settings) : Names{};
  for (int part = 1; part <= largest_part; ++part) {
    for (const auto& [key, owners] : kinds_of_key()) {
      const std::string name = fmt::format("similarity.{}.{}", part, key);
      if (!settings.knows(name) || !settings.given(name)) continue;
      if (static_cast<std::size_t>(part) > parts.size()) {
        throw Error(ErrorKind::usage, fmt::format("{} does nothing: there is no part {} in similarity.parts",
                                                  settings.where(name), part));
      }
      refuse_unless(settings, name, fmt::format("part {} of the similarity", part),
                    {parts[static_cast<std::size_t>(part - 1)]}, owners);
    }
  }
}

}  // namespace

void refuse_idle_keys(const Settings& settings, const Names& kinds, const Names& methods) {
  refuse_idle_data_keys(settings);
  refuse_combinations(settings, kinds, methods);
  for (const auto& [key, owners] : kinds_of_key()) {
    refuse_unless(settings, "similarity." + key, "similarity.kind", kinds, owners);
  }
  refuse_idle_part_keys(settings, kinds);
  for (const auto& [name, owners] : methods_of_key()) {
    refuse_unless(settings, name, "approximation.method", methods, owners);
  }
  if (settings.given("landmarks.path") && settings.text("landmarks.selection") != "file") {
    throw Error(ErrorKind::usage, fmt::format("{} does nothing where landmarks.selection is {}; it belongs to file",
                                              settings.where("landmarks.path"), settings.text("landmarks.selection")));
  }
  refuse_beside_reuse(settings);
  const Names with_landmarks = {"nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "auto", "biharmonic"};
  for (const char* name : {"landmarks.selection", "landmarks.path"}) {
    refuse_unless(settings, name, "approximation.method", methods, with_landmarks);
  }
  if (methods == Names{"optimal"}) refuse_both(settings, "landmarks.count", "approximation.rank");
  refuse_both(settings, "evaluation.pairs", "evaluation.rows");
  static_cast<void>(evaluation_rows(settings, 0));  // a value that makes no sense is known before the work
  refuse_both(settings, "landmarks.count", "landmarks.fraction");
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
  return method_name(settings) == "biharmonic" || comes_by_source(similarity_kind(settings));
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
  // A matrix that is the data is not named twice.
  if (data_are_matrix(settings) && kind == "matrix" && parameters.path.empty()) {
    parameters.path = settings.required("data.path");
    parameters.format = settings.text("data.format");
    parameters.dataset = settings.text("data.dataset");
  }
  return parameters;
}

MethodParameters method_parameters(const Settings& settings, Index s1) {
  MethodParameters parameters;
  parameters.method = method_name(settings);
  // A sweep over methods hands each of them its own keys.
  const auto applies = [&](const std::string& name) {
    return settings.given(name) && contains(methods_of_key().at(name), parameters.method);
  };
  if (applies("approximation.tolerance")) parameters.tolerance = settings.number("approximation.tolerance");
  if (applies("approximation.spectrum")) parameters.spectrum = settings.text("approximation.spectrum");
  if (applies("approximation.s2")) parameters.s2 = settings.integer("approximation.s2");
  if (applies("approximation.alpha")) parameters.alpha = settings.number("approximation.alpha");
  if (applies("approximation.shift")) parameters.shift = settings.text("approximation.shift");
  if (applies("approximation.rescale")) parameters.rescale = settings.flag("approximation.rescale");
  if (applies("approximation.samples")) parameters.samples = settings.text("approximation.samples");
  if (applies("approximation.budget")) {
    parameters.budget = static_cast<double>(settings.integer("approximation.budget"));
  }
  if (parameters.method == "optimal") parameters.rank = settings.integer_or("approximation.rank", s1);
  parameters.embedding = settings.flag("approximation.embedding");
  parameters.symmetrize_result = settings.flag("approximation.symmetrize-result");
  return parameters;
}

Index landmark_count(const Settings& settings, Index objects) {
  const bool counted = settings.given("landmarks.count"), shared = settings.given("landmarks.fraction");
  if (shared) {
    const double fraction = settings.number("landmarks.fraction");
    if (!(fraction > 0 && fraction <= 1)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} = {} is not above 0 and at most 1", settings.where("landmarks.fraction"), fraction));
    }
    return std::max<Index>(1, std::llround(fraction * static_cast<double>(objects)));
  }
  if (!settings.text("approximation.reuse").empty()) return 0;
  if (!counted && (settings.text("landmarks.selection") == "file" ||
                   (method_name(settings) == "optimal" && settings.given("approximation.rank")))) {
    return 0;
  }
  const Index count = settings.integer("landmarks.count");
  require_landmark_count(count, objects);
  return count;
}

Index evaluation_rows(const Settings& settings, Index objects) {
  const std::string& rows = settings.text("evaluation.rows");
  if (rows.empty()) return by_source(settings) ? std::min<Index>(1000, objects) : 0;
  if (rows == "all") return objects;
  const auto count = parse_integer(rows);
  if (!count || *count < 2) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is neither 'all' nor a whole number above 1",
                                              settings.where("evaluation.rows"), rows));
  }
  return std::min(*count, objects);
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

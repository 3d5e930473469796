#include "value_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "method_keys.hpp"
#include "option_table.hpp"
#include "parameters/units.hpp"
#include "problem.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse(const Settings& settings, const std::string& key, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{} = {} {}", settings.where(key), settings.text(key), why));
}

// The kind, or those of the parts of a sum or product.
Names elements(const Settings& settings) {
  const std::string kind = similarity_kind(settings);
  return is_composition(kind) ? part_kinds(settings) : Names{kind};
}

// By its kind, or as the user says of a matrix or scorer.
bool is_distance(const Settings& settings) {
  const bool composition = is_composition(similarity_kind(settings));
  const Names kinds = elements(settings);
  for (std::size_t part = 0; part < kinds.size(); ++part) {
    const std::string& kind = kinds[part];
    if (kind == "euclidean" || kind == "path-length" || kind == "geodesic" || kind == "wmd-distance") return true;
    const std::string key = composition ? fmt::format("similarity.{}.meaning", part + 1) : "similarity.meaning";
    if ((kind == "matrix" || kind == "external") && settings.text(key) == "distance") return true;
  }
  return false;
}

void require_rows(const Settings& settings) {
  for (const std::string& kind : elements(settings)) {
    if (kind != "matrix" && kind != "noise" && kind != "external") continue;
    const bool part = is_composition(similarity_kind(settings));
    throw Error(ErrorKind::usage, fmt::format("{} = {} has no whole rows, which the method {} takes",
                                              settings.where(part ? "similarity.parts" : "similarity.kind"), kind,
                                              method_of(settings).name));
  }
  if (settings.text("approximation.transform") == "sqrt" && !is_distance(settings)) {
    refuse(settings, "approximation.transform",
           fmt::format("is for distances; {} is a similarity", similarity_kind(settings)));
  }
}

// Randomly pivoted Cholesky takes single entries of a semidefinite matrix.
void require_selection(const Settings& settings) {
  const MethodDescriptor& method = method_of(settings);
  if (settings.text("landmarks.selection") != "rpcholesky" || !method.needs.landmarks) return;
  if (method.needs.rows) {
    refuse(settings, "landmarks.selection",
           fmt::format("is incompatible with approximation.method = {}, which takes uniform, farthest or file",
                       method.name));
  }
  if (by_source(settings)) {
    refuse(settings, "landmarks.selection",
           fmt::format("needs single entries of the matrix, and {} come by whole rows; landmarks are uniform, farthest "
                       "or from a file",
                       similarity_kind(settings)));
  }
  if (is_distance(settings)) {
    refuse(settings, "landmarks.selection",
           fmt::format("needs a positive semidefinite similarity, and {} is a distance; use uniform or farthest",
                       similarity_kind(settings)));
  }
}

// Farthest points and pivoted Cholesky evaluate columns one by one as they choose them, and hand on similarities.
void require_distances_of_columns(const Settings& settings) {
  const std::string selection = settings.text("landmarks.selection");
  if (selection == "uniform" || selection == "file" || !method_of(settings).needs.landmarks) return;
  for (const char* key : {"output.distances", "similarity.reuse"}) {
    if (!settings.given(key) || settings.text(key) == "false") continue;
    refuse(settings, key,
           fmt::format("is incompatible with landmarks.selection = {}, which evaluates columns by itself; "
                       "take uniform or file",
                       selection));
  }
}

void require_above(const Settings& settings, const std::string& key, double least) {
  if (!settings.given(key) || settings.number(key) > least) return;
  refuse(settings, key, fmt::format("is not above {:g}", least));
}

// Of biharmonic interpolation.
void require_another_operator_file(const Settings& settings) {
  if (!method_of(settings).needs.rows || operator_kind(settings) != "file" || !settings.given("output.operator"))
    return;
  throw Error(ErrorKind::usage, fmt::format("{} would write what approximation.operator = file reads",
                                            settings.where("output.operator")));
}

void require_gamma(const Settings& settings, const std::string& key) {
  const std::string& text = settings.text(key);
  if (text == "scale" || text == "median") return;
  const auto number = parse_number(text);
  if (!number || *number < 0) refuse(settings, key, "is neither a number of at least 0 nor scale nor median");
}

}  // namespace

void require_going_together(const Settings& settings) {
  const std::string data = data_kind(settings), kind = similarity_kind(settings);
  const MethodDescriptor& method = method_of(settings);
  const auto refuse_data = [&](const std::string& key, const std::string& value, const std::string& why) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} is incompatible with data.kind = {}; {}", settings.where(key), value, data, why));
  };
  if (method.needs.rows && problem_shape(settings).operators.empty()) {
    refuse_data(method_key, method.name, "it needs a graph, a mesh or points");
  }
  if ((kind == "path-length") != (data == "graph")) {
    refuse_data("similarity.kind", kind, data == "graph" ? "a graph has path-length" : "it needs data.kind = graph");
  }
  if (data == "ids" && kind != "external" && kind != "noise") {
    refuse_data("similarity.kind", kind, "it can be external or noise");
  }
  if (kind == "geodesic" && data != "mesh") refuse_data("similarity.kind", kind, "it needs data.kind = mesh");
  if (method.needs.random_documents && kind != "wmd") {
    throw Error(ErrorKind::usage, fmt::format("{} = {} needs similarity.kind = wmd, not {}", settings.where(method_key),
                                              method.name, kind));
  }
  const std::string chooser = is_composition(kind) ? "similarity.parts" : "similarity.kind";
  for (const std::string& element : elements(settings)) {
    if (element != "wmd" && element != "wmd-distance") continue;
    if (data != "documents") refuse_data(chooser, element, "it needs data.kind = documents");
    if (settings.given("data.vectors") || settings.given("data.generate")) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} needs data.vectors, the vectors of words", settings.where(chooser), element));
  }
  if (method.needs.rows) require_rows(settings);
  require_selection(settings);
  require_distances_of_columns(settings);
}

void require_in_range(const Settings& settings) {
  static_cast<void>(evaluation_rows(settings, 0));
  if (settings.given("evaluation.pairs") && settings.integer("evaluation.pairs") == 1) {
    refuse(settings, "evaluation.pairs",
           "is too few for an error with a standard error: take 2 at least, or 0 for none");
  }
  const std::string kind = similarity_kind(settings);
  if (is_composition(kind) || kind == "external") static_cast<void>(similarity_parameters(settings));
  for (int part = 0; part <= largest_part; ++part) {
    const std::string prefix = part == 0 ? "similarity." : fmt::format("similarity.{}.", part);
    require_gamma(settings, prefix + "gamma");
    require_above(settings, prefix + "length-scale", 0);
  }
  require_above(settings, "similarity.time-factor", 0);
  if (settings.integer("similarity.time-limit") < 1) refuse(settings, "similarity.time-limit", "is not above 0");
  check_parameters(method_of(settings), method_values(settings), problem_shape(settings));
  require_another_operator_file(settings);
}

void require_whole(const Settings& settings) {
  if (data_are_matrix(settings)) {
    settings.required("data.path");
  } else if (data_are_documents(settings)) {
    static_cast<void>(document_source(settings));
  } else if (data_are_ids(settings)) {
    settings.required("data.count");
  } else if (data_are_mesh(settings)) {
    static_cast<void>(mesh_source(settings));
  } else if (data_are_graph(settings)) {
    static_cast<void>(graph_source(settings));
  } else {
    static_cast<void>(point_source(settings));
  }
  constexpr Index unlimited = Index{1} << 52;
  static_cast<void>(landmark_count(settings, unlimited));
  const bool selects = method_of(settings).needs.landmarks && !method_reuses_landmarks(settings);
  if (selects && settings.text("landmarks.selection") == "file") settings.required("landmarks.path");
}

void require_fitting(const Settings& settings, const DataShape& shape) {
  const Index s1 = landmark_count(settings, shape.objects);
  check_parameters(method_of(settings), method_values(settings), problem_shape(settings, shape.objects, s1));
  if (shape.weighted && settings.text("similarity.search") == "breadth-first") {
    refuse(settings, "similarity.search",
           "counts edges, and this graph has lengths: take dijkstra or hierarchy, or leave the lengths out "
           "(data.weighted = false)");
  }
}

}  // namespace cairn::app

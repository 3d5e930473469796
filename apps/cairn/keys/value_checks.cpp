#include "keys/value_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/missing_value.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "keys/data_keys.hpp"
#include "keys/key_names.hpp"
#include "keys/method_keys.hpp"
#include "keys/option_table.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse(const Settings& settings, const std::string& key, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{} = {} {}", settings.where(key), settings.text(key), why));
}

void require_rows(const Settings& settings, const SimilarityChoice& similarity) {
  const bool composite = similarity.traits().composite;
  const auto refuse_one = [&](const SimilarityChoice& choice) {
    if (choice.traits().whole_rows) return;
    throw Error(ErrorKind::usage, fmt::format("{} = {} has no whole rows, which the method {} takes",
                                              settings.where(composite ? "similarity.parts" : "similarity.kind"),
                                              choice.name(), method_of(settings).name));
  };
  for (const SimilarityChoice& part : similarity.parts) refuse_one(part);
  if (!composite) refuse_one(similarity);
  if (settings.text("approximation.transform") == "sqrt" && !similarity.traits().distance) {
    refuse(settings, "approximation.transform", fmt::format("is for distances; {} is a similarity", similarity.name()));
  }
}

// Selections that evaluate columns one by one as they choose them hand on similarities, not distances.
void require_distances_of_columns(const Settings& settings, const MethodChoice& method) {
  if (!method.method->needs.landmarks || !method.selection().evaluates) return;
  for (const char* key : {"output.distances", "similarity.reuse"}) {
    if (!settings.given(key) || settings.text(key) == "false") continue;
    refuse(settings, key,
           fmt::format("is incompatible with landmarks.selection = {}, which evaluates columns by itself; "
                       "take uniform or file",
                       method.selection().name));
  }
}

// @param objects  0: not known yet
void require_near(const Settings& settings, Index objects) {
  if (!settings.knows("output.near")) return;
  check_near(settings.integer("output.near"), objects, similarity_choice(settings).traits(),
             problem_shape(settings).rectangular, output_keys);
}

// Of biharmonic interpolation.
void require_another_operator_file(const Settings& settings) {
  if (!method_of(settings).needs.rows || settings.text("approximation.operator") != "file") return;
  if (!settings.given("output.operator")) return;
  throw Error(ErrorKind::usage, fmt::format("{} would write what approximation.operator = file reads",
                                            settings.where("output.operator")));
}

// The kinds of data that a similarity compares, as an advice.
std::string other_kinds(const SimilarityChoice& similarity) {
  std::vector<std::string> names;
  for (const DataKind* kind : data_kinds()) {
    if (compares(similarity, kind->objects)) names.push_back(kind->name);
  }
  return names.empty() ? "" : fmt::format(". Or give data.kind = {}", joined(names, " or "));
}

}  // namespace

void require_going_together(const Settings& settings) {
  const DataKind& data = data_kind(settings);
  const std::string kind = similarity_kind(settings);
  const MethodDescriptor& method = method_of(settings);
  const auto refuse_data = [&](const std::string& key, const std::string& value, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is incompatible with data.kind = {}; {}", settings.where(key),
                                              value, data.name, why));
  };
  if (method.needs.rows && problem_shape(settings).operators.empty()) {
    refuse_data(method_key, method.name, "it needs a graph, a mesh or points");
  }
  const SimilarityChoice similarity = similarity_choice(settings);
  const SimilarityTraits traits = similarity.traits();
  const std::string chooser = traits.composite ? "similarity.parts" : "similarity.kind";
  if (!compares(similarity, data.objects)) {
    const auto& parts = similarity.parts;
    const auto wrong =
        std::ranges::find_if(parts, [&](const SimilarityChoice& part) { return !compares(part, data.objects); });
    refuse_data(chooser, traits.composite ? wrong->name() : kind,
                fmt::format("it can be {}{}", joined(similarities_of(data.objects), ", "),
                            settings.given("data.kind") ? "" : other_kinds(similarity)));
  }
  if (method.needs.random_documents && !traits.random_documents) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} needs a similarity that compares documents with random ones ({}), not {}",
                            settings.where(method_key), method.name, joined(similarities_with_random(), ", "), kind));
  }
  if (traits.word_vectors && !settings.given("data.vectors") && !settings.given("data.generate")) {
    throw MissingValue("data.vectors", fmt::format("{} = {} needs data.vectors, the vectors of words",
                                                   settings.where(chooser), settings.text(chooser)));
  }
  if (method.needs.rows) require_rows(settings, similarity);
  require_near(settings, 0);
  const MethodChoice choice = method_choice(settings);
  check_selection(choice, kind, traits);
  require_distances_of_columns(settings, choice);
}

void require_in_range(const Settings& settings) {
  static_cast<void>(evaluation_rows(settings, 0));
  if (settings.given("evaluation.pairs") && settings.integer("evaluation.pairs") == 1) {
    refuse(settings, "evaluation.pairs",
           "is too few for an error with a standard error: take 2 at least, or 0 for none");
  }
  check_parameters(similarity_choice(settings));
  check_parameters(method_of(settings), method_choice(settings).values, problem_shape(settings));
  require_another_operator_file(settings);
}

void require_whole(const Settings& settings) {
  check_parameters(data_kind(settings), data_values(settings));
  constexpr Index unlimited = Index{1} << 52;
  const MethodChoice method = method_choice(settings);
  static_cast<void>(method.landmark_count(unlimited));
  if (!method.method->needs.landmarks || method.reuses_landmarks()) return;
  for (const Parameter& own : method.selection().parameters) {
    if (own.type == ValueType::input_path) static_cast<void>(method.landmarks.required(own.name));
  }
}

void require_fitting(const Settings& settings, const DataSize& shape) {
  require_near(settings, shape.objects);
  const MethodChoice method = method_choice(settings);
  check_parameters(*method.method, method.values,
                   problem_shape(settings, shape.objects, method.landmark_count(shape.objects)));
  if (shape.weighted && settings.text("similarity.search") == "breadth-first") {
    refuse(settings, "similarity.search",
           "counts edges, and this graph has lengths: take dijkstra or hierarchy, or leave the lengths out "
           "(data.weighted = false)");
  }
}

}  // namespace cairn::app

#include "cairn/run/request/request_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/missing_value.hpp"
#include "cairn/run/computation/error_goal.hpp"

namespace cairn {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::usage, why); }

// "similarity.kind = rbf"; for a sum or product, its parts or the given one.
std::string called(const SimilarityChoice& similarity, const std::string& part = {}) {
  const Values& values = similarity.values;
  if (!similarity.traits().composite) return fmt::format("{} = {}", values.where("kind"), similarity.name());
  return fmt::format("{} = {}", values.where("parts"), part.empty() ? values.text("parts") : part);
}

std::string called(const MethodChoice& method) {
  return fmt::format("{} = {}", method.values.where("method"), method.method->name);
}

bool has(const SimilarityChoice& similarity, const std::string& parameter) {
  const auto& own = similarity.descriptor->parameters;
  return std::ranges::find(own, parameter, &Parameter::name) != own.end();
}

void require_rows(const MethodChoice& method, const SimilarityChoice& similarity) {
  const auto refuse_one = [&](const SimilarityChoice& one) {
    if (one.traits().whole_rows) return;
    refuse(fmt::format("{} has no whole rows, which the method {} takes", called(similarity, one.name()),
                       method.method->name));
  };
  for (const SimilarityChoice& part : similarity.parts) refuse_one(part);
  if (!similarity.traits().composite) refuse_one(similarity);
  if (method.method->has("transform") && method.values.text("transform") == "sqrt" && !similarity.traits().distance) {
    method.values.refuse("transform", fmt::format("is for distances; {} is a similarity", similarity.name()));
  }
}

// Selections that evaluate columns one by one as they choose them pass on similarities, not distances.
void require_distances_of_columns(const RunRequest& request) {
  const MethodChoice& method = request.method;
  if (!method.method->needs.landmarks || !method.selection().evaluates) return;
  const auto refuse_one = [&](const Values& values, const char* name) {
    if (!values.given(name) || values.text(name) == "false") return;
    values.refuse(name, fmt::format("is incompatible with {} = {}, which evaluates columns by itself; take uniform or "
                                    "file",
                                    method.landmarks.keys()(landmark_names::selection), method.selection().name));
  };
  refuse_one(request.output, "distances");
  refuse_one(request.reuse, "reuse");
}

// Rows of L that are not kept serve the entries of K~ that are asked for, and nothing that takes all of them.
void require_rows_unused(const RunRequest& request) {
  const Values& values = request.method.values;
  if (!request.method.method->has("store-left") || method_parameters::stores_left(values)) return;
  const auto refuse_beside = [&](const Values& others, const char* name, const char* why) {
    if (!others.given(name) || others.text(name) == "0" || others.text(name) == "false") return;
    values.refuse("store-left", fmt::format("= false is incompatible with {}, {}", others.where(name), why));
  };
  for (const char* name : {"near", "distances", "vectors"}) {
    refuse_beside(request.output, name, "which takes all rows of L");
  }
  refuse_beside(request.reuse, "reuse", "whose distances the rows of L would not use");
}

// @param objects  0: not yet known
void require_near(const RunRequest& request, Index objects) {
  check_near(request.output.integer("near"), objects, request.similarity.traits(), problem_shape(request).rectangular,
             request.output.keys());
  check_near_exact(near_choice(request), request.similarity.name(), request.output.keys());
}

void require_another_operator_file(const RunRequest& request) {
  const MethodChoice& method = request.method;
  if (!method.method->needs.rows || method.values.text("operator") != "file") return;
  if (!request.output.given("operator")) return;
  refuse(fmt::format("{} would write what {} = file reads", request.output.where("operator"),
                     method.values.keys()("operator")));
}

// Kinds of data that a similarity compares, as advice.
std::string other_kinds(const RunRequest& request) {
  std::vector<std::string> names;
  for (const DataKind* kind : data_kinds()) {
    if (compares(request.similarity, kind->objects)) names.push_back(kind->name);
  }
  if (names.empty()) return "";
  return fmt::format(". Or give {} = {}", request.data.keys()("kind"), joined(names, " or "));
}

void require_compared(const RunRequest& request) {
  const SimilarityChoice& similarity = request.similarity;
  const ObjectKind objects = request.kind->objects;
  if (compares(similarity, objects)) return;
  const auto wrong =
      std::ranges::find_if(similarity.parts, [&](const SimilarityChoice& part) { return !compares(part, objects); });
  refuse(fmt::format("{} is incompatible with {} = {}; it can be {}{}",
                     called(similarity, wrong == similarity.parts.end() ? "" : wrong->name()),
                     request.data.keys()("kind"), request.kind->name, joined(similarities_of(objects), ", "),
                     request.data.given("kind") ? "" : other_kinds(request)));
}

// Path lengths along one-way arcs are not symmetric.
void require_symmetric(const RunRequest& request) {
  const SimilarityChoice& similarity = request.similarity;
  const bool directed = request.data.given("directed") && request.data.flag("directed");
  if (!directed || !has(similarity, "search")) return;
  if (!similarity.values.flag("symmetrize")) {
    refuse(fmt::format(
        "path lengths with {} are not symmetric, and {} takes a symmetric K: {} = true makes it the mean "
        "of both directions",
        request.data.where("directed"), request.method.method->name, similarity.values.keys()("symmetrize")));
  }
  if (request.output.given("hierarchy") && request.output.flag("hierarchy")) {
    request.output.refuse("hierarchy", "is not for directed graphs: a result keeps no hierarchy of both directions");
  }
  if (similarity.values.text("search") == "breadth-first") {
    similarity.values.refuse("search", "counts edges both ways: for a directed graph take dijkstra or hierarchy");
  }
}

}  // namespace

void require_going_together(const RunRequest& request) {
  const MethodChoice& method = request.method;
  const SimilarityChoice& similarity = request.similarity;
  if (method.method->needs.rows && request.kind->operators.empty()) {
    refuse(fmt::format("{} is incompatible with {} = {}; it needs a graph, a mesh or points", called(method),
                       request.data.keys()("kind"), request.kind->name));
  }
  require_compared(request);
  const SimilarityTraits traits = similarity.traits();
  if (method.method->needs.random_documents && !traits.random_documents) {
    refuse(fmt::format("{} needs a similarity that compares documents with random ones ({}), not {}", called(method),
                       joined(similarities_with_random(), ", "), similarity.name()));
  }
  if (traits.word_vectors && !request.data_at_hand && !request.data.given("vectors") &&
      !request.data.given("generate")) {
    const std::string vectors = request.data.keys()("vectors");
    throw MissingValue(vectors, fmt::format("{} needs {}, the vectors of words", called(similarity), vectors));
  }
  if (method.method->needs.rows) require_rows(method, similarity);
  require_symmetric(request);
  require_near(request, 0);
  check_selection(method, similarity.name(), traits);
  check_error_goal(method, request.single);
  require_distances_of_columns(request);
  require_rows_unused(request);
}

void require_in_range(const RunRequest& request) {
  static_cast<void>(compared_rows(request, 0));
  if (request.estimate.given("pairs") && request.estimate.integer("pairs") == 1) {
    request.estimate.refuse("pairs", "is too few for an error with a standard error: take 2 at least, or 0 for none");
  }
  check_parameters(request.similarity);
  check_parameters(*request.method.method, request.method.values, problem_shape(request));
  require_another_operator_file(request);
}

void require_whole(const RunRequest& request) {
  if (!request.data_at_hand) check_parameters(*request.kind, request.data);
  constexpr Index unlimited = Index{1} << 52;
  const MethodChoice& method = request.method;
  static_cast<void>(method.landmark_count(unlimited));
  if (!method.method->needs.landmarks || method.reuses_landmarks()) return;
  for (const Parameter& own : method.selection().parameters) {
    if (own.type == ValueType::input_path) static_cast<void>(method.landmarks.required(own.name));
  }
}

void require_fitting(const RunRequest& request, const DataSize& size) {
  require_near(request, size.objects);
  const MethodChoice& method = request.method;
  check_parameters(*method.method, method.values,
                   problem_shape(request, size.objects, method.landmark_count(size.objects)));
  const SimilarityChoice& similarity = request.similarity;
  if (size.weighted && has(similarity, "search") && similarity.values.text("search") == "breadth-first") {
    similarity.values.refuse(
        "search", fmt::format("counts edges, and this graph has lengths: take dijkstra or hierarchy, or leave the "
                              "lengths out ({} = false)",
                              request.data.keys()("weighted")));
  }
}

}  // namespace cairn
